import { evaluate } from '../language/condition.js';
import type { Condition, Truth } from '../terms/condition.js';
import type { Run } from './run.js';
import { scopeOf } from './scope.js';
import type { Standing } from './standing.js';
import { think } from './think.js';

/** Is the condition true here, by facts that are read for it where they are not known yet? */
export const truthNow = (run: Run, condition: Condition, standing: Standing): Promise<Truth> =>
  think(run, (peek) => evaluate(condition, scopeOf(run, standing, peek, [])));
