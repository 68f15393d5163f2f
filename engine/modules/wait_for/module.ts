import { blocked, ok } from '../../terms/change.js';
import { defineModule } from '../../terms/module.js';
import { showDuration } from '../../lib/duration.js';
import { timeLimitMs } from '../shared/time-limit.js';
import type { Args } from './schema.js';

const TIMEOUT_MS = 600_000;
const EVERY_MS = 2_000;
/** A wait warns after this time, or after a tenth of its limit where that is longer. */
const WARNS_AFTER_MS = 60_000;
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
    const { that, fail_if, timeout } = args;
    if (that.is === true) return ok(that.because);
    const { message, hint } = args;
    if (that.is === 'unknown' && that.never === true) {
      const never = `this can never be known: ${that.because}`;
      return blocked(message === undefined ? never : `${message} (${never})`, hint);
    }
    const limitMs = timeLimitMs(timeout, TIMEOUT_MS);
    const afterMs = Math.max(WARNS_AFTER_MS, limitMs / 10);
    return {
      is: 'waiting',
      for: that.because,
      limitMs,
      everyMs: EVERY_MS,
      failure: { ...(message === undefined ? {} : { reason: message }), ...(hint === undefined ? {} : { hint }) },
      ...(fail_if?.is === true ? { failFast: { because: fail_if.because, readings: READINGS } } : {}),
      warn: { afterMs, text: `still waiting after ${showDuration(afterMs)}: ${message ?? that.because}` },
    };
  },
});
