import type { AgentRecord, UpgradesAnswer, UpgradeTask } from '../../facts/agents.js';
import { compareByPrefix } from '../../../../lib/version.js';
import type { ItemNote } from '../../../../terms/change.js';
import type { Items, ItemState } from '../../../../terms/fact.js';
import { isObject, type Json } from '../../../../terms/json.js';
import { versionOf } from './args.js';

type Notes = Readonly<Record<string, ItemNote>>;
type Answered = Extract<UpgradesAnswer, { is: 'answered' }>;

/** An order whose connection was lost may still be on its way: no task for it counts only after a while. */
const ON_ITS_WAY_MS = 15_000;

export interface Followed {
  readonly known: Items;
  readonly progress: Answered;
  readonly version: string;
  readonly limitMs: number;
  readonly nowMs: number;
}

/** What became of each agent that is under way, or may be: by what it says of itself first, then by the manager's task of it. */
export function follow({ known, progress, ...rest }: Followed): Notes {
  const agents = new Map(progress.agents.map((a) => [a.id, a]));
  const marks = tasksIn(known.marks['tasks']);
  return Object.fromEntries(
    Object.entries(known.items).flatMap(([id, item]) => {
      if (item.is !== 'asked' && item.is !== 'pending') return [];
      const task = progress.tasks[id];
      const agent = agents.get(id);
      const note = followOne({ item, task, agent, mark: marks[id], hasTasks: progress.hasTasks, ...rest });
      return note === undefined ? [] : [[id, note]];
    }),
  );
}

interface One extends Pick<Followed, 'version' | 'limitMs' | 'nowMs'> {
  readonly item: ItemState;
  readonly task: UpgradeTask | undefined;
  readonly agent: AgentRecord | undefined;
  /** The task that it had before it was asked. */
  readonly mark: number | undefined;
  readonly hasTasks: boolean;
}

function followOne(one: One): ItemNote | undefined {
  const { agent, item, version } = one;
  if (agent === undefined) return { is: 'failed', reason: 'no such agent (1701)' };
  if (isAt(agent, version)) return { is: 'done', value: recordOf(agent) };
  return item.is === 'asked' ? whetherAsked(one) : howFar(one, agent);
}

/** The request may have been sent: a task that was not there before proves it. Where the release lists no tasks it counts as sent. */
function whetherAsked({ item, task, mark, hasTasks, nowMs }: One): ItemNote | undefined {
  if (!hasTasks) return { is: 'pending' };
  if (task !== undefined && task.id !== mark) return { is: 'pending', value: task.id };
  if (item.sinceMs === undefined) return { is: 'asked' };
  return nowMs - item.sinceMs < ON_ITS_WAY_MS ? undefined : { is: 'due' };
}

const UNDER_WAY = /^(?:In queue|Updating)$/i;
/** Reported as done, or by an agent that cannot report: the agent says its version a while later. */
const REPORTED = /^(?:Updated|Legacy\b)/i;
const ENDED = /^(?:Error|Timeout)|cancelled/i;

/**
 * Asked, and not there yet: its task may be over, or its time. A reported timeout alone decides nothing while the agent is away. A state that
 * is not known ends the wait: if the agent says the version later, it counts as upgraded all the same.
 */
function howFar({ item, task, limitMs, nowMs, version }: One, agent: AgentRecord): ItemNote | undefined {
  const ours = typeof item.value === 'number' ? item.value : undefined;
  const isOver =
    task !== undefined && task.id >= (ours ?? 0) && !UNDER_WAY.test(task.status) && !REPORTED.test(task.status);
  const says = `still says ${versionOf(agent)}`;
  if (isOver && (!/^Timeout/i.test(task.status) || agent.status === 'active')) {
    // Another upgrade of it was in progress (1820) and did not succeed: ours is requested again.
    if (ours === undefined && item.reason !== undefined && ENDED.test(task.status)) return { is: 'due' };
    return { is: 'failed', reason: `${endOf(task)}, and the agent ${says}`, value: recordOf(agent) };
  }
  const isLate = item.sinceMs !== undefined && nowMs - item.sinceMs >= limitMs;
  if (!isLate) return undefined;
  const limit = `within ${Math.round(limitMs / 60_000)} minutes`;
  return { is: 'failed', reason: `did not say ${version} ${limit}: ${says}, ${agent.status}`, value: recordOf(agent) };
}

/** How a task ended, in words, with the reason that the API gives. */
function endOf({ status, error }: UpgradeTask): string {
  const why = error === undefined ? '' : `: ${error}`;
  if (/^Error/i.test(status)) return `the upgrade ended with an error${why}`;
  if (/^Timeout/i.test(status)) return `the upgrade timed out${why}`;
  if (/cancelled/i.test(status)) return `the upgrade was cancelled (${status})${why}`;
  return `the upgrade is in a state that is not known ("${status}")${why}`;
}

export const isAt = ({ version: has }: AgentRecord, version: string): boolean =>
  has !== null && (compareByPrefix(has, version) ?? -1) >= 0;

/** What is known of each, by its id. */
export const recordsOf = (agents: readonly AgentRecord[]): Readonly<Record<string, Json>> =>
  Object.fromEntries(agents.map((a) => [a.id, recordOf(a)]));

/** What is kept of an agent beside what became of it. */
export const recordOf = (agent: AgentRecord): Json => ({ name: agent.name, version: versionOf(agent) });

function tasksIn(mark: Json | undefined): Readonly<Record<string, number>> {
  const tasks = isObject(mark) && isObject(mark['tasks']) ? mark['tasks'] : {};
  return Object.fromEntries(
    Object.entries(tasks).flatMap(([id, task]) =>
      isObject(task) && typeof task['id'] === 'number' ? [[id, task['id']]] : [],
    ),
  );
}
