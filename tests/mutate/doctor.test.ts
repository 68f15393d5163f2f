import { baseline, doctor } from './scenarios/doctor.js';
import { keptStopped } from './scenarios/kept-stopped.js';
import { tryAll } from './try-all.js';

tryAll([...doctor, ...baseline, ...keptStopped]);
