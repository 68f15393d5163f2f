import { blocked, ok } from '../../terms/change.js';
import { defineModule } from '../../terms/module.js';
import { timeLimitMs } from '../shared/time-limit.js';
import type { Args } from './schema.js';

const TIMEOUT_MS = 600_000;
const EVERY_MS = 2_000;
/** `fail_if` must hold so often in a row, 20 seconds: one reading may catch a moment that passes, such as a restart. */
const READINGS = 10;

export const waitFor = defineModule<Args>()({
  name: 'wait_for',
  onlyLooks: true,
  conditions: ['that', 'fail_if'],
  shown: ['message', 'hint'],
  needs: () => ({}),
  touches: () => [],
  decide(args) {
    const { that, fail_if, timeout, warn_after } = args;
    if (that.is === true) return ok(that.because);
    const { message, hint } = args;
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
