import type { Target } from '../machines/http/dial.js';
import type { HttpClient } from '../machines/http/http-client.js';
import type { ModelPlatform } from './simulation.js';

/**
 * The HTTP client of a model: simulated servers answer instead of a network, so that routing, signing in, paging and judging
 * are the very code that real endpoints meet.
 */
export function createModelHttpClient(platform: Pick<ModelPlatform, 'send' | 'fetch'>): HttpClient {
  return {
    async send({ target: { host, port }, method, path, headers, body }) {
      const answer = await platform.send({ host, port, method, path, headers, body: body ?? '' });
      return answer.is === 'answered' ? { ...answer, cut: false } : answer;
    },
    async stream({ target, path }) {
      const got = await platform.fetch(`${target.tls ? 'https' : 'http'}://${hostPort(target)}${path}`);
      if (got === null) return { is: 'unreachable', reason: `${hostPort(target)} has a name that cannot be resolved` };
      const bytes = Buffer.from(got.latin1, 'latin1');
      const headers = { 'content-type': got.contentType, 'content-length': String(bytes.length) };
      return { is: 'streaming', status: got.status, headers, body: inOnePiece(bytes) };
    },
    close: () => Promise.resolve(),
  };
}

const hostPort = ({ host, port, tls }: Target): string => (port === (tls ? 443 : 80) ? host : `${host}:${port}`);

function inOnePiece(bytes: Buffer): AsyncIterable<Uint8Array> & { destroy(): unknown } {
  return {
    // eslint-disable-next-line @typescript-eslint/require-await
    async *[Symbol.asyncIterator]() {
      yield bytes;
    },
    destroy: () => undefined,
  };
}
