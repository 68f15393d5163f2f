import { blocked, ok } from '../../terms/change.js';
import type { Truth } from '../../terms/condition.js';
import type { Hint } from '../../terms/hint.js';
import { defineModule } from '../../terms/module.js';
import { timeLimitMs } from '../shared/time-limit.js';

/** Mirrors schemas/checks/wait_for.schema.json; the engine hands `that` and `fail_if` over as Truths. */
interface Args {
  readonly that: Truth;
  readonly fail_if?: Truth;
  readonly message?: string;
  readonly hint?: Hint;
  readonly timeout?: string;
  readonly warn_after?: string;
}

const TIMEOUT_MS = 600_000;
const EVERY_MS = 2_000;
/** `fail_if` must hold so often in a row, 20 seconds: one reading may catch a moment that passes, such as a restart. */
const READINGS = 10;

export const waitFor = defineModule<Args>()({
  name: 'wait_for',
  summary: 'Wait until a condition holds, up to a limit, and show what is waited for.',
  onlyLooks: true,
  conditions: ['that', 'fail_if'],
  needs: () => ({}),
  touches: () => [],
  decide({ that, fail_if, message, hint, timeout, warn_after }) {
    if (that.is === true) return ok(that.because);
    if (that.is === 'unknown' && that.never === true) {
      const never = `this can never be known: ${that.because}`;
      return blocked(message === undefined ? never : `${message} (${never})`, hint);
    }
    return {
      is: 'waiting',
      for: that.because,
      limitMs: timeLimitMs(timeout, TIMEOUT_MS),
      everyMs: EVERY_MS,
      failure: { ...(message === undefined ? {} : { reason: message }), ...(hint === undefined ? {} : { hint }) },
      ...(fail_if?.is === true ? { failFast: { because: fail_if.because, readings: READINGS } } : {}),
      ...(warn_after === undefined
        ? {}
        : {
            warn: {
              afterMs: timeLimitMs(warn_after, TIMEOUT_MS),
              text: `still waiting after ${warn_after}: ${message ?? that.because}`,
            },
          }),
    };
  },
});
