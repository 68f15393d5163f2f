import { existsSync, readdirSync, readFileSync } from 'node:fs';
import {
  createServer as createPlain,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http';
import { createServer as createSecure } from 'node:https';
import {
  answerOf,
  apiHostsIn,
  listApiHosts,
  type ApiHost,
  type Tried,
} from '../../../../engine/platforms/security-monitoring/simulator/dashboard-connection.js';
import { ask } from '../common/https.js';
import { replace, textOf } from '../common/home.js';
import { readSettings } from './settings.js';
import { exportObjects, importObjects, type Answer, type SavedObject } from './saved-objects.js';

/** The page that the real one shows for this long at the least, while it migrates its index. */
const migrationMs = 4000;
const retryMs = 1000;
const apiConfig = '/usr/share/platform-dashboard/data/platform/config/platform.yml';
const store = '/var/lib/platform-dashboard/saved-objects.json';

process.title = 'platform-dashboard';
const { version } = JSON.parse(readFileSync('/usr/share/platform-dashboard/VERSION.json', 'utf8')) as {
  version: string;
};
const settings = settingsOf(process.argv[process.argv.indexOf('-c') + 1] ?? '');
const indexers = [settings.get('opensearch.hosts') ?? []].flat().map(String);
let ready = false;

checkPlugins('/usr/share/platform-dashboard');
listen();
setTimeout(() => void waitForIndexer(), migrationMs);

function settingsOf(path: string): Map<string, unknown> {
  try {
    return readSettings(readFileSync(path, 'utf8'));
  } catch (reason) {
    return fatal(reason);
  }
}

/** As the real one: it starts with no plug-in that was built for another engine. */
function checkPlugins(home: string): void {
  const { version: engine } = JSON.parse(readFileSync(`${home}/package.json`, 'utf8')) as { version: string };
  for (const name of readdirSync(`${home}/plugins`)) {
    const path = `${home}/plugins/${name}/opensearch_dashboards.json`;
    if (!existsSync(path)) continue;
    const built = (JSON.parse(readFileSync(path, 'utf8')) as { opensearchDashboardsVersion?: string })
      .opensearchDashboardsVersion;
    if (built !== engine)
      fatal(
        `Plugin "${name}" is only compatible with OpenSearch Dashboards version "${built ?? ''}", but used OpenSearch Dashboards version is "${engine}".`,
      );
  }
}

/** Serves at once, with TLS unless it is switched off; a key or certificate that is not there ends the process. */
function listen(): void {
  const handle: RequestListener = (asked, answer) => {
    respond(asked, answer).catch((reason: unknown) => {
      console.error(`error  ${String(reason)}`);
      if (!answer.headersSent) answer.writeHead(500);
      answer.end();
    });
  };
  try {
    const server =
      settings.get('server.ssl.enabled') === true
        ? createSecure(
            {
              key: readFileSync(text('server.ssl.key') ?? ''),
              cert: readFileSync(text('server.ssl.certificate') ?? ''),
            },
            handle,
          )
        : createPlain(handle);
    server.on('error', fatal);
    server.listen(Number(settings.get('server.port') ?? 5601), text('server.host') ?? 'localhost');
  } catch (reason) {
    fatal(reason);
  }
}

function text(name: string): string | undefined {
  const value = settings.get(name);
  return typeof value === 'string' ? value : undefined;
}

function fatal(reason: unknown): never {
  console.error(` FATAL  ${String(reason)}`);
  process.exit(1);
}

/** Ready only when an indexer answers, as the real one must read and migrate its own index first. */
async function waitForIndexer(): Promise<void> {
  for (const host of indexers) {
    try {
      if ((await ask(host, { method: 'GET' })).status !== 503) {
        ready = true;
        console.log(`info  Server is ready: ${host} answers.`);
        return;
      }
    } catch (reason) {
      console.error(`error  [ConnectionError]: ${host}: ${String(reason)}`);
    }
  }
  setTimeout(() => void waitForIndexer(), retryMs);
}

async function respond(asked: IncomingMessage, answer: ServerResponse): Promise<void> {
  const url = new URL(asked.url ?? '/', 'https://localhost');
  const send = ({ status, type, body }: Answer): void =>
    void answer.writeHead(status, { 'content-type': type, 'osd-name': 'dashboard' }).end(body);
  const route = `${asked.method ?? 'GET'} ${url.pathname}`;
  if (!ready) send({ status: 503, type: 'text/plain', body: 'Dashboard server is not ready yet' });
  else if (route === 'GET /api/status') send(status());
  else if (route === 'GET /')
    answer.writeHead(302, { location: text('uiSettings.overrides.defaultRoute') ?? '/app/home' }).end();
  else if (route === 'GET /api/opensearch-dashboards/management/saved_objects/_allowed_types')
    send({ status: 200, type: 'application/json', body: JSON.stringify({ types: TYPES }) });
  else if (route === 'GET /hosts/apis' || route === 'POST /api/check-stored-api') send(await apiHosts(asked));
  else if (route.startsWith('POST /api/saved_objects/')) send(await savedObjects(asked, url));
  else
    send({
      status: 404,
      type: 'application/json',
      body: '{"statusCode":404,"error":"Not Found","message":"Not Found"}',
    });
}

/** Types that can be exported and imported. */
const TYPES = ['config', 'url', 'index-pattern', 'query', 'dashboard', 'visualization', 'search', 'map'];

function status(): Answer {
  const overall = { state: 'green', title: 'Green', nickname: 'Looking good', icon: 'success' };
  const body = {
    name: 'dashboard',
    version: { number: version, build_snapshot: false },
    status: { overall, statuses: [] },
  };
  return { status: 200, type: 'application/json', body: JSON.stringify(body) };
}

/** The management APIs that it is configured with, or a try of one of them: the model's own answers. */
async function apiHosts(asked: IncomingMessage): Promise<Answer> {
  const isTry = asked.method === 'POST';
  if (isTry && asked.headers['osd-xsrf'] === undefined) return refuse(400, 'Request must contain a osd-xsrf header.');
  if (!(await isUser(asked.headers.authorization))) return refuse(401, 'Authentication required');
  const hosts = apiHostsIn(textOf(apiConfig) ?? '');
  const { id } = isTry ? (JSON.parse(await bodyOf(asked)) as { id?: string }) : {};
  const named = hosts.find((one) => one.id === id);
  const tried = named === undefined ? 'refused' : await tryApi(named);
  const { status, body } = isTry ? answerOf(named, tried) : listApiHosts(hosts);
  return { status, type: 'application/json', body };
}

/** Signs in as the dashboard's own user, and asks for the manager's version. */
async function tryApi(api: ApiHost): Promise<Tried> {
  const at = `${api.url}:${api.port}`;
  try {
    const authorization = `${api.username}:${api.password}`;
    const token = await ask(`${at}/security/user/authenticate?raw=true`, { method: 'POST', authorization });
    if (token.status !== 200) return { ...token, body: token.body.toString() };
    const headers = { authorization: `Bearer ${token.body.toString()}` };
    const info = await ask(`${at}/manager/info`, { method: 'GET', headers });
    return { ...info, body: info.body.toString() };
  } catch {
    return 'refused';
  }
}

const refuse = (code: number, message: string): Answer => ({
  status: code,
  type: 'application/json',
  body: JSON.stringify({ statusCode: code, message }),
});

async function bodyOf(asked: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of asked as AsyncIterable<Buffer>) parts.push(part);
  return Buffer.concat(parts).toString('utf8');
}

async function savedObjects(asked: IncomingMessage, url: URL): Promise<Answer> {
  if (asked.headers['osd-xsrf'] === undefined) return refuse(400, 'Request must contain a osd-xsrf header.');
  if (!(await isUser(asked.headers.authorization))) return refuse(401, 'Authentication required');
  const body = await bodyOf(asked);
  const all = JSON.parse(textOf(store) ?? '[]') as SavedObject[];
  if (url.pathname.endsWith('/_export')) return exportObjects(all, body);
  if (!url.pathname.endsWith('/_import')) return refuse(404, 'Not Found');
  const { answer, objects } = importObjects(all, body, url.searchParams.get('overwrite') === 'true');
  replace(store, JSON.stringify(objects));
  return answer;
}

/** The indexer knows the users: whoever it lets in may export and import. */
async function isUser(authorization: string | undefined): Promise<boolean> {
  if (authorization === undefined || indexers[0] === undefined) return false;
  return (await ask(indexers[0], { method: 'GET', headers: { authorization } })).status === 200;
}
