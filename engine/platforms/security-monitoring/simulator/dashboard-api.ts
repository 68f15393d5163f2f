import { textAt } from '../../../simulator/files.js';
import { healthOf } from './health.js';
import { answerOf, apiHostsIn, listApiHosts, type ApiHost, type Tried } from './dashboard-connection.js';
import { basicOf, headerOf, jsonAnswer, textAnswer, type HttpAsk, type HttpResponse } from './management-answer.js';
import { apiConfigOf } from './packages/dashboard.js';
import { releaseOf } from './packages/release.js';
import type { HostState, PlatformState, SavedObject } from './state.js';

/** Sends a request to what listens on a host's port; undefined: nothing does. */
type Send = (to: HostState, port: number, request: HttpAsk) => HttpResponse | undefined;

/**
 * The web interface's own calls: `/api/status`, the saved objects out and in (§9.3.5, §9.6.6), and its connection to the management API.
 * Effects are in the state.
 */
export function handleDashboardRequest(
  state: PlatformState,
  host: HostState,
  request: HttpAsk,
  send: Send,
): HttpResponse {
  const service = host.services[state.names.dashboard.service];
  const indexerThere = state.cluster.elected !== null && state.cluster.securityInitialised;
  if (service === undefined || state.nowMs < service.readyAtMs || !indexerThere)
    return textAnswer(503, 'OpenSearch Dashboards server is not ready yet');
  const route = `${request.method} ${request.path}`;
  if (route === 'GET /api/status') return status(state, host, releaseOf(service.runs));
  const isTypes = route === `GET ${ALLOWED}` && state.savedTypes !== null;
  if (!isTypes && ![ACCOUNT, API_HOSTS, API_CHECK].includes(route) && !route.startsWith('POST /api/saved_objects/'))
    return jsonAnswer(404, { statusCode: 404, error: 'Not Found', message: 'Not Found' });
  const given = basicOf(request.headers);
  const { user, password } = state.cluster;
  if (given?.user !== user || (password !== null && given.password !== password))
    return jsonAnswer(401, { statusCode: 401, error: 'Unauthorized', message: 'Authentication required' });
  if (isTypes) return jsonAnswer(200, { types: state.savedTypes });
  if (route === ACCOUNT) return jsonAnswer(200, { data: { user_name: user, is_reserved: true, roles: ['admin'] } });
  const apiHosts = apiHostsIn(textAt(host, apiConfigOf(state.names)) ?? '');
  if (route === API_HOSTS) return listApiHosts(apiHosts);
  if (headerOf(request.headers, 'osd-xsrf') === undefined) {
    return jsonAnswer(400, {
      statusCode: 400,
      error: 'Bad Request',
      message: 'Request must contain a osd-xsrf header.',
    });
  }
  if (route === API_CHECK) {
    const { id } = JSON.parse(request.body) as { id?: string };
    const named = apiHosts.find((one) => one.id === id);
    return answerOf(named, named === undefined ? 'refused' : tryApi(state, named, request, send));
  }
  if (request.path.endsWith('/_export')) return exportObjects(state, host, request);
  if (request.path.endsWith('/_import')) return importObjects(state, host, request);
  return jsonAnswer(404, { statusCode: 404, error: 'Not Found', message: 'Not Found' });
}

/** Who is signed in: the security plug-in's own answer. */
const ACCOUNT = 'GET /api/v1/configuration/account';
const ALLOWED = '/api/opensearch-dashboards/management/saved_objects/_allowed_types';

const API_HOSTS = 'GET /hosts/apis';
const API_CHECK = 'POST /api/check-stored-api';

/** Signs in as the dashboard's own user, and asks for the manager's version. */
function tryApi(state: PlatformState, api: ApiHost, { atMs }: HttpAsk, send: Send): Tried {
  const to = Object.values(state.hosts).find(({ address }) => api.url === `https://${address}`);
  if (to === undefined) return 'refused';
  const ask = (method: string, path: string, authorization: string, query = {}): HttpResponse | undefined =>
    send(to, api.port, { method, path, query, headers: { authorization }, body: '', atMs });
  const basic = Buffer.from(`${api.username}:${api.password}`).toString('base64');
  const token = ask('POST', '/security/user/authenticate', `Basic ${basic}`, { raw: 'true' });
  if (token?.status !== 200) return token ?? 'refused';
  return ask('GET', '/manager/info', `Bearer ${token.body}`) ?? 'refused';
}

