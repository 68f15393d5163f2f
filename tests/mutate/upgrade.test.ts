import { offlineUpgrade, upgrade } from './scenarios/upgrade.js';
import { tryAll } from './try-all.js';

tryAll([...upgrade, ...offlineUpgrade]);
