import { preparedBackups, preparedChecks, preparedPackages, preparedShippers } from './scenarios/prepare-more.js';
import { tryAll } from './try-all.js';

tryAll([...preparedPackages, ...preparedBackups, ...preparedChecks, ...preparedShippers]);
