import { evaluate } from '../../language/condition.js';
import type { Condition, Truth } from '../../terms/condition.js';
import type { Run } from '../run.js';
import { scopeOf } from './scope.js';
import type { Position } from '../position.js';
import type { Need } from '../../terms/fact.js';
import { resolveFacts, withReads } from './resolve-facts.js';

/** Is the condition true here, by facts that are read for it where they are not known yet? */
export const truthNow = (run: Run, condition: Condition, position: Position): Promise<Truth> =>
  resolveFacts(run, (lookup) => evaluate(condition, scopeOf(run, position, lookup, [])));

/** The same, with the facts that it read. */
export const truthWithReads = (
  run: Run,
  condition: Condition,
  position: Position,
): Promise<{ readonly truth: Truth; readonly reads: readonly Need[] }> =>
  resolveFacts(run, (lookup) => {
    const { found, reads } = withReads(lookup, (noted) => evaluate(condition, scopeOf(run, position, noted, [])));
    return { truth: found, reads };
  });
