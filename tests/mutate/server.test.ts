import { server } from './scenarios/server.js';
import { serverAgain } from './scenarios/server-again.js';
import { tryAll } from './try-all.js';

tryAll([...server, ...serverAgain]);
