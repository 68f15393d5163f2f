import { plugins } from './scenarios/plugins.js';
import { tryAll } from './try-all.js';

tryAll(plugins);
