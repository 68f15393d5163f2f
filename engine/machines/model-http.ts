import { standing } from '../model/faults.js';
import { fetchUrl } from '../model/downloads.js';
import { serveRequest, servedAt } from '../model/servers.js';
import type { HostState, PlatformState } from '../model/state.js';
import type { Target } from './dial.js';
import type { HttpClient, HttpResult } from './http-client.js';
import type { ModelClock } from './model-clock.js';

/** What a request costs in virtual time, milliseconds: only one that may change something lets time pass. */
const REQUEST_MS = 50;

/**
 * The HTTP client of a model: the platform's servers answer instead of a network, so that routing, signing in, paging and judging
 * are the very code that real endpoints meet.
 */
export function createModelHttpClient(state: PlatformState, clock: ModelClock): HttpClient {
  return {
    async send({ target, method, path, headers, body }) {
      const result = route(state, target, { method, path, headers, body: body ?? '' });
      if (method !== 'GET') await clock.until(state.nowMs + REQUEST_MS);
      return result;
    },
    stream({ target, path }) {
      const got = fetchUrl(state, `${target.tls ? 'https' : 'http'}://${hostPort(target)}${path}`);
      if (got === undefined) return Promise.resolve({ is: 'unreachable', reason: `${hostPort(target)} has a name that cannot be resolved` });
      const bytes = Buffer.from(got.latin1, 'latin1');
      const headers = { 'content-type': got.contentType, 'content-length': String(bytes.length) };
      return Promise.resolve({ is: 'streaming', status: got.status, headers, body: bodyOf(bytes) });
    },
    close: () => Promise.resolve(),
  };
}

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

function route(state: PlatformState, target: Target, { method, path, headers, body }: Asked): HttpResult {
  const at = hostAt(state, target);
  if (at === undefined) return { is: 'unreachable', reason: `${hostPort(target)} has a name that cannot be resolved` };
  if (standing(state, 'unreachable', (f) => f.host === at.name) !== undefined) return { is: 'unreachable', reason: `${hostPort(target)} cannot be reached (no route)` };
  const served = servedAt(state, at, target.port);
  const { pathname, searchParams } = new URL(`http://any${path}`);
  const answered = served === undefined ? undefined : serveRequest(state, at, served, { method, path: pathname, query: Object.fromEntries(searchParams), headers, body });
  return answered === undefined ? { is: 'unreachable', reason: `${hostPort(target)} refuses connections` } : { is: 'answered', cut: false, ...answered };
}

/** The host with this address or name; an address that is no host's is a balancer's, before the first that listens there. */
function hostAt(state: PlatformState, { host, port }: Target): HostState | undefined {
  const hosts = Object.values(state.hosts);
  const own = hosts.find((h) => h.address === host || h.name === host);
  return own ?? hosts.find((h) => servedAt(state, h, port) !== undefined);
}

const hostPort = ({ host, port, tls }: Target): string => (port === (tls ? 443 : 80) ? host : `${host}:${port}`);

/** A body in one piece; a destroyed one ends. */
function bodyOf(bytes: Buffer): AsyncIterable<Uint8Array> & { destroy(): unknown } {
  return {
    // eslint-disable-next-line @typescript-eslint/require-await
    async *[Symbol.asyncIterator]() {
      yield bytes;
    },
    destroy: () => undefined,
  };
}
