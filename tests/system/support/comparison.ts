import type { Event, Recorded } from '../../../engine/terms/event.js';
import { taskKey, type TaskId } from '../../../engine/terms/task.js';

/** What a plan said against what an apply did, over the tasks that either says change. */
export interface Comparison {
  readonly right: readonly string[];
  /** Task, and what was wrong about it. */
  readonly wrong: readonly string[];
  /** Said by the plan to be known after apply, with its reason, and what came of it. */
  readonly onlyAtApply: readonly string[];
}

interface Told {
  as: 'change' | 'ok' | 'undecided' | 'skipped' | 'waiting' | 'blocked';
  because: string;
  diff?: string | undefined;
  diffUnknown?: string | undefined;
  summary?: string | undefined;
}

interface Done {
  changed: boolean;
  summaries: string[];
  diffs: (string | undefined)[];
  differs: string[];
  /** Rounds that were to follow, as the round before said. */
  left?: number | undefined;
}

/** Holds every changing task of a plan against the same task of the apply that followed. */
export function compare(plan: readonly Recorded[], applied: readonly Recorded[]): Comparison {
  const told = toldOf(plan);
  const done = doneOf(applied);
  const keys = [...new Set([...told.keys(), ...done.keys()])];
  const right: string[] = [];
  const wrong: string[] = [];
  const onlyAtApply: string[] = [];
  for (const key of keys) {
    const [said, did] = [told.get(key), done.get(key)];
    const changed = did?.changed === true;
    if (said?.as === 'undecided') {
      onlyAtApply.push(
        `${key}: ${said.because} (then ${changed ? `changed: ${did.summaries.join('; ')}` : 'left alone'})`,
      );
    } else if (said?.as === 'change' || changed) {
      const faults = faultsOf(said, did);
      if (faults.length === 0) right.push(key);
      else wrong.push(`${key}: ${faults.join('; ')}`);
    }
  }
  return { right, wrong, onlyAtApply };
}

/** The difference between the words about one task and its deed; diffs are compared byte by byte. */
function faultsOf(said: Told | undefined, did: Done | undefined): string[] {
  if (did?.changed !== true) return [`a change was planned (${said?.summary ?? ''}), but none was made`];
  if (said === undefined) return [`changed (${did.summaries.join('; ')}), but the plan does not mention it`];
  if (said.as !== 'change')
    return [`changed (${did.summaries.join('; ')}), but the plan says ${said.as}: ${said.because}`];
  const summaries = [...new Set(did.summaries)];
  return [
    ...summaries
      .filter((summary) => summary !== said.summary)
      .map((summary) => `planned "${said.summary ?? ''}", done "${summary}"`),
    ...(did.diffs[0] === said.diff || (said.diff === undefined && said.diffUnknown !== undefined)
      ? []
      : [`the diff differs:\nplanned\n${said.diff ?? 'none'}\ndone\n${did.diffs[0] ?? 'none'}`]),
    ...did.differs,
  ];
}

function toldOf(plan: readonly Recorded[]): Map<string, Told> {
  const told = new Map<string, Told>();
  for (const { event } of plan) {
    const entry = entryOf(event);
    if (entry !== undefined) told.set(taskKey(entry[0]), entry[1]);
  }
  return told;
}

function entryOf(event: Event): [TaskId, Told] | undefined {
  if (event.e === 'checked')
    return [
      event.task,
      {
        as: event.verdict,
        because: event.because,
        diff: event.change?.diff,
        diffUnknown: event.change?.diffUnknown,
        summary: event.change?.summary,
      },
    ];
  if (event.e === 'undecided') return [event.task, { as: 'undecided', because: event.because }];
  if (event.e === 'task-skipped') return [event.task, { as: 'skipped', because: event.because }];
  if (event.e === 'settled')
    return [event.task, { as: event.as === 'ok' ? 'ok' : 'blocked', because: event.reason ?? '' }];
  return undefined;
}

function doneOf(applied: readonly Recorded[]): Map<string, Done> {
  const done = new Map<string, Done>();
  const of = (task: TaskId): Done => {
    const entry = done.get(taskKey(task)) ?? { changed: false, summaries: [], diffs: [], differs: [] };
    done.set(taskKey(task), entry);
    return entry;
  };
  for (const { event } of applied) {
    if (event.e === 'intent') {
      const entry = of(event.task);
      const { summary, diff, left } = event.change;
      // The first round of a step stands for all its rounds.
      const isNext = entry.left !== undefined && left !== undefined && left < entry.left;
      entry.left = left;
      if (isNext) continue;
      entry.summaries.push(summary);
      entry.diffs.push(diff);
    } else if (event.e === 'settled') of(event.task).changed = event.changed;
    else if (event.e === 'observed')
      of(event.task).differs.push(
        ...event.differs.map(
          (d) =>
            `${d.ref.fact} ${d.ref.key}: predicted ${JSON.stringify(d.predicted)}, observed ${JSON.stringify(d.observed)}`,
        ),
      );
  }
  return done;
}
