import { upgradeAgents } from './management-agents.js';
import { settleManagement, type ManagementState } from './management-state.js';

/** The remote upgrade tool on the manager itself: starts upgrades, waits for their end, and prints who was upgraded and who was not. */
export function handleManagementUpgrade(
  state: ManagementState,
  ids: readonly string[],
  atMs: number,
): { state: ManagementState; printed: string; tookMs: number } {
  const wanted = ids.includes('all')
    ? state.agents.filter((a) => a.id !== '000' && a.status === 'active').map((a) => a.id)
    : ids;
  const query = { agents_list: wanted.join(',') };
  const asked =
    wanted.length === 0
      ? state
      : upgradeAgents(state, { method: 'PUT', path: '/agents/upgrade', query, headers: {}, body: '', atMs }).state;
  const ends = asked.agents.flatMap((a) =>
    a.upgrade?.endsAtMs !== undefined && a.upgrade.endsAtMs !== null && wanted.includes(a.id)
      ? [a.upgrade.endsAtMs]
      : [],
  );
  const endMs = Math.max(atMs, ...ends);
  const after = settleManagement(asked, endMs);
  const upgraded = after.agents.filter(
    (a) => wanted.includes(a.id) && a.upgrade?.status === 'Updated' && a.upgrade.createdAtMs === atMs,
  );
  const failed = wanted.filter((id) => !upgraded.some((a) => a.id === id));
  const before = new Map(state.agents.map((a) => [a.id, a.version]));
  const lines = [
    ...(upgraded.length === 0
      ? []
      : [
          'Upgraded agents:',
          ...upgraded.map((a) => `\tAgent ${a.id} upgraded: v${before.get(a.id) ?? ''} -> v${a.version ?? ''}`),
        ]),
    ...(failed.length === 0
      ? []
      : [
          'Failed upgrades:',
          ...failed.map(
            (id) => `\tAgent ${id} status: ${after.agents.find((a) => a.id === id)?.upgrade?.status ?? 'not eligible'}`,
          ),
        ]),
  ];
  // The upgrades end while the tool waits: the state before them goes back, and time brings them.
  return { state: asked, printed: `${lines.join('\n')}\n`, tookMs: endMs - atMs };
}
