import { installers } from './scenarios/installers.js';
import { mergedKeys } from './scenarios/merged-keys.js';
import { agents, dashboard, savedObjects, small, verify, verifyMore } from './scenarios/others.js';
import { tryAll } from './try-all.js';

tryAll([...agents, ...dashboard, ...mergedKeys, ...savedObjects, ...small, ...installers, ...verify, ...verifyMore]);
