import { rollback } from './scenarios/rollback.js';
import { tryAll } from './try-all.js';

tryAll(rollback);
