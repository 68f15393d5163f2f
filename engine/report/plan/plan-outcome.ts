import { getOrCreate } from '../../lib/get-or-create.js';
import { isRestoring } from '../../journal/state.js';
import type { Change } from '../../terms/change.js';
import type { Recorded } from '../../terms/event.js';
import { taskKey } from '../../terms/task.js';
import { isQuestion } from '../counts.js';
import { doneBefore, type DoneBefore } from './done-before.js';
import { digestOf, type PlannedStep } from './planned-steps.js';
import { linesOf, tally, type Line, type Tally } from '../tally.js';

/** Why a run did not do exactly what its plan says. */
export type OutcomeKind =
  /** It did something that the plan does not have; something else than it says; or it found another result than predicted. */
  | 'added'
  | 'altered'
  | 'other result'
  /** It failed, and was done at a later attempt; or it was found done by then, by hand or on its own. */
  | 'repeated'
  | 'found done'
  /** The host was as wanted already, and no other run of the inventory did it. */
  | 'unchanged'
  | 'skipped'
  | 'failed'
  | 'not finished'
  | 'not started';

/** A step on a host that differs from the plan. */
export interface PlanOutcome {
  readonly is: OutcomeKind;
  readonly host: string;
  readonly name: string;
  readonly planned?: string;
  readonly done?: string;
  /** The reason that the run recorded; of a step that was done at a later attempt, why the first one failed. */
  readonly because?: string;
}

/** Planned against done, as the end of a run, `show` and the report have it. */
export interface PlanComparison {
  /** Steps of the plan. */
  readonly steps: number;
  /** The plan file that was approved, and the steps that may differ from it. */
  readonly approved?: string;
  readonly allow: readonly string[];
  readonly outcomes: readonly PlanOutcome[];
  /** What other runs of the inventory did after the plan and before this run is no difference. */
  readonly before: DoneBefore;
}

/** What was known after apply may have become anything but a failure. `runThatDid` names another run that did a step since the plan. */
export function planOutcomes(
  planned: readonly PlannedStep[],
  events: readonly Recorded[],
  runThatDid: (step: PlannedStep) => string | undefined,
): Pick<PlanComparison, 'outcomes' | 'before'> {
  const t = tally(events);
  const lines = linesOf(t);
  const byKey = new Map(lines.map((line) => [line.key, line]));
  const attempts = attemptsOf(events);
  const inPlan = new Set(planned.map(({ key }) => key));
  const before: string[] = [];
  const ofPlan = planned.flatMap((step): readonly PlanOutcome[] => {
    const line = byKey.get(step.key);
    const found = line === undefined ? withoutLine(step, t) : outcomeOf(line, attempts.get(step.key), step);
    const run = isUntouched(line, found) ? runThatDid(step) : undefined;
    if (run !== undefined) before.push(run);
    const { host, name, summary } = step;
    return run !== undefined || found === undefined
      ? []
      : [{ host, name, ...(summary === '' ? {} : { planned: summary }), ...found }];
  });
  const others = lines.flatMap((line): readonly PlanOutcome[] => {
    const found = inPlan.has(line.key) ? undefined : outcomeOf(line, attempts.get(line.key));
    return found === undefined ? [] : [{ host: line.host, name: line.name, ...found }];
  });
  return { outcomes: [...ofPlan, ...others], before: doneBefore(before) };
}

type Found = Pick<PlanOutcome, 'is' | 'because' | 'done'>;

/** This run did nothing for it, and did not try. */
const isUntouched = (line: Line | undefined, found: Found | undefined): boolean =>
  found === undefined ? line?.is !== 'change' : UNTOUCHED.has(found.is);
const UNTOUCHED: ReadonlySet<OutcomeKind> = new Set(['unchanged', 'skipped', 'not started']);

/** A run that is done stopped before nothing; what it restored by another way than planned is restored. */
function withoutLine({ key }: PlannedStep, { plays, ended }: Tally): Found | undefined {
  const because = plays.find(({ path, skipped }) => skipped !== undefined && key.startsWith(`${path}/`))?.skipped;
  if (because !== undefined) return { is: 'skipped', because };
  if (ended?.as !== 'done') return { is: 'not started' };
  return isRestoring(key.slice(0, key.lastIndexOf('@')))
    ? undefined
    : { is: 'skipped', because: 'the run did not come to it' };
}

/** `step` is what the plan says of it; a step with nothing to do is not in the plan. */
function outcomeOf(
  line: Line,
  { first, failures, isRepeated }: Attempts = NONE,
  step?: PlannedStep,
): Found | undefined {
  const { is, because } = line;
  const done = first?.summary ?? line.change?.summary ?? because;
  if (is === 'failed' || is === 'blocked' || is === 'unreachable') return { is: 'failed', because };
  if (is === 'begun') return { is: 'not finished' };
  const [failed] = failures;
  if (failed !== undefined)
    return { is: first !== undefined && isRepeated !== true ? 'found done' : 'repeated', because: failed };
  if (is === 'change' && !isQuestion(line)) {
    // What a failure restores is in no plan.
    if (step === undefined && !isRestoring(line.step)) return { is: 'added', done };
    if (step?.is === 'change' && first !== undefined && isAltered(step, first)) return { is: 'altered', done };
  }
  if (step?.is === 'change' && is === 'skipped') return { is: 'skipped', because };
  if (step?.is === 'change' && is === 'ok') return { is: 'unchanged', because };
  return line.differs === undefined
    ? undefined
    : { is: 'other result', because: line.differs.map((d) => d.ref.fact).join(', ') };
}

const isAltered = (step: PlannedStep, change: Change): boolean =>
  step.summary !== change.summary || (step.diffLater !== true && step.digest !== digestOf(change));

interface Attempts {
  /** A step of several rounds has several intents; a plan says what the first would be. */
  first?: Change;
  readonly failures: string[];
  /** Something was done after the last failure. */
  isRepeated?: boolean;
}
const NONE: Attempts = { failures: [] };

/** What each task began first, and each failure of it. */
function attemptsOf(events: readonly Recorded[]): ReadonlyMap<string, Attempts> {
  const all = new Map<string, Attempts>();
  for (const { event: e } of events) {
    if (e.e !== 'intent' && e.e !== 'effect' && e.e !== 'settled') continue;
    const mine = getOrCreate(all, taskKey(e.task), (): Attempts => ({ failures: [] }));
    if (e.e === 'intent') mine.first ??= e.change;
    else if (e.e === 'effect') mine.isRepeated = true;
    else if (e.as !== 'done' && e.as !== 'ok') {
      mine.failures.push(e.reason ?? '');
      mine.isRepeated = false;
    }
  }
  return all;
}
