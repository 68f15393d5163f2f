import type { Change } from '../terms/change.js';
import type { Recorded } from '../terms/event.js';
import { taskKey } from '../terms/task.js';
import { digestOf, type PlannedStep } from './planned-steps.js';
import { linesOf, tally, type Line, type Tally } from './tally.js';

/** Why a run did not do exactly what its approved plan says. */
export type OutcomeKind =
  /** It did something that the plan does not have; something else than it says; or it found another result than predicted. */
  | 'added'
  | 'altered'
  | 'other result'
  /** The host was as wanted already: another run of the inventory did it, or the operator. */
  | 'done by a run'
  | 'unchanged'
  | 'skipped'
  | 'failed'
  | 'not finished'
  | 'not started';

/** A step on a host that differs from the approved plan. */
export interface PlanOutcome {
  readonly is: OutcomeKind;
  readonly host: string;
  readonly name: string;
  /** What was planned, or for `added` and `altered` what was done. */
  readonly summary: string;
  /** The reason that the run recorded. */
  readonly because?: string;
}

/** Planned against done, at the end of a run. What was known after apply may have become anything but a failure. */
export function planOutcomes(
  approved: readonly PlannedStep[],
  events: readonly Recorded[],
  isDoneSince: (step: PlannedStep) => boolean,
): readonly PlanOutcome[] {
  const t = tally(events);
  const lines = new Map(linesOf(t).map((line) => [line.key, line]));
  const begun = firstChanges(events);
  const planned = new Set(approved.map(({ key }) => key));
  const added = linesOf(t).filter((l) => l.is === 'change' && !planned.has(l.key) && !isRestored(l));
  return [
    ...approved.flatMap((step) => {
      const found = outcomeOf(step, lines.get(step.key), begun.get(step.key), t);
      if (found === undefined) return [];
      const is = found.is === 'unchanged' && isDoneSince(step) ? 'done by a run' : found.is;
      return [{ host: step.host, name: step.name, summary: step.summary, ...found, is }];
    }),
    ...added.map(({ host, name, change }) => ({ is: 'added' as const, host, name, summary: change?.summary ?? '' })),
  ];
}

type Found = Pick<PlanOutcome, 'is' | 'because'> & { readonly summary?: string };

function outcomeOf(step: PlannedStep, line: Line | undefined, change: Change | undefined, t: Tally): Found | undefined {
  if (line === undefined) {
    const skipped = t.plays.find(({ path, skipped: why }) => why !== undefined && step.key.startsWith(`${path}/`));
    return skipped?.skipped === undefined ? { is: 'not started' } : { is: 'skipped', because: skipped.skipped };
  }
  const { is, because } = line;
  if (is === 'failed' || is === 'blocked' || is === 'unreachable') return { is: 'failed', because };
  if (is === 'begun') return { is: 'not finished' };
  if (step.is !== 'change') return undefined;
  if (is === 'skipped') return { is: 'skipped', because };
  if (is === 'ok') return { is: 'unchanged', because };
  if (change !== undefined && isAltered(step, change)) return { is: 'altered', summary: change.summary };
  return line.differs === undefined
    ? undefined
    : { is: 'other result', because: line.differs.map((d) => d.ref.fact).join(', ') };
}

const isAltered = (step: PlannedStep, change: Change): boolean =>
  step.summary !== change.summary || (step.diffLater !== true && step.digest !== digestOf(change));

/** A step of several rounds has several intents; a plan says what the first would be. */
function firstChanges(events: readonly Recorded[]): ReadonlyMap<string, Change> {
  const all = new Map<string, Change>();
  for (const { event: e } of events)
    if (e.e === 'intent' && !all.has(taskKey(e.task))) all.set(taskKey(e.task), e.change);
  return all;
}

const isRestored = ({ step }: Line): boolean => step.endsWith(' (restored)');
