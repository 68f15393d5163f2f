import { requirements } from './scenarios/requirements.js';
import { tryAll } from './try-all.js';

tryAll(requirements);
