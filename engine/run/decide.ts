import { doneOf } from '../journal/state.js';
import type { Verdict } from '../terms/change.js';
import type { Need } from '../terms/fact.js';
import type { Json } from '../terms/json.js';
import type { AnyModule, At } from '../terms/module.js';
import type { Step } from '../terms/playbook.js';
import { taskKey, type TaskId } from '../terms/task.js';
import { bind, type Bound } from './bind.js';
import type { Run } from './run.js';
import type { Standing } from './scope.js';
import { think, type Peek } from './think.js';

/** What is decided of a step where it stands. */
export type Decided =
  | { readonly is: 'verdict'; readonly verdict: Exclude<Verdict, { is: 'more' }>; readonly args: Json }
  | Exclude<Bound, { is: 'bound' }>;

export interface TaskAt {
  readonly step: Step;
  /** Arguments that were rendered before (what ends a temporary change): data, never templated again. */
  readonly args?: Json;
  readonly standing: Standing;
  readonly task: TaskId;
  readonly module: AnyModule;
}

/** Binds and decides, asking for whatever facts that takes. */
export function decideTask(run: Run, at: TaskAt, ahead?: () => readonly Need[]): Promise<Decided> {
  const timeMs = run.actor === undefined ? run.planTime.ms : run.clock.nowMs();
  return think(run, (peek) => decideOnce(run, at, peek, timeMs), ahead);
}

function decideOnce(run: Run, { step, standing, task, module, args }: TaskAt, peek: Peek, timeMs: number): Decided {
  const bound: Bound = args === undefined ? bind(run, step, standing, peek) : { is: 'bound', args };
  return bound.is === 'bound' ? decideArgs(run, module, bound.args, { task, timeMs }, peek) : bound;
}

/** Decides from arguments: of a step, or of what ends a temporary change. */
export function decideArgs(run: Run, module: AnyModule, args: Json, at: At, peek: Peek): Decided {
  const ask = (needs: Readonly<Record<string, Need>>): { values: Record<string, Json>; unknown?: Decided } => {
    const values: Record<string, Json> = {};
    let unknown: Decided | undefined;
    for (const [name, ref] of Object.entries(needs)) {
      const reading = ref.fact === 'done' ? { known: true as const, value: doneOf(run.journal.state, taskKey(at.task)) as unknown as Json } : peek(ref);
      if ('failed' in reading) unknown ??= { is: 'failed', failure: reading.failed };
      else if (reading.known) values[name] = reading.value;
      else unknown ??= { is: 'unknown', args, because: reading.because, dependsOn: reading.dependsOn };
    }
    return unknown === undefined ? { values } : { values, unknown };
  };
  const now = ask(module.needs(args, at));
  if (now.unknown !== undefined) return now.unknown;
  const verdict = module.decide(args, now.values, at);
  if (verdict.is !== 'more') return { is: 'verdict', verdict, args };
  const more = ask(verdict.needs);
  if (more.unknown !== undefined) return more.unknown;
  const second = module.decide(args, now.values, at, more.values);
  if (second.is === 'more') throw new Error(`${module.name} asks for more facts twice`);
  return { is: 'verdict', verdict: second, args };
}
