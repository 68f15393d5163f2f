import { IDS_A_REQUEST, type AgentRecord, type AgentsAnswer } from '../../facts/agents.js';
import type { Action } from '../../../../terms/action.js';
import type { Change } from '../../../../terms/change.js';
import type { Json } from '../../../../terms/json.js';
import { isGiven, listing, tasksOf, type UpgradeArgs } from './args.js';
import { recordsOf } from './followed.js';
import { count, type Sorted } from './sorted.js';
import { toolRuns } from './tool.js';
import { wavesOf, type Wave } from './waves.js';

const REQUEST_MS = 120_000;

export interface Next {
  readonly now: Extract<AgentsAnswer, { is: 'answered' }>;
  readonly sorted: Sorted;
  readonly due: readonly AgentRecord[];
  readonly wave: Wave;
  /** An earlier wave was asked already. */
  readonly begun: boolean;
}

/**
 * The change that asks one wave. The first one lists, and predicts, all that follow; a later one lists its own agents, so that a
 * journal of thousands of agents stays small.
 */
export function changeFor(args: UpgradeArgs, { now, sorted, due, wave, begun }: Next): Change {
  const ref = listing(args);
  const listed = begun ? wave.agents : due;
  const actions = args.way === 'tool' ? toolRuns(args, wave) : requests(args, wave);
  return {
    summary: begun
      ? `wave ${wave.batch}: ${count(wave.agents)} → ${args.version}`
      : `${count(due)} → ${args.version}${source(args)}${inWaves(args, due.length)}${skipped(sorted)}`,
    sign: '~',
    diff: listed.map((a) => `${a.id} ${a.name} ${a.version ?? ''} → ${args.version}\n`).join(''),
    actions: actions as [Action, ...Action[]],
    touches: [ref],
    predicts: begun
      ? [{ ref, unknown: 'agents are upgraded in waves' }]
      : [{ ref, value: predicted(now, due, args.version) }],
    marks: {
      tasks: tasksOf(
        args,
        wave.agents.map(({ id }) => id),
      ),
    },
    left: due.length,
    ...(begun ? { safePoint: true as const } : {}),
  };
}

function source({ repository, package_file: file }: UpgradeArgs): string {
  if (isGiven(file)) return ` with ${file}`;
  return isGiven(repository) ? ` from ${repository}` : '';
}

function inWaves(args: UpgradeArgs, due: number): string {
  const sizes = wavesOf(args, due);
  if (sizes.length <= 1) return '';
  const shown = sizes.slice(0, 3).join(', ') + (sizes.length > 3 ? ', …' : '');
  return ` in ${sizes.length} waves (${shown})`;
}

const skipped = ({ left }: Sorted): string => {
  if (left.length === 0) return '';
  const shown = left.slice(0, 20).map((a) => `${a.name} (${a.reason})`);
  return `; left as they are: ${shown.join(', ')}${left.length > 20 ? ` and ${left.length - 20} more` : ''}`;
};

/** The list in pages that fit a URL. */
function requests(args: UpgradeArgs, { agents, batch }: Wave): Action[] {
  const { endpoint } = args;
  const pages = Array.from({ length: Math.ceil(agents.length / IDS_A_REQUEST) }, (_, i) =>
    agents.slice(i * IDS_A_REQUEST, (i + 1) * IDS_A_REQUEST),
  );
  return pages.map((page) => {
    const items = page.map(({ id }) => id);
    const path = orderPath(args, items);
    const request = { endpoint, method: 'PUT', path, timeoutMs: REQUEST_MS } as const;
    return { do: 'request', request, expect: { status: [200] }, items, batch, about: recordsOf(page) };
  });
}

/** The order for these agents, from the vendor's repository unless the step names another, or a file on the managers. */
function orderPath({ repository, package_file: file }: UpgradeArgs, ids: readonly string[]): string {
  const list = `agents_list=${ids.join(',')}`;
  if (isGiven(file)) return `/agents/upgrade_custom?${list}&file_path=${encodeURIComponent(file)}`;
  return `/agents/upgrade?${list}${isGiven(repository) ? `&wpk_repo=${encodeURIComponent(repository)}` : ''}`;
}

function predicted(now: Next['now'], due: readonly AgentRecord[], version: string): Json {
  const chosen = new Set(due.map(({ id }) => id));
  const agents = now.agents.map((a) =>
    chosen.has(a.id) ? { ...a, version: renumbered(a.version ?? '', version) } : a,
  );
  return { ...now, agents } as unknown as Json;
}

/** `Wazuh v4.12.0` becomes `Wazuh v4.14.7`: words and `v` stay. */
const renumbered = (text: string, version: string): string => text.replace(/\d[\d.]*(?:-\S+)?$/, version);
