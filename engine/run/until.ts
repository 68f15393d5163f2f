import { evaluate } from '../language/condition.js';
import type { Json } from '../terms/json.js';
import type { Run } from './run.js';
import { scopeOf } from './scope.js';
import type { TaskAt } from './decide.js';
import { think } from './think.js';

/** Does the step's value satisfy its `until`? True without one. The value is in scope as `result`. */
export async function isUntilMet(run: Run, { step, standing }: TaskAt, value: Json): Promise<boolean> {
  const { until } = step;
  if (until === undefined) return true;
  const truth = await think(run, (peek) =>
    evaluate(until, scopeOf(run, { ...standing, step, local: { result: value } }, peek, [])),
  );
  return truth.is === true;
}
