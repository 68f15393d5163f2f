import { rollback } from './scenarios/rollback.js';
import { rollbackMore } from './scenarios/rollback-more.js';
import { safePoints } from './scenarios/safe-points.js';
import { tryAll } from './try-all.js';

tryAll([...rollback, ...rollbackMore, ...safePoints]);
