import type { AgentRecord, AgentsAnswer, UpgradesAnswer } from '../../facts/agents.js';
import { blocked, type ItemNote, type Verdict } from '../../../../terms/change.js';
import type { Items, ItemState } from '../../../../terms/fact.js';
import type { More } from '../../../../terms/module.js';
import { listing, progressOf, waitingForList, type UpgradeArgs } from './args.js';
import { chosenOf, unknownOf } from './choice.js';
import { changeFor } from './change.js';
import { ended } from './ended.js';
import { follow, isAt, recordOf } from './followed.js';
import { names, sortAgents } from './sorted.js';
import { wrongWay } from './tool.js';
import { nextWave, stoppedBy } from './waves.js';
import { timeLimitMs } from '../../../../modules/shared/time-limit.js';

type Notes = Readonly<Record<string, ItemNote>>;

const POLL_MS = 5_000;
const POLL_AT_MOST_MS = 30_000;
/** An agent whose upgrade is requested answers within 15 minutes or not at all. */
const DEFAULT_MS = 1_200_000;
/** Each agent has its own limit; the wait as a whole ends after the last of them. */
const SLACK_MS = 300_000;

/**
 * One round of an upgrade in waves (§9.7): those under way are followed until each has come to something; then, unless too many of the wave
 * failed, the next wave is asked. What is recorded of agents is all the memory there is, so a resume goes on where the run ended.
 */
export function decideUpgraded(args: UpgradeArgs, known: Items, nowMs: number, more: More | undefined): Verdict {
  const inHand = Object.entries(known.items).filter(([, { is }]) => is === 'asked' || is === 'pending');
  if (inHand.length === 0) return decideNext(args, known, {}, more);
  const progress = progressOf(
    args,
    inHand.map(([id]) => id),
  );
  if (more === undefined) return { is: 'more', needs: { progress } };
  const found = more['progress'] as unknown as UpgradesAnswer;
  const limitMs = timeLimitMs(args.timeout, DEFAULT_MS);
  const pace = { everyMs: everyMs(inHand, nowMs), limitMs: limitMs + SLACK_MS };
  if (found.is === 'failed') return { is: 'waiting', for: `the agent list: ${found.reason}`, ...pace };
  const notes = follow({ known, progress: found, version: args.version, limitMs, nowMs });
  const awaited = inHand.map(([id]) => id).filter((id) => isUnderWay(notes[id] ?? known.items[id]));
  if (awaited.length === 0) return decideNext(args, known, notes, more);
  const ids = new Set(awaited);
  const who = names(found.agents.filter(({ id }) => ids.has(id)));
  return { is: 'waiting', for: `${who} to say ${args.version}`, left: awaited.length, ...pace, items: notes };
}

const isUnderWay = (state: ItemNote | undefined): boolean => state?.is === 'asked' || state?.is === 'pending';

/** Often at first; less often for those that take long, and for as many as need several requests. */
function everyMs(inHand: readonly (readonly [string, ItemState])[], nowMs: number): number {
  const sinceMs = Math.min(...inHand.map(([, { sinceMs: at = nowMs }]) => at));
  return Math.max(POLL_MS, Math.min(POLL_AT_MOST_MS, (nowMs - sinceMs) / 4), inHand.length * 2);
}

/** No upgrade is in progress: which agents are next? */
function decideNext(args: UpgradeArgs, known: Items, notes: Notes, more: More | undefined): Verdict {
  if (more === undefined || !('now' in more)) return { is: 'more', needs: { now: listing(args) } };
  const now = more['now'] as unknown as AgentsAnswer;
  const begun = Object.keys(known.items).length > 0;
  if (now.is === 'failed') {
    // Once agents are upgrading, whatever keeps the list back may pass; before, what the API itself calls passing.
    if (now.later !== true && !begun) return blocked(now.reason, now.hint);
    return { ...waitingForList(now.reason), everyMs: POLL_MS, ...limitOf(args), items: notes };
  }
  const unknown = begun ? undefined : unknownOf(args, now.agents);
  if (unknown !== undefined) return blocked(unknown, 'correct the choice; nothing was asked for');
  const sorted = sortAgents(chosenOf(args, now.agents), args.version, args.exclude_below);
  const excepted = now.agents.filter(({ name }) => args.except?.includes(name) === true);
  const wrong = wrongWay(args, [...sorted.left, ...sortAgents(excepted, args.version, undefined).due]);
  if (wrong !== undefined) return blocked(wrong);
  const items = withNotes(known, notes);
  const due = sorted.due.filter(({ id }) => isToAsk(args, items.get(id)));
  const right = new Set(sorted.right.map(({ id }) => id));
  const isFailed = (id: string): boolean => items.get(id)?.is === 'failed' && !right.has(id);
  // Those that are requested again are judged after that.
  const stopped = due.some(({ id }) => isFailed(id)) ? undefined : stoppedBy(args, items, isFailed);
  const wave = stopped === undefined ? nextWave(args, { items, due }) : undefined;
  if (wave === undefined)
    return ended(args, { sorted, items, due, stopped, notes: { ...notes, ...late(items, now.agents, args.version) } });
  return { is: 'change', change: changeFor(args, { now, sorted, due, wave, begun }), items: notes };
}

/** One that failed is requested again by a resume, unless that is to end the run without it. */
const isToAsk = ({ severity }: UpgradeArgs, item: ItemState | undefined): boolean =>
  item === undefined || item.is === 'due' || (item.again === true && severity !== 'warning');

const limitOf = ({ timeout }: UpgradeArgs): { limitMs?: number } =>
  timeout === undefined ? {} : { limitMs: timeLimitMs(timeout, DEFAULT_MS) };

function withNotes(known: Items, notes: Notes): ReadonlyMap<string, ItemState> {
  const items = new Map(Object.entries(known.items));
  for (const [id, note] of Object.entries(notes)) items.set(id, { ...items.get(id), ...note });
  return items;
}

/** Those that failed, or were to be asked still, and say the version all the same: what an agent says of itself decides. */
function late(items: ReadonlyMap<string, ItemState>, agents: readonly AgentRecord[], version: string): Notes {
  return Object.fromEntries(
    agents.flatMap((a) => {
      const is = items.get(a.id)?.is;
      return (is === 'failed' || is === 'due') && isAt(a, version) ? [[a.id, { is: 'done', value: recordOf(a) }]] : [];
    }),
  );
}
