import { taskStatus, upgradeAgents } from './management-agents.js';
import type { Failed } from './management-answer.js';
import { settleManagement, underWay, type ManagementState } from './management-state.js';

export const TOOL_USAGE =
  'usage: agent_upgrade [-h] [-a AGENTS [AGENTS ...]] [-r REPOSITORY] [-v VERSION] [-F] [-s] [-l] [-f FILE] [-d]\n';

/** What the remote upgrade tool is asked for. */
export interface ToolOrder {
  readonly ids: readonly string[];
  readonly repository?: string | undefined;
  readonly file?: string | undefined;
}

export function readToolArgs(args: readonly string[]): ToolOrder {
  const after = (option: string): readonly string[] => {
    const rest = args.includes(option) ? args.slice(args.indexOf(option) + 1) : [];
    const next = rest.findIndex((arg) => arg.startsWith('-'));
    return next < 0 ? rest : rest.slice(0, next);
  };
  return { ids: after('-a'), repository: after('-r')[0], file: after('-f')[0] };
}

/** The request to the management API that is the same order. */
export const orderQuery = ({ repository, file }: ToolOrder, ids: readonly string[]) => ({
  method: 'PUT',
  path: file === undefined ? '/agents/upgrade' : '/agents/upgrade_custom',
  query: {
    agents_list: ids.join(','),
    ...(file === undefined ? {} : { file_path: file }),
    ...(repository === undefined ? {} : { wpk_repo: repository }),
  },
  headers: {},
  body: '',
});

/** The remote upgrade tool on the manager itself: starts upgrades, waits for their end, and prints what became of each agent. */
export function handleManagementUpgrade(
  state: ManagementState,
  order: ToolOrder,
  atMs: number,
): { state: ManagementState; printed: string; tookMs: number } {
  const wanted = order.ids.includes('all')
    ? state.agents.filter((a) => a.id !== '000' && a.status === 'active').map((a) => a.id)
    : order.ids;
  const asked = upgradeAgents(state, { ...orderQuery(order, wanted), atMs });
  const taken = new Set(
    asked.state.agents.filter((a) => wanted.includes(a.id) && a.upgrade?.createdAtMs === atMs).map((a) => a.id),
  );
  const ends = asked.state.agents.flatMap((a) => (taken.has(a.id) ? [a.upgrade?.endsAtMs ?? atMs] : []));
  const endMs = Math.max(atMs, ...ends);
  const after = settleManagement(asked.state, endMs).agents.filter((a) => taken.has(a.id));
  const before = new Map(state.agents.map((a) => [a.id, a.version]));
  const shown = (version: string | null | undefined): string => `${state.versionPrefix}${version ?? ''}`;
  const printed = printUpgrade({
    refused: refusedIn(asked.response.body),
    upgraded: after.flatMap(({ id, version, upgrade }) =>
      upgrade?.status === 'Updated' || upgrade?.status === 'Legacy'
        ? [{ id, from: shown(before.get(id)), to: shown(version) }]
        : [],
    ),
    failed: after.flatMap(({ id, upgrade }) =>
      upgrade === null || underWay(upgrade) || upgrade.status === 'Updated' || upgrade.status === 'Legacy'
        ? []
        : [{ id, reason: upgrade.error ?? taskStatus(upgrade) }],
    ),
  });
  // The upgrades end while the tool waits: the state before them goes back, and time brings them.
  return { state: asked.state, printed, tookMs: endMs - atMs };
}

export const refusedIn = (body: string): readonly Failed[] =>
  (JSON.parse(body) as { data?: { failed_items?: readonly Failed[] } }).data?.failed_items ?? [];

interface Upgraded {
  readonly refused: readonly Failed[];
  readonly upgraded: readonly { readonly id: string; readonly from: string; readonly to: string }[];
  readonly failed: readonly { readonly id: string; readonly reason: string }[];
}

/** What the tool prints: first who was refused, with all ids of a reason on one line, and after the wait the others. */
export function printUpgrade({ refused, upgraded, failed }: Upgraded): string {
  const section = (title: string, lines: readonly string[]): string =>
    lines.length === 0 ? '' : `${title}\n${lines.map((line) => `\tAgent ${line}\n`).join('')}`;
  return [
    section(
      'Agents that cannot be upgraded:',
      refused.map(({ id, error }) => `${id.join(', ')} upgrade failed. Status: Error ${error.code} - ${error.message}`),
    ),
    upgraded.length + failed.length === 0 ? '' : '\nUpgrading...\n',
    section(
      '\nUpgraded agents:',
      upgraded.map(({ id, from, to }) => `${id} upgraded: ${from} -> ${to}`),
    ),
    section(
      '\nFailed upgrades:',
      failed.map(({ id, reason }) => `${id} status: ${reason}`),
    ),
  ].join('');
}
