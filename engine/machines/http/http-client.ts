import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Dispatcher, Pool } from 'undici';
import type { Clock } from '../../terms/machine.js';
import { dial, DialError, inWords, type Target } from './dial.js';
import { within } from '../time-limit.js';
import type { Tunnel } from '../ssh/tunnel.js';

export interface HttpSend {
  readonly target: Target;
  readonly method: string;
  /** Path and query, encoded. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly timeoutMs: number;
  /** Over a new connection: a kept one may be half closed, and then it is not known whether the request arrived. */
  readonly fresh: boolean;
}

/** `lost`: it was sent, or may have been, and there is no answer. `cut`: the body is longer than the limit. */
export type HttpResult =
  | {
      readonly is: 'answered';
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
      readonly body: string;
      readonly cut: boolean;
    }
  | { readonly is: 'unreachable'; readonly reason: string }
  | { readonly is: 'untrusted'; readonly reason: string; readonly hint: string }
  | { readonly is: 'lost'; readonly why: 'connection' | 'timeout'; readonly detail: string };

/** A stream as it arrives, for what is too large to hold. */
export type Streamed =
  | {
      readonly is: 'streaming';
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
      readonly body: AsyncIterable<Uint8Array> & { destroy(): unknown };
    }
  | Exclude<HttpResult, { is: 'answered' }>;

export interface HttpClient {
  /** One request, answered in full. Follows no redirect. Never rejects. */
  send(request: HttpSend): Promise<HttpResult>;
  /** One request over a connection of its own; `timeoutMs` is the limit to the head, and between two pieces of the body. */
  stream(request: Omit<HttpSend, 'fresh'>): Promise<Streamed>;
  close(): Promise<void>;
}

const connectLimitMs = 15_000;
const keepMs = 10_000;
/** Beside one another to one address; more would only queue in the server. */
const mostConnections = 4;

/** HTTP over undici, which is loaded with the first request: TLS judged by `Trust`, straight or through a tunnel. */
export function createHttpClient({
  tunnel,
  clock,
  largestBodyBytes = 64 * 1024 * 1024,
}: {
  readonly tunnel?: Tunnel | undefined;
  readonly clock: Clock;
  readonly largestBodyBytes?: number;
}): HttpClient {
  const poolOf = new Map<string, Promise<Pool>>();
  const closing = new AbortController();

  async function open(
    target: Target,
    connections: number,
    bodyLimitMs: number,
    onConnected: () => void,
  ): Promise<Pool> {
    const { Pool } = await import('undici');
    const url = new URL(`${target.tls ? 'https' : 'http'}://placeholder`);
    url.hostname = target.host.includes(':') ? `[${target.host}]` : target.host;
    url.port = String(target.port);
    return new Pool(url.origin, {
      connections,
      pipelining: 1,
      keepAliveTimeout: keepMs,
      keepAliveMaxTimeout: keepMs,
      headersTimeout: 0,
      bodyTimeout: bodyLimitMs,
      connect: (_options, done) => {
        connect(target).then(
          (socket) => {
            onConnected();
            // undici asks no more of it than a byte stream gives, whatever its types say.
            // eslint-disable-next-line @typescript-eslint/no-unsafe-class-instance-assignment
            done(null, socket as Socket);
          },
          (error: unknown) => done(error instanceof Error ? error : new Error(String(error)), null),
        );
      },
    });
  }

  async function connect(target: Target): Promise<Duplex> {
    const stop = new AbortController();
    const end = (): void => stop.abort();
    closing.signal.addEventListener('abort', end, { once: true });
    try {
      const dialling = dial(target, tunnel, stop.signal);
      const socket = await within(dialling, connectLimitMs, clock);
      if (socket !== 'timeout') return socket;
      stop.abort();
      dialling.then(
        (late) => late.destroy(),
        () => undefined,
      );
      throw new DialError(
        'unreachable',
        `${target.host}:${target.port} does not answer within ${connectLimitMs / 1000} s`,
      );
    } finally {
      closing.signal.removeEventListener('abort', end);
    }
  }

  const keep = (target: Target): Promise<Pool> => {
    const key = JSON.stringify(target);
    const pool = poolOf.get(key) ?? open(target, mostConnections, 0, () => undefined);
    poolOf.set(key, pool);
    return pool;
  };

  async function send(request: HttpSend): Promise<HttpResult> {
    let connected = !request.fresh;
    const pool = await (request.fresh ? open(request.target, 1, 0, () => (connected = true)) : keep(request.target));
    const stop = new AbortController();
    try {
      const answer = await within(
        ask(pool, { ...request, largestBodyBytes }, stop.signal, () => connected),
        request.timeoutMs,
        clock,
      );
      if (answer !== 'timeout') return answer;
      const detail = `${request.target.host}:${request.target.port} did not answer within ${request.timeoutMs / 1000} s`;
      return connected ? { is: 'lost', why: 'timeout', detail } : { is: 'unreachable', reason: detail };
    } finally {
      stop.abort();
      if (request.fresh) void pool.destroy().catch(() => undefined);
    }
  }

  async function stream(request: Omit<HttpSend, 'fresh'>): Promise<Streamed> {
    const pool = await open(request.target, 1, request.timeoutMs, () => undefined);
    const stop = new AbortController();
    const head = await within(begin(pool, request, stop.signal), request.timeoutMs, clock);
    const end = (): void => void pool.destroy().catch(() => undefined);
    if (head === 'timeout' || !('statusCode' in head)) {
      stop.abort();
      end();
      return head === 'timeout'
        ? {
            is: 'unreachable',
            reason: `${request.target.host}:${request.target.port} did not answer within ${request.timeoutMs / 1000} s`,
          }
        : head;
    }
    head.body.once('close', end);
    // Whoever reads it learns of an error there; whoever throws it away need not.
    head.body.on('error', () => undefined);
    return { is: 'streaming', status: head.statusCode, headers: flat(head.headers), body: head.body };
  }

  return {
    send,
    stream,
    async close() {
      closing.abort();
      const pools = [...poolOf.values()];
      poolOf.clear();
      await Promise.all(pools.map(async (pool) => (await pool).destroy().catch(() => undefined)));
    },
  };
}

