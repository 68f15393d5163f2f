import { diagnose } from './scenarios/diagnose.js';
import { tryAll } from './try-all.js';

tryAll(diagnose);
