import { indexer, indexerReturns } from './scenarios/indexer.js';
import { indexerAgain } from './scenarios/indexer-again.js';
import { securityConfiguration } from './scenarios/security.js';
import { tryAll } from './try-all.js';

tryAll([...indexer, ...indexerReturns, ...indexerAgain, ...securityConfiguration]);
