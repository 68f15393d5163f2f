import { existsSync, readFileSync } from 'node:fs';
import { beDaemon } from '../common/daemon.js';
import { at, installedVersion, textOf } from '../common/home.js';
import { ask, sendJson, serve } from '../common/https.js';
import {
  allOrders,
  allSeen,
  enrol,
  noteOrder,
  noteSeen,
  orderOf,
  replaceKeys,
  type Order,
  type Seen,
} from './agent-registry.js';
import { clusterUrl } from './cluster-url.js';
import { checkConfig } from './config-check.js';

const syncMs = 3000;
const log = beDaemon('platform-clusterd');
const version = installedVersion();
const { config } = checkConfig(textOf(at('etc/platform.conf')) ?? '', existsSync);

interface Sync {
  key: string;
  node: string;
  version: string;
  agents: Seen[];
  orders: Order[];
}
interface Synced {
  keys: string;
  orders: Order[];
}

if (config.nodeType === 'master') beMaster();
else beWorker();

/** Takes in what the workers know of their agents, unless their version is not the master's own: those are detached. */
function beMaster(): void {
  serve(
    {
      port: 1516,
      cert: readFileSync(at('etc/sslmanager.cert'), 'utf8'),
      key: readFileSync(at('etc/sslmanager.key'), 'utf8'),
    },
    ({ url, body }, answer) => {
      const said = JSON.parse(body) as Sync & { name?: string };
      if (said.key !== config.clusterKey)
        sendJson(answer, 403, { message: 'Error 3028 - Worker node ID already exists or key is wrong' });
      else if (url.pathname === '/enrol') sendJson(answer, 200, enrol(said.name ?? ''));
      else if (said.version !== version) {
        log(
          'ERROR',
          `[Worker ${said.node}] Error 3031 - The master and worker do not have the same version: v${version}, v${said.version}. Detached.`,
        );
        sendJson(answer, 409, { message: `The master's version is v${version}` });
      } else sendJson(answer, 200, takeIn(said));
    },
    (reason) => {
      log('ERROR', `Request failed: ${String(reason)}`);
    },
  );
}

function takeIn(said: Sync): Synced {
  said.agents.forEach(noteSeen);
  for (const order of said.orders) if (orderOf(order.id)?.atMs === order.atMs) noteOrder(order);
  const ofWorker = new Set(said.agents.map(({ id }) => id));
  return { keys: textOf(at('etc/client.keys')) ?? '', orders: allOrders().filter(({ id }) => ofWorker.has(id)) };
}

/** Tells the master of this node's agents every few seconds, and takes keys and new orders from it. */
function beWorker(): void {
  let said = '';
  const once = (text: string, level: 'INFO' | 'ERROR'): void => {
    if (text !== said) log(level, text);
    said = text;
  };
  const sync = async (): Promise<void> => {
    const mine = allSeen().filter(({ node }) => node === config.nodeName);
    const json: Sync = { key: config.clusterKey, node: config.nodeName, version, agents: mine, orders: allOrders() };
    const { status, body } = await ask(`${clusterUrl(config)}/sync`, { method: 'POST', json });
    if (status !== 200) {
      once(`[Worker ${config.nodeName}] Could not join the cluster: ${body.toString('utf8')}`, 'ERROR');
      return;
    }
    once(`[Worker ${config.nodeName}] Successfully connected to master.`, 'INFO');
    const { keys, orders } = JSON.parse(body.toString('utf8')) as Synced;
    replaceKeys(keys);
    for (const order of orders) if (orderOf(order.id)?.atMs !== order.atMs) noteOrder(order);
  };
  const again = (): void => {
    sync()
      .catch((reason: unknown) => {
        once(`[Worker ${config.nodeName}] No answer from the master: ${String(reason)}`, 'ERROR');
      })
      .finally(() => setTimeout(again, syncMs));
  };
  again();
}
