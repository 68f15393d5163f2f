import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import {
  createManagement,
  handleManagementRequest,
  type ManagementState,
} from '../../../../engine/platforms/security-monitoring/simulator/management-api.js';
import { beDaemon } from '../common/daemon.js';
import { at, installedVersion } from '../common/home.js';
import { serve } from '../common/https.js';
import { allOrders, noteOrder } from './agent-registry.js';
import { agentRecords } from './agent-records.js';

/** How long the daemons take after a start, as the API sees it. */
const warmUpMs = 6000;
const needed = ['platform-analysisd', 'platform-remoted', 'platform-modulesd', 'platform-clusterd'];

const log = beDaemon('platform-apid');
const [user = '', password = ''] = readFileSync(at('api/configuration/credentials'), 'utf8').trim().split(/:(.*)/s);
const readyAtMs = Date.now() + warmUpMs;
let state = firstState();

/** The management API: the model's own answers, over TLS, about this host's daemons and the agents it hears from. */
serve(
  {
    port: 55000,
    cert: readFileSync(at('api/ssl/server.crt'), 'utf8'),
    key: readFileSync(at('api/ssl/server.key'), 'utf8'),
  },
  ({ method, url, headers, body }, answer) => {
    const atMs = Date.now();
    const query = Object.fromEntries(url.searchParams);
    const known: ManagementState = {
      ...state,
      readyAtMs: needed.every(runs) ? readyAtMs : Infinity,
      agents: agentRecords(state.agents, state.version, atMs),
      agentFiles: query['file_path'] !== undefined && existsSync(query['file_path']) ? [query['file_path']] : [],
    };
    const handled = handleManagementRequest(known, { method, path: url.pathname, query, headers, body, atMs });
    giveOrders({ before: known, after: handled.state, file: query['file_path'], atMs });
    state = handled.state;
    answer.writeHead(handled.response.status, handled.response.headers).end(handled.response.body);
  },
  (reason) => log('ERROR', `Request failed: ${String(reason)}`),
);

function firstState(): ManagementState {
  const seed = {
    version: installedVersion(),
    user,
    password,
    agents: [],
    readyAtMs,
    managerName: hostname(),
    upgradeTakesMs: null,
  };
  const fresh = createManagement(seed);
  return { ...fresh, issued: { ...fresh.issued, tasks: Math.max(0, ...allOrders().map(({ taskId }) => taskId)) } };
}

interface Given {
  readonly before: ManagementState;
  readonly after: ManagementState;
  readonly file: string | undefined;
  readonly atMs: number;
}

/** What the API took on just now becomes an order that the agent gets with its next keepalive. */
function giveOrders({ before, after, file, atMs }: Given): void {
  for (const { id, upgrade } of after.agents) {
    const earlier = before.agents.find((agent) => agent.id === id)?.upgrade?.taskId;
    if (upgrade && upgrade.taskId !== earlier)
      noteOrder({
        id,
        taskId: upgrade.taskId,
        version: upgrade.to,
        atMs,
        status: 'In queue',
        ...(file === undefined ? {} : { file }),
      });
  }
}

function runs(name: string): boolean {
  const file = readdirSync(at('var/run')).find((each) => each.startsWith(`${name}-`));
  return file !== undefined && existsSync(`/proc/${readFileSync(at(`var/run/${file}`), 'utf8').trim()}`);
}
