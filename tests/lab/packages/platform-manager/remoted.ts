import { createHash, timingSafeEqual } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { beDaemon } from '../common/daemon.js';
import { at, installedVersion, textOf } from '../common/home.js';
import { ask, sendJson, serve } from '../common/https.js';
import { compareDeb } from '../../../../engine/lib/version.js';
import { enrol, enrolled, noteOrder, noteSeen, orderOf } from './agent-registry.js';
import { packageOf } from './agent-package.js';
import { checkConfig } from './config-check.js';
import { clusterUrl } from './cluster-url.js';

const log = beDaemon('platform-remoted');
const version = installedVersion();
const { config } = checkConfig(textOf(at('etc/platform.conf')) ?? '', existsSync);

interface Keepalive {
  id: string;
  key: string;
  version: string;
  /** By which packages it is installed: `deb`, `rpm`. */
  kind: string;
  failed?: string;
}

/** The agents' side of the manager: enrolment, keepalives that are answered with orders, and the packages to carry them out. */
serve(
  {
    port: 1514,
    cert: readFileSync(at('etc/sslmanager.cert'), 'utf8'),
    key: readFileSync(at('etc/sslmanager.key'), 'utf8'),
  },
  async ({ method, url, headers, body }, answer) => {
    const route = `${method} ${url.pathname}`;
    if (route === 'POST /enrol') await enrolOne((JSON.parse(body) as { name: string }).name, answer);
    else if (route === 'POST /keepalive') keepalive(JSON.parse(body) as Keepalive, answer);
    else if (route === 'GET /package') sendPackage(headers, answer);
    else sendJson(answer, 404, {});
  },
  (reason) => {
    log('ERROR', `Request failed: ${String(reason)}`);
  },
);

async function enrolOne(name: string, answer: ServerResponse): Promise<void> {
  if (!/^[\w.-]{1,64}$/.test(name)) {
    sendJson(answer, 400, { message: 'Invalid agent name' });
    return;
  }
  if (config.nodeType === 'master') {
    sendJson(answer, 200, enrol(name));
    return;
  }
  const fromMaster = await ask(`${clusterUrl(config)}/enrol`, {
    method: 'POST',
    json: { key: config.clusterKey, name },
  });
  answer.writeHead(fromMaster.status, { 'content-type': 'application/json' }).end(fromMaster.body);
}

function keepalive(said: Keepalive, answer: ServerResponse): void {
  const agent = agentWith(said.id, said.key);
  if (!agent) {
    sendJson(answer, 403, { message: 'Invalid key' });
    return;
  }
  if (compareDeb(said.version, version) > 0) {
    log('WARNING', `(1412): Agent '${agent.id}' version is higher than the manager's: rejected.`);
    sendJson(answer, 409, { message: 'Agent version must be lower or equal to manager version' });
    return;
  }
  noteSeen({
    id: agent.id,
    name: agent.name,
    ip: answer.socket?.remoteAddress?.replace('::ffff:', '') ?? 'any',
    version: said.version,
    node: config.nodeName,
    atMs: Date.now(),
  });
  sendJson(answer, 200, { order: nextOrder(agent.id, said) });
}

/** The order an agent is to begin now, or null. What it says of a failed one is kept, so that the API can tell. */
function nextOrder(id: string, { kind, failed }: Keepalive): { version: string; sha256: string } | null {
  const order = orderOf(id);
  if (!order) return null;
  if (order.status === 'Updating' && failed !== undefined) {
    noteOrder({ ...order, status: 'Error', message: failed });
    log('ERROR', `Agent '${id}' could not be upgraded: ${failed}`);
  }
  if (order.status !== 'In queue') return null;
  const file = order.file ?? at(packageOf(order.version, kind));
  if (!existsSync(file)) {
    noteOrder({ ...order, status: 'Error', message: 'The package is not there' });
    return null;
  }
  noteOrder({ ...order, status: 'Updating' });
  log('INFO', `Agent '${id}' begins its upgrade to v${order.version}.`);
  return { version: order.version, sha256: createHash('sha256').update(readFileSync(file)).digest('hex') };
}

function sendPackage(headers: Record<string, string>, answer: ServerResponse): void {
  const agent = agentWith(headers['x-agent-id'] ?? '', headers['x-agent-key'] ?? '');
  const order = agent && orderOf(agent.id);
  if (!order) {
    sendJson(answer, 403, { message: 'No upgrade was ordered' });
    return;
  }
  const file = order.file ?? at(packageOf(order.version, headers['x-agent-kind'] ?? ''));
  answer.writeHead(200, { 'content-type': 'application/octet-stream' }).end(readFileSync(file));
}

function agentWith(id: string, key: string): { id: string; name: string } | undefined {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return enrolled().find((agent) => agent.id === id && timingSafeEqual(digest(agent.key), digest(key)));
}
