import { ok, type Verdict } from '../../terms/change.js';
import type { Done } from '../../terms/fact.js';

/** For things done, not states: says what the run's own journal settles, or undefined when the thing is to be done now. */
export function settledBefore(done: Done, thing: string, repeatable: boolean): Verdict | undefined {
  if (done.is === 'done' && !(done.again === true && repeatable)) return ok(`${thing}: done in this run`, done.value);
  if (done.is !== 'unknown' || repeatable) return undefined;
  return {
    is: 'blocked',
    reason: `it is not known whether this was done before the run was cut: ${thing}`,
    hint: 'see on the host whether it happened; `runbook resume` asks, or takes --done STEP or --not-done STEP',
    unsure: thing,
  };
}
