import type { AgentRecord } from '../../facts/agents.js';
import type { Action, Outcome } from '../../../../terms/action.js';
import type { ItemNote } from '../../../../terms/change.js';
import type { Judgement } from '../../../../terms/module.js';
import { noteOfCode } from './answer.js';
import { elements, isGiven } from './args.js';
import { recordsOf } from './followed.js';
import { isInWaves, type Wave } from './waves.js';
import type { Args } from './schema.js';

/** The tool waits for the agent, which answers within 15 minutes or not at all. */
const TOOL_MS = 1_200_000;

const takesAll = ({ choose }: Args): boolean => elements(choose?.ids).includes('all');

/** Why these arguments cannot be applied by the remote tool, or by the API. */
export function wrongWay(args: Args, left: readonly { readonly name: string }[]): string | undefined {
  const all = takesAll(args);
  if (isGiven(args.repository) && isGiven(args.package_file))
    return 'agents come from `repository` or from `package_file`, and both are set';
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
  const source = [
    ...(isGiven(args.repository) ? ['-r', args.repository] : []),
    ...(isGiven(args.package_file) ? ['-f', args.package_file] : []),
  ];
  const run = (ids: readonly string[], word: string): Action => ({
    do: 'run',
    command: { argv: [args.tool ?? '', '-a', word, ...source], timeoutMs: TOOL_MS },
    expect: { exit: [0] },
    items: ids,
    batch: wave.batch,
    about: recordsOf(wave.agents.filter(({ id }) => ids.includes(id))),
  });
  const ids = wave.agents.map(({ id }: AgentRecord) => id);
  return takesAll(args) ? [run(ids, 'all')] : ids.map((id) => run([id], id));
}

const UPGRADED = 'Upgraded agents';
const FAILING: ReadonlySet<string> = new Set(['Failed upgrades', 'Agents that cannot be upgraded']);
const HEADING = /^\s*(?!Agent )(\S.*?):\s*$/;
/** One agent, or several that have the same reason; `all` is whoever was asked for. */
const AGENTS = /^\s*Agent ((?:\d+|all)(?:,\s*(?:\d+|all))*) (.*)$/;

/**
 * The tool ends with 0 whatever came of it: its output is read. An agent under "Upgraded agents:" is asked what it says of itself; one
 * under another heading, or named nowhere, failed unless it says the new version after all.
 */
export function toolSaid(outcome: Outcome, action: Action | undefined): Judgement {
  if (outcome.is !== 'ended' || outcome.exit !== 0 || action === undefined || !('items' in action))
    return { is: 'done' };
  const asked = action.items ?? [];
  const items: Record<string, ItemNote> = {};
  let heading = '';
  for (const line of outcome.stdout.split('\n')) {
    heading = HEADING.exec(line)?.[1] ?? heading;
    const [, ids = '', said = ''] = AGENTS.exec(line) ?? [];
    for (const id of ids.split(/,\s*/).flatMap((each) => (each === 'all' ? asked : [each])))
      if (id !== '') items[id] = heading === UPGRADED ? { is: 'pending' } : noteUnder(heading, said);
  }
  const last = outcome.stdout.trim().split('\n').at(-1) ?? '';
  for (const id of asked)
    items[id] ??= { is: 'failed', reason: `the tool does not name it${last === '' ? '' : `: ${last.trim()}`}` };
  return { is: 'items', items };
}

/** `status: REASON`, or with the API's code: `upgrade failed. Status: Error 1707 - REASON`. */
function noteUnder(heading: string, said: string): ItemNote {
  const reason = said.replace(/^(?:upgrade failed\. )?status: /i, '').trim();
  const [, code, message] = /^Error (\d+)(?: - |: )(.*)$/.exec(reason) ?? [];
  if (code !== undefined && message !== undefined) return noteOfCode(Number(code), message);
  return {
    is: 'failed',
    reason: FAILING.has(heading) ? `the tool: ${reason}` : `the tool, under "${heading}": ${reason}`,
  };
}
