import { evaluate } from '../../language/condition.js';
import type { Condition, Truth } from '../../terms/condition.js';
import type { Run } from '../run.js';
import { scopeOf } from './scope.js';
import type { Position } from '../position.js';
import { resolveFacts } from './resolve-facts.js';

/** Is the condition true here, by facts that are read for it where they are not known yet? */
export const truthNow = (run: Run, condition: Condition, position: Position): Promise<Truth> =>
  resolveFacts(run, (lookup) => evaluate(condition, scopeOf(run, position, lookup, [])));
