import { blocked, ok } from '../terms/change.js';
import type { Truth } from '../terms/condition.js';
import { defineModule } from '../terms/module.js';
import { timeLimitMs } from './time-limit.js';

/** Mirrors schemas/modules/wait.schema.json; the engine hands `until` and `stop_when` over as Truths. */
interface Args {
  readonly until: Truth;
  readonly message?: string;
  readonly hint?: string;
  readonly stop_when?: Truth;
  readonly readings?: number;
  readonly timeout?: string;
  readonly every?: string;
  readonly warn_after?: string;
  readonly warn?: string;
}

const TIMEOUT_MS = 600_000;
const EVERY_MS = 2_000;
/** One reading may catch a moment that passes. */
const READINGS = 3;

export const wait = defineModule<Args>()({
  name: 'wait',
  summary: 'Wait until a condition holds, up to a limit, and show what is waited for.',
  onlyLooks: true,
  conditions: ['until', 'stop_when'],
  needs: () => ({}),
  touches: () => [],
  decide({ until, message, hint, stop_when, readings = READINGS, timeout, every, warn_after, warn }) {
    if (until.is === true) return ok(until.because);
    if (until.is === 'unknown' && until.never === true) {
      const never = `this can never be known: ${until.because}`;
      return blocked(message === undefined ? never : `${message} (${never})`, hint);
    }
    return {
      is: 'waiting',
      for: until.because,
      limitMs: timeLimitMs(timeout, TIMEOUT_MS),
      everyMs: timeLimitMs(every, EVERY_MS),
      failure: { ...(message === undefined ? {} : { reason: message }), ...(hint === undefined ? {} : { hint }) },
      ...(stop_when?.is === true ? { hopeless: { because: stop_when.because, readings } } : {}),
      ...(warn_after === undefined
        ? {}
        : {
            warn: {
              afterMs: timeLimitMs(warn_after, TIMEOUT_MS),
              text: warn ?? `still waiting after ${warn_after}: ${message ?? until.because}`,
            },
          }),
    };
  },
});
