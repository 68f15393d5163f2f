import { prepare } from './scenarios/prepare.js';
import { oneLeft } from './scenarios/one-left.js';
import { refusals } from './scenarios/refusals.js';
import { tryAll } from './try-all.js';

tryAll([...prepare, ...refusals, ...oneLeft]);
