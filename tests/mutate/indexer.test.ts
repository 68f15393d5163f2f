import { indexer, indexerReturns } from './scenarios/indexer.js';
import { tryAll } from './try-all.js';

tryAll([...indexer, ...indexerReturns]);
