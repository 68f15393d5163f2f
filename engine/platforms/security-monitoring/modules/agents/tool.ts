import type { AgentRecord } from '../../facts/agents.js';
import type { Action, Outcome } from '../../../../terms/action.js';
import type { ItemNote } from '../../../../terms/change.js';
import type { Judgement } from '../../../../terms/module.js';
import { elements } from './args.js';
import { recordsOf } from './followed.js';
import { isInWaves, type Wave } from './waves.js';
import type { Args } from './schema.js';

/** The tool waits for the agent, which answers within 15 minutes or not at all. */
const TOOL_MS = 1_200_000;

const takesAll = ({ choose }: Args): boolean => elements(choose?.ids).includes('all');

/** Why these arguments cannot be applied by the remote tool, or by the API. */
export function wrongWay(args: Args, left: readonly { readonly name: string }[]): string | undefined {
  const all = takesAll(args);
  if (args.way !== 'tool')
    return all ? "`ids: all` is the remote tool's (`way: tool`); without ids all are chosen" : undefined;
  if (args.tool === undefined) return '`way: tool` needs `tool`, the path of the remote upgrade tool';
  if (!all) return undefined;
  const set = [
    ...(Number(args.canary ?? 0) > 0 ? ['canary'] : []),
    ...(isInWaves(args.wave) ? ['wave'] : []),
    ...(['groups', 'versions', 'names'] as const).filter((key) => elements(args.choose?.[key]).length > 0),
    ...(elements(args.choose?.ids).length > 1 ? ['ids'] : []),
  ];
  if (set.length > 0) return `\`-a all\` asks every agent at once, and ${set.join(', ')} is set`;
  if (left.length === 0) return undefined;
  const names = left.slice(0, 5).map(({ name }) => name);
  return `\`-a all\` asks every agent, also those to be left as they are: ${names.join(', ')}${left.length > 5 ? ' …' : ''}`;
}

/** The tool for one agent after the other (§4.3), or once for all. */
export function toolRuns(args: Args, wave: Wave): Action[] {
  const run = (ids: readonly string[], word: string): Action => ({
    do: 'run',
    command: { argv: [args.tool ?? '', '-a', word], timeoutMs: TOOL_MS },
    expect: { exit: [0] },
    items: ids,
    batch: wave.batch,
    about: recordsOf(wave.agents.filter(({ id }) => ids.includes(id))),
  });
  const ids = wave.agents.map(({ id }: AgentRecord) => id);
  return takesAll(args) ? [run(ids, 'all')] : ids.map((id) => run([id], id));
}

/**
 * The tool ends with 0 whatever came of it: its output is read. An agent under "Upgraded agents:" is asked what it says of itself; one
 * under "Failed upgrades:", or named nowhere, failed unless it says the new version after all.
 */
export function toolSaid(outcome: Outcome, action: Action | undefined): Judgement {
  if (outcome.is !== 'ended' || outcome.exit !== 0 || action === undefined || !('items' in action))
    return { is: 'done' };
  const items: Record<string, ItemNote> = {};
  let failing = false;
  for (const line of outcome.stdout.split('\n')) {
    if (/^\s*(?:Upgraded agents|Failed upgrades):/.test(line)) failing = line.includes('Failed');
    const [, id, said] = /^\s*Agent (\d+) (.*)$/.exec(line) ?? [];
    if (id !== undefined && said !== undefined)
      items[id] = failing ? { is: 'failed', reason: `the tool: ${said.replace(/^status: /, '')}` } : { is: 'pending' };
  }
  const last = outcome.stdout.trim().split('\n').at(-1) ?? '';
  for (const id of action.items ?? [])
    items[id] ??= { is: 'failed', reason: `the tool does not name it${last === '' ? '' : `: ${last.trim()}`}` };
  return { is: 'items', items };
}
