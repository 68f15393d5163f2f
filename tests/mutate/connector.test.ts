import { connector, dashboardPaths, rulesetLists } from './scenarios/connector.js';
import { tryAll } from './try-all.js';

tryAll([...connector, ...rulesetLists, ...dashboardPaths]);
