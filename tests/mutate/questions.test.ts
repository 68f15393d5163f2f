import { answers } from './scenarios/questions.js';
import { tryAll } from './try-all.js';

tryAll(answers);
