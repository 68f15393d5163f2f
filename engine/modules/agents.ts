import { agents as agentsFact, type AgentRecord, type AgentsAnswer } from '../facts/http.js';
import { compareByPrefix } from '../lib/version.js';
import type { Action } from '../terms/action.js';
import { blocked, ok, type Change, type Verdict } from '../terms/change.js';
import { done, need, type Done } from '../terms/fact.js';
import type { Json } from '../terms/json.js';
import { defineModule, type At } from '../terms/module.js';
import { itemsOf } from './agents-answer.js';
import { decideAsked } from './agents-asked.js';
import { decideListed } from './agents-listed.js';
import { count, names, sortAgents } from './agents-sorted.js';
import { timeLimitMs } from './time-limit.js';

/** Mirrors schemas/modules/agents.schema.json. This module knows the platform's management API (§4.1). */
interface Args {
  readonly endpoint: string;
  readonly state: 'upgraded' | 'not_newer' | 'listed';
  readonly version?: string;
  readonly exclude_below?: string;
  readonly except?: readonly string[];
  readonly page_size?: number;
  readonly timeout?: string;
}

const PAGE = 500;
/** A longer list makes a URL that servers refuse: they stop at some 16 KB of request line and headers. */
const IDS_A_REQUEST = 1_000;
const REQUEST_MS = 120_000;
const POLL_MS = 5_000;
/** An agent that is told to upgrade answers within 15 minutes or not at all. */
const DEFAULT_MS = 1_200_000;
const READING_MS = 120_000;

/** The manager itself is listed as an agent. */
const MANAGER = '000';

export const agents = defineModule<Args>()({
  name: 'agents',
  summary:
    'Upgrade the agents that the management API knows, list them, or make sure that none is newer than a version (§9.1, §9.7).',
  needs: (args, at) => ({ now: listing(args), done: need(at.task.on, done, '') }),
  touches: (args) => (args.state === 'upgraded' ? [listing(args)] : []),
  decide(args, { now, done: asked }, at) {
    // Once the agents are upgrading, whatever keeps the list back may pass; before, what the API itself calls passing.
    if (now.is === 'failed' && (now.later === true || asked.is === 'done'))
      return { is: 'waiting', for: `the agent list: ${now.reason}`, ...pace(args) };
    if (now.is === 'failed') return blocked(now.reason, now.hint);
    const known = now.agents.filter(({ id, name }) => id !== MANAGER && args.except?.includes(name) !== true);
    // A package's revision is no part of what an agent says of itself.
    const version = args.version?.replace(/-.*$/, '');
    if (args.state === 'listed') return decideListed(known, now, version);
    if (version === undefined) return blocked(`agents: state ${args.state} needs a version`);
    return args.state === 'not_newer'
      ? decideNotNewer(known, version)
      : decideUpgraded({ ...args, version }, { now, known, asked }, at);
  },
  judge: (_args, outcome) => itemsOf(outcome),
});

function decideNotNewer(known: readonly AgentRecord[], version: string): Verdict {
  const newer = known.filter((a) => a.version !== null && (compareByPrefix(a.version, version) ?? 0) > 0);
  return newer.length === 0
    ? ok(`none of ${count(known)} is newer than ${version}`, { count: known.length })
    : blocked(
        `newer than ${version}: ${names(newer)}`,
        'an agent must not be newer than the manager (§9.1): choose a higher target',
      );
}

interface Found {
  readonly now: Extract<AgentsAnswer, { is: 'answered' }>;
  readonly known: readonly AgentRecord[];
  readonly asked: Done;
}

function decideUpgraded(args: Args & { readonly version: string }, found: Found, at: At): Verdict {
  const sorted = sortAgents(found.known, args.version, args.exclude_below);
  const skipped =
    sorted.left.length === 0
      ? ''
      : `; left as they are: ${sorted.left.map((a) => `${a.name} (${a.reason})`).join(', ')}`;
  const awaiting = found.asked.is === 'done' ? decideAsked(args.version, sorted, found.asked, pace(args)) : undefined;
  if (awaiting !== undefined) return awaiting;
  if (sorted.due.length === 0)
    return ok(`${count(sorted.right)} at ${args.version}${skipped}`, {
      version: args.version,
      upgraded: sorted.right.map(({ id }) => id),
      left: sorted.left.map((a) => ({ ...a })),
    });
  // Asking twice does no harm: an agent that is at it answers 1820, one that is done 1822.
  return { is: 'change', change: change(args, found, sorted.due, skipped, at) };
}

function change(
  args: Args & { readonly version: string },
  { now }: Found,
  due: readonly AgentRecord[],
  skipped: string,
  at: At,
): Change {
  const ref = listing(args);
  const chosen = new Set(due.map(({ id }) => id));
  const after = now.agents.map((a) =>
    chosen.has(a.id) ? { ...a, version: renumbered(a.version ?? '', args.version) } : { ...a },
  );
  return {
    summary: `${count(due)} → ${args.version}${skipped}`,
    sign: '~',
    diff: due.map((a) => `${a.id} ${a.name} ${a.version ?? ''} → ${args.version}\n`).join(''),
    actions: requests(args, due) as [Action, ...Action[]],
    touches: agents.touches(args, at),
    predicts: [{ ref, value: { ...now, agents: after } as unknown as Json }],
    undo: { never: 'an agent is not taken back to an older version through the API' },
  };
}

/** The list in pages that fit a URL. */
function requests({ endpoint }: Args, due: readonly AgentRecord[]): Action[] {
  const pages = Array.from({ length: Math.ceil(due.length / IDS_A_REQUEST) }, (_, i) =>
    due.slice(i * IDS_A_REQUEST, (i + 1) * IDS_A_REQUEST),
  );
  return pages.map((page) => {
    const items = page.map(({ id }) => id);
    const request = {
      endpoint,
      method: 'PUT',
      path: `/agents/upgrade?agents_list=${items.join(',')}`,
      timeoutMs: REQUEST_MS,
    } as const;
    return { do: 'request', request, expect: { status: [200] }, items };
  });
}

/** `Wazuh v4.12.0` becomes `Wazuh v4.14.7`: words and `v` stay. */
const renumbered = (text: string, version: string): string => text.replace(/\d[\d.]*(?:-\S+)?$/, version);

const listing = ({ endpoint, page_size = PAGE }: Args) => need({ endpoint }, agentsFact, { pageSize: page_size });
/** Who only reads the list need not wait as long as who has agents upgraded. */
const pace = ({ state, timeout }: Args): { limitMs?: number; otherwiseMs?: number; everyMs: number } => ({
  everyMs: POLL_MS,
  ...(state === 'upgraded' ? {} : { otherwiseMs: READING_MS }),
  ...(timeout === undefined ? {} : { limitMs: timeLimitMs(timeout, DEFAULT_MS) }),
});
