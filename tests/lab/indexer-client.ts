import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { caFile } from './certificates.js';
import { pause } from './hosts.js';
import { secret } from './ssh.js';
import { hostsOf, type LabHost } from './topology.js';

/** What the indexer answered; `json` is undefined when the body is none. */
export interface Answer {
  status: number;
  text: string;
  json: unknown;
}

let agent: Agent | undefined;

/** One call of a node's HTTP interface as `admin`; rejects when the node cannot be reached or is silent for too long. */
export async function call(
  node: LabHost,
  method: string,
  path: string,
  body?: unknown,
  silentMs = 30_000,
): Promise<Answer> {
  const password = await secret('indexer');
  agent ??= new Agent({ ca: readFileSync(caFile()), keepAlive: true, maxSockets: 4 });
  const text = body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body);
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        ...{ agent, method, path, host: node.address, port: 9200, auth: `admin:${password}`, timeout: silentMs },
        headers:
          text === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) },
      },
      (response) => {
        const parts: Buffer[] = [];
        response.on('data', (part: Buffer) => parts.push(part));
        response.on('error', reject);
        response.on('end', () => resolve(toAnswer(response.statusCode ?? 0, Buffer.concat(parts).toString('utf8'))));
      },
    );
    sent.on('timeout', () => sent.destroy(new Error(`${node.name}: silent for ${silentMs} ms`)));
    sent.on('error', reject);
    sent.end(text);
  });
}

/** The same, of any node that answers; throws when the status is 400 or more. */
export async function ask(method: string, path: string, body?: unknown): Promise<unknown> {
  let last: unknown;
  for (const node of hostsOf(['indexer'])) {
    try {
      const answer = await call(node, method, path, body);
      if (answer.status >= 400) throw new Error(`${method} ${path}: ${answer.status} ${answer.text.slice(0, 500)}`);
      return answer.json ?? answer.text;
    } catch (error) {
      last = error;
    }
  }
  throw last;
}

export interface Health {
  status: string;
  number_of_nodes: number;
  unassigned_shards: number;
  initializing_shards: number;
}

/**
 * Waits until the cluster is green with all its nodes, or as green as one node can be: its indices' replicas have no place. Throws with the last
 * health when it is not within the limit.
 */
export async function green(limitMs = 180_000): Promise<Health> {
  const limit = performance.now() + limitMs;
  let last = 'no answer';
  while (performance.now() < limit) {
    try {
      const health = (await ask('GET', '/_cluster/health')) as Health;
      const nodes = hostsOf(['indexer']).length;
      const isWell = health.status === 'green' || (nodes === 1 && health.status === 'yellow');
      if (isWell && health.initializing_shards === 0 && health.number_of_nodes === nodes) return health;
      last = JSON.stringify(health);
    } catch (error) {
      last = String(error);
    }
    await pause(500);
  }
  throw new Error(`the cluster is not green: ${last}`);
}

/** The name of the elected cluster manager. */
export async function elected(): Promise<string> {
  const rows = (await ask('GET', '/_cat/cluster_manager?format=json')) as { node: string }[];
  return rows[0]?.node ?? 'none';
}

/**
 * Makes that node the elected one: the others may not vote for a moment. A cluster that is being upgraded answers 503 now and then, from
 * whichever node: each request is repeated until it is taken, above all the one that lets the others vote again.
 */
export async function elect(name: string): Promise<void> {
  for (let round = 0; round < 20 && (await patiently('GET', ELECTED)) !== name; round += 1) {
    const others = hostsOf(['indexer']).filter((host) => host.name !== name);
    await patiently('POST', `${EXCLUSIONS}?node_names=${others.map((host) => host.name).join(',')}`);
    await pause(500);
    await patiently('DELETE', `${EXCLUSIONS}?wait_for_removal=false`);
  }
  if ((await patiently('GET', ELECTED)) !== name) throw new Error(`${name} was not elected`);
}

const EXCLUSIONS = '/_cluster/voting_config_exclusions';
const ELECTED = '/_cat/cluster_manager?h=node';

async function patiently(method: string, path: string): Promise<string> {
  for (let tries = 1; ; tries += 1) {
    try {
      return String(await ask(method, path)).trim();
    } catch (error) {
      if (tries === 60) throw error;
      await pause(1_000);
    }
  }
}

function toAnswer(status: number, text: string): Answer {
  try {
    return { status, text, json: JSON.parse(text) as unknown };
  } catch {
    return { status, text, json: undefined };
  }
}
