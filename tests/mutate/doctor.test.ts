import { baseline, doctor } from './scenarios/doctor.js';
import { tryAll } from './try-all.js';

tryAll([...doctor, ...baseline]);
