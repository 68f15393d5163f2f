import { existsSync, readFileSync } from 'node:fs';
import { request } from 'node:https';
import { beDaemon } from '../common/daemon.js';
import { at, textOf } from '../common/home.js';
import { checkConfig } from './config-check.js';

const retryMs = 10_000;
const log = beDaemon('platform-modulesd');
const { config } = checkConfig(textOf(at('etc/platform.conf')) ?? '', existsSync);

/** The indexer connector: logs in to each host of the configuration with what the keystore holds, and says so once it works. */
function connect(host: string): void {
  const again = (reason: string): void => {
    log(
      'WARNING',
      `IndexerConnector initialization failed for '${host}', retrying until the connection is successful: ${reason}.`,
    );
    setTimeout(() => {
      connect(host);
    }, retryMs);
  };
  const [user, password] = ['username', 'password'].map((key) => textOf(at(`queue/keystore/indexer/${key}`)));
  if (user === undefined || password === undefined) {
    again('no username and password in the keystore');
    return;
  }
  try {
    const ca = config.indexerCa === undefined ? {} : { ca: readFileSync(config.indexerCa) };
    const asked = request(`${host}/`, { auth: `${user}:${password}`, timeout: 5000, ...ca }, (answer) => {
      answer.resume();
      if (answer.statusCode === 200) log('INFO', `IndexerConnector initialized successfully for '${host}'.`);
      else again(`HTTP ${String(answer.statusCode)}`);
    });
    asked.on('timeout', () => asked.destroy(new Error('timed out')));
    asked.on('error', (reason) => {
      again(reason.message);
    });
    asked.end();
  } catch (reason) {
    again(String(reason));
  }
}

if (config.indexerHosts.length === 0) log('INFO', 'No indexer is configured.');
config.indexerHosts.forEach(connect);
// Keeps the process when all connections are made.
setInterval(() => undefined, 2 ** 30);