function status(state: PlatformState, host: HostState, version: string): HttpResponse {
  const health = healthOf(state).status;
  const overall = health === 'red' ? 'red' : 'green';
  return jsonAnswer(200, {
    name: host.name,
    version: { number: version, build_snapshot: false },
    status: {
      overall: { state: overall, title: overall === 'green' ? 'Green' : 'Red', nickname: 'Looking good' },
      statuses: [],
    },
  });
}

/** Whose objects are meant: by the header, and everybody's where that names none that there is, or tenants are not kept apart. */
function tenantOf(state: PlatformState, host: HostState, request: HttpAsk): string | undefined {
  const config = textAt(host, state.names.dashboard.config) ?? '';
  if (/^opensearch_security\.multitenancy\.enabled: *false/m.test(config)) return undefined;
  const named = headerOf(request.headers, 'securitytenant');
  return named !== undefined && named !== 'global_tenant' && state.cluster.tenants?.includes(named) === true
    ? named
    : undefined;
}

const IMPORT_LIMIT_BYTES = 26_214_400;

function exportObjects(state: PlatformState, host: HostState, request: HttpAsk): HttpResponse {
  const wanted = JSON.parse(request.body === '' ? '{}' : request.body) as { type?: string | string[] };
  const types = wanted.type === undefined ? undefined : [wanted.type].flat();
  const unknown = types?.filter((type) => state.savedTypes?.includes(type) === false) ?? [];
  if (unknown.length > 0)
    return jsonAnswer(400, {
      statusCode: 400,
      error: 'Bad Request',
      message: `Trying to export non-exportable type(s): ${unknown.join(', ')}`,
    });
  const tenant = tenantOf(state, host, request);
  const chosen = state.savedObjects.filter(
    (o) => o.tenant === tenant && (types === undefined || types.includes(o.type)),
  );
  const lines = chosen.map((o) =>
    JSON.stringify({ type: o.type, id: o.id, attributes: JSON.parse(o.attributes) as unknown, references: [] }),
  );
  const summary = JSON.stringify({ exportedCount: chosen.length, missingRefCount: 0, missingReferences: [] });
  return { status: 200, headers: { 'content-type': 'application/ndjson' }, body: [...lines, summary].join('\n') };
}

/** Answers 200 with `success: false` and a conflict for each object that is there already, unless told to overwrite. */
function importObjects(state: PlatformState, host: HostState, request: HttpAsk): HttpResponse {
  if (Buffer.byteLength(request.body) > IMPORT_LIMIT_BYTES)
    return jsonAnswer(413, {
      statusCode: 413,
      error: 'Request Entity Too Large',
      message: `Payload content length greater than maximum allowed: ${IMPORT_LIMIT_BYTES}`,
    });
  const tenant = tenantOf(state, host, request);
  const objects = request.body
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as { type?: string; id?: string; attributes?: unknown })
    .filter((o): o is { type: string; id: string; attributes: unknown } => o.type !== undefined && o.id !== undefined);
  const errors: unknown[] = [];
  let taken = 0;
  for (const { type, id, attributes } of objects) {
    if (state.savedTypes?.includes(type) === false) {
      errors.push({ type, id, error: { type: 'unsupported_type' } });
      continue;
    }
    const at = state.savedObjects.findIndex((o) => o.tenant === tenant && o.type === type && o.id === id);
    const object: SavedObject = {
      type,
      id,
      attributes: JSON.stringify(attributes),
      ...(tenant === undefined ? {} : { tenant }),
    };
    if (at >= 0 && request.query['overwrite'] !== 'true') {
      errors.push({ type, id, error: { type: 'conflict' } });
      continue;
    }
    if (at >= 0) state.savedObjects[at] = object;
    else state.savedObjects.push(object);
    taken += 1;
  }
  return jsonAnswer(200, {
    success: errors.length === 0,
    successCount: taken,
    ...(errors.length === 0 ? {} : { errors }),
  });
}
