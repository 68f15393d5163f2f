import { starts } from './scenarios/starts.js';
import { tryAll } from './try-all.js';

tryAll(starts);
