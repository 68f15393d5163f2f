import { server } from './scenarios/server.js';
import { tryAll } from './try-all.js';

tryAll(server);
