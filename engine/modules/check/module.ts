import { blocked, ok } from '../../terms/change.js';
import type { Truth } from '../../terms/condition.js';
import type { Warning } from '../../terms/hint.js';
import { defineModule } from '../../terms/module.js';
import type { Args } from './schema.js';

export const check = defineModule<Args>()({
  name: 'check',
  onlyLooks: true,
  conditions: ['that'],
  shown: ['message', 'hint'],
  needs: () => ({}),
  touches: () => [],
  decide(args) {
    const { that, severity } = args;
    if (that.is === true) return ok(that.because);
    if (severity === 'warning') return ok(that.because, undefined, [warning(args)]);
    if (that.is === 'unknown' && that.never === true)
      return blocked(`${args.message} (this can never be known: ${that.because})`, args.hint);
    // What cannot be known yet is no failure: a plan says so and goes on, an apply asks again to its limit.
    if (that.is === 'unknown')
      return { is: 'waiting', for: `what it checks: not known yet, ${that.because}`, unknown: that };
    return blocked(`${args.message}${why(that)}`, args.hint);
  },
});

/** A warning is also given of what cannot be known. It is read on the page of a plan, where only its own words count: `--why` has the condition. */
function warning({ that, message, hint }: Args): Warning {
  const text = `${message}${that.is === 'unknown' ? why(that) : ''}`;
  return hint === undefined ? text : { text, hint };
}

/** `that: false` has no reason but the message. */
const why = (that: Truth): string =>
  isConstant(that) ? '' : ` (${that.is === 'unknown' ? 'not known: ' : ''}${that.because})`;

const isConstant = (that: Truth): boolean => that.is !== 'unknown' && that.constant === true;