const flat = (headers: Dispatcher.ResponseData['headers']): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, v]) =>
      v === undefined ? [] : [[name, Array.isArray(v) ? v.join(', ') : v]],
    ),
  );

type Begun = Dispatcher.ResponseData | Exclude<HttpResult, { is: 'answered' }>;

async function begin(
  pool: Pool,
  request: Omit<HttpSend, 'fresh'>,
  signal: AbortSignal,
  isConnected: () => boolean = () => true,
): Promise<Begun> {
  try {
    return await pool.request({
      method: request.method,
      path: request.path,
      headers: { 'user-agent': 'runbook', ...request.headers },
      body: request.body ?? null,
      signal,
    });
  } catch (error) {
    return notBegun(error, request.target, isConnected());
  }
}

function notBegun(error: unknown, { host, port }: Target, connected: boolean): Exclude<HttpResult, { is: 'answered' }> {
  if (error instanceof DialError) {
    return error.kind === 'untrusted'
      ? { is: 'untrusted', reason: error.reason, hint: error.hint ?? '' }
      : { is: 'unreachable', reason: error.reason };
  }
  const detail = `${host}:${port} ${answeredWords(error) ?? inWords(error)}`;
  return connected ? { is: 'lost', why: 'connection', detail } : { is: 'unreachable', reason: detail };
}

/** Of an answer that is none, in words that follow the server's name. */
function answeredWords(error: unknown): string | undefined {
  const { code = '', name } = error as Error & { readonly code?: string };
  if (code === 'UND_ERR_SOCKET') return 'closed the connection before it answered';
  if (code === 'UND_ERR_HEADERS_OVERFLOW') return 'sends more headers than are read';
  if (code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH') return 'sends another number of bytes than it announces';
  return name === 'HTTPParserError' ? 'sends what is no HTTP' : undefined;
}

async function ask(
  pool: Pool,
  request: HttpSend & { readonly largestBodyBytes: number },
  signal: AbortSignal,
  isConnected: () => boolean,
): Promise<HttpResult> {
  const head = await begin(pool, request, signal, isConnected);
  if (!('statusCode' in head)) return head;
  try {
    const { text, cut } = await readBounded(head.body, request.largestBodyBytes);
    return { is: 'answered', status: head.statusCode, headers: flat(head.headers), body: text, cut };
  } catch (error) {
    return notBegun(error, request.target, true);
  }
}

async function readBounded(
  body: AsyncIterable<Uint8Array>,
  most: number,
): Promise<{ readonly text: string; readonly cut: boolean }> {
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const chunk of body) {
    if (sizeBytes + chunk.length > most) return { text: Buffer.concat(chunks).toString('utf8'), cut: true };
    chunks.push(chunk);
    sizeBytes += chunk.length;
  }
  return { text: Buffer.concat(chunks).toString('utf8'), cut: false };
}
