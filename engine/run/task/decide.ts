import { doneOf, itemsOf } from '../../journal/state.js';
import { done, items, type Need, type Needs, type Values } from '../../terms/fact.js';
import type { Json } from '../../terms/json.js';
import type { AnyModule, At, More } from '../../terms/module.js';
import type { Step } from '../../terms/playbook.js';
import { taskKey, type TaskId } from '../../terms/task.js';
import { bind, type Bound } from './bind.js';
import { failedBy, type Decision, type Undecided } from './decision.js';
import type { Reading } from '../facts/facts.js';
import type { Run } from '../run.js';
import type { Position } from '../position.js';
import { resolveFacts, withReads, type FactLookup } from '../facts/resolve-facts.js';

export interface TaskAt {
  readonly step: Step;
  /** Arguments that were rendered before (what ends a temporary change): data, never templated again. */
  readonly args?: Json;
  readonly position: Position;
  readonly task: TaskId;
  readonly module: AnyModule;
}

/** Binds and decides, asking for whatever facts that takes. */
export function decideTask(run: Run, at: TaskAt, ahead?: () => readonly Need[]): Promise<Decision> {
  return resolveFacts(run, (lookup) => decideOnce(run, at, lookup, timeOf(run)), ahead);
}

/** The same, with the facts that the decision hangs on. */
export function decideWithReads(
  run: Run,
  at: TaskAt,
  ahead: () => readonly Need[],
): Promise<{ readonly decision: Decision; readonly reads: readonly Need[] }> {
  return resolveFacts(
    run,
    (lookup) => {
      const { found, reads } = withReads(lookup, (noted) => decideOnce(run, at, noted, timeOf(run), lookup));
      return { decision: found, reads };
    },
    ahead,
  );
}

const timeOf = (run: Run): number => (run.actor === undefined ? run.planTime.ms : run.clock.nowMs());

function decideOnce(
  run: Run,
  { step, position, task, module, args }: TaskAt,
  lookup: FactLookup,
  timeMs: number,
  forTexts = lookup,
): Decision {
  const bound: Bound =
    args === undefined
      ? bind(run, step, position, lookup, { begun: isBegun(run, task), forTexts })
      : { is: 'bound', args };
  if (bound.is !== 'bound') return bound;
  const decided = decideArgs(run, module, bound.args, { task, timeMs }, lookup);
  if (step.required === true) return lookOf(decided);
  return step.dryRun === true ? dryRunOf(decided) : decided;
}

/** That there is a change to make says that it can be made. */
const dryRunOf = (decided: Decision): Decision =>
  decided.is === 'change' ? { is: 'ok', because: `possible: ${decided.change.summary}`, args: decided.args } : decided;

/** What is required only looks: a change that its module would make says what is not as required. */
const lookOf = (decided: Decision): Decision =>
  decided.is === 'change'
    ? { is: 'blocked', reason: `not so yet: ${decided.change.summary}`, args: decided.args }
    : decided;

/** Some effect of it happened, or may have. A question alone has none: whether it is asked is decided again. */
function isBegun(run: Run, task: TaskId): boolean {
  const { open, acted } = run.journal.state.tasks.get(taskKey(task)) ?? {};
  return open !== undefined && acted === true && (open.met > 0 || open.unsure || !open.failed);
}

/** How often a decision may ask for more, each time by what it got. */
const MORE_ROUNDS = 4;

/** Thrown out of a decision that looked at a fact which is not known. */
class NotKnown extends Error {
  constructor(readonly decided: Undecided) {
    super('a fact is not known');
  }
}

/**
 * Decides from arguments: of a step, or of what ends a temporary change. A module gets its facts lazily: one that is not known leaves
 * the step undecided only if the decision looks at it.
 */
export function decideArgs(run: Run, module: AnyModule, args: Json, at: At, lookup: FactLookup): Decision {
  const values = (needs: Readonly<Record<string, Need>>): Values<Needs> => {
    const read = Object.entries(needs).map(([name, ref]) => [name, ref, readingOf(run, at, ref, lookup)] as const);
    return lazy(read, args, at);
  };
  try {
    const now = values(module.needs(args, at));
    let asked: Needs = {};
    let verdict = module.decide(args, now, at);
    for (let round = 0; verdict.is === 'more'; round += 1) {
      if (round === MORE_ROUNDS) throw new Error(`${module.name} asks for more facts without an end`);
      asked = { ...asked, ...verdict.needs };
      verdict = module.decide(args, now, at, values(asked) as More);
    }
    return { ...verdict, args };
  } catch (thrown) {
    if (thrown instanceof NotKnown) return thrown.decided;
    throw thrown;
  }
}

function readingOf(run: Run, at: At, ref: Need, lookup: FactLookup): Reading {
  if (ref.fact === done.name) return { known: true, value: doneOf(run.journal.state, at.task) as unknown as Json };
  if (ref.fact === items.name)
    return { known: true, value: itemsOf(run.journal.state, taskKey(at.task)) as unknown as Json };
  return lookup(ref);
}

function lazy(readings: readonly (readonly [string, Need, Reading])[], args: Json, { task }: At): Values<Needs> {
  const values = {};
  for (const [name, { of }, reading] of readings) {
    const get = (): Json => {
      if ('failed' in reading) throw new NotKnown(failedBy({ ...reading.failed, of }, task.on));
      if (!reading.known)
        throw new NotKnown({ is: 'unknown', args, because: reading.because, dependsOn: reading.dependsOn });
      return reading.value;
    };
    Object.defineProperty(values, name, { get, enumerable: true });
  }
  return values;
}
