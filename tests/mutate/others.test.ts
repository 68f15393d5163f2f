import { installers } from './scenarios/installers.js';
import { agents, dashboard, savedObjects, small, verify, verifyMore } from './scenarios/others.js';
import { tryAll } from './try-all.js';

tryAll([...agents, ...dashboard, ...savedObjects, ...small, ...installers, ...verify, ...verifyMore]);
