import { connector, rulesetLists } from './scenarios/connector.js';
import { tryAll } from './try-all.js';

tryAll([...connector, ...rulesetLists]);
