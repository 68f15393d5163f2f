import { rollback } from './scenarios/rollback.js';
import { rollbackMore } from './scenarios/rollback-more.js';
import { tryAll } from './try-all.js';

tryAll([...rollback, ...rollbackMore]);
