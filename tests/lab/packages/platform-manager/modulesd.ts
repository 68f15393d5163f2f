import { existsSync, readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { posix } from 'node:path';
import { request } from 'node:https';
import { beDaemon } from '../common/daemon.js';
import { at, textOf } from '../common/home.js';
import { checkConfig } from './config-check.js';

const retryMs = 10_000;
const writeEveryMs = 60_000;
const index = 'platform-states-vulnerabilities-platform';
const log = beDaemon('platform-modulesd');
const { config } = checkConfig(textOf(at('etc/platform.conf')) ?? '', existsSync);

/** One request to a host of the configuration, with the keystore's user and the certificates; rejects with why it did not succeed. */
function ask(host: string, method: string, path: string, body?: string): Promise<void> {
  const [user, password] = ['username', 'password'].map((key) => textOf(at(`queue/keystore/indexer/${key}`)));
  if (user === undefined || password === undefined)
    return Promise.reject(new Error('no username and password in the keystore'));
  return new Promise((resolve, reject) => {
    const pem = (name: string, path: string | undefined): Record<string, Buffer> =>
      path === undefined ? {} : { [name]: readFileSync(posix.resolve(at('.'), path)) };
    const files = {
      ...pem('ca', config.indexerCa),
      ...pem('cert', config.indexerCertificate),
      ...pem('key', config.indexerKey),
    };
    const headers = body === undefined ? {} : { 'content-type': 'application/json' };
    const asked = request(
      `${host}${path}`,
      { method, auth: `${user}:${password}`, timeout: 5000, headers, ...files },
      (answer) => {
        answer.resume();
        if ((answer.statusCode ?? 500) < 300) resolve();
        else reject(new Error(`HTTP ${String(answer.statusCode)}`));
      },
    );
    asked.on('timeout', () => asked.destroy(new Error('timed out')));
    asked.on('error', reject);
    asked.end(body);
  });
}

/** The indexer connector: once a host takes it, it says so and writes states; until then only its log tells. */
async function connect(warned = false): Promise<void> {
  for (const host of config.indexerHosts) {
    try {
      await ask(host, 'GET', '/');
      log('INFO', `IndexerConnector initialized successfully for index: ${index}.`);
      setInterval(() => void write(host), writeEveryMs);
      await write(host);
      return;
    } catch (reason) {
      log('DEBUG', `Unable to initialize IndexerConnector for index '${index}' at ${host}: ${String(reason)}.`);
    }
  }
  if (!warned)
    log(
      'WARNING',
      `IndexerConnector initialization failed for index '${index}', retrying until the connection is successful.`,
    );
  setTimeout(() => void connect(true), retryMs);
}

async function write(host: string): Promise<void> {
  try {
    const state = { host: hostname(), '@timestamp': new Date().toISOString() };
    await ask(host, 'POST', `/${index}/_doc`, JSON.stringify(state));
  } catch (reason) {
    log('ERROR', `States were not written to ${host}: ${String(reason)}.`);
  }
}

if (config.indexerEnabled) void connect();
else log('INFO', 'No indexer is configured.');
// Keeps the process while there is no connection.
setInterval(() => undefined, 2 ** 30);
