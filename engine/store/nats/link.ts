import { setTimeout as sleep } from 'node:timers/promises';
import {
  jetstream,
  jetstreamManager,
  JetStreamApiError,
  type JetStreamClient,
  type JetStreamManager,
  type StoredMsg,
} from '@nats-io/jetstream';
import { connect, errors, headers, type NatsConnection } from '@nats-io/transport-node';
import { StoreUnavailable, type StoreCode } from '../run-store.js';
import { connectionOptions, limitOf, type NatsOptions } from './options.js';

/** How long one request waits for its answer: a server that died will not answer, another may. Milliseconds. */
const REQUEST_MS = 2_000;
const FIRST_PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 500;

/** A message's place in its stream; 0: there is no message. */
export type Sequence = number;

/** One connection to the servers of a store. */
export interface Link {
  readonly js: JetStreamClient;
  readonly manager: JetStreamManager;
  /** What is tried, with the name and the servers of the store. */
  readonly named: (what: string) => string;
  /** The largest message, bytes. */
  readonly maxBytes: () => number;
  /** Of the server that is connected. */
  readonly serverVersion: () => string;
  /** Repeats what did not get an answer, until the limit. Throws StoreUnavailable. */
  readonly persist: <T>(what: string, attempt: (timeoutMs: number) => Promise<T>) => Promise<T>;
  /** The last message of a subject, as the stream's leader has it. */
  readonly last: (what: string, stream: string, subject: string) => Promise<StoredMsg | undefined>;
  /** Sends a message that the stream takes only where the subject's last message is the expected one (absent: whichever). */
  readonly publish: (what: string, message: Message) => Promise<Published>;
  readonly close: () => Promise<void>;
}

export interface Message {
  readonly stream: string;
  readonly subject: string;
  readonly body: Buffer;
  readonly headers?: Readonly<Record<string, string>>;
  readonly after?: Sequence;
}

/** `stale`: another message is the last one. */
type Published = { readonly is: 'stored'; readonly seq: Sequence } | { readonly is: 'stale' };

/** A connection, and how what is asked over it is repeated. Throws StoreUnavailable. */
export async function openConnection(
  options: NatsOptions,
): Promise<Pick<Link, 'named' | 'persist'> & { readonly connection: NatsConnection }> {
  const limitMs = limitOf(options);
  const named = (what: string): string => `${what} (store ${options.store} on ${options.servers.join(', ')})`;
  const settings = connectionOptions(options);
  let closedBy: unknown;
  const persist: Link['persist'] = (what, attempt) =>
    repeat(limitMs, named(what), attempt, (error) => closedBy ?? error);
  const connection = await persist('connect', (timeout) => connect({ ...settings, timeout }));
  void connection.closed().then((error) => (closedBy = error ?? undefined));
  return { connection, named, persist };
}

export async function openLink(options: NatsOptions): Promise<Link> {
  const { connection, named, persist } = await openConnection(options);
  const js = jetstream(connection, { timeout: REQUEST_MS });
  const manager = await persist('connect', (timeout) => jetstreamManager(connection, { timeout, checkAPI: false }));
  /** While no server is connected, what the last one took. */
  let maxBytes = Number.POSITIVE_INFINITY;
  return {
    js,
    manager,
    named,
    persist,
    last: (what, stream, subject) => persist(what, () => lastOnce(manager, stream, subject)),
    maxBytes: () => (maxBytes = connection.info?.max_payload ?? maxBytes),
    serverVersion: () => connection.info?.version ?? '',
    publish: (what, message) => persist(what, (timeout) => publishOnce(js, manager, message, timeout)),
    close: () => connection.close(),
  };
}

const lastOnce = async (manager: JetStreamManager, stream: string, subject: string): Promise<StoredMsg | undefined> =>
  (await manager.streams.getMessage(stream, { last_by_subj: subject })) ?? undefined;

async function publishOnce(
  js: JetStreamClient,
  manager: JetStreamManager,
  { stream, subject, body, after, headers: given = {} }: Message,
  timeout: number,
): Promise<Published> {
  const header = headers();
  for (const [name, value] of Object.entries(given)) header.set(name, value);
  const expect = { streamName: stream, ...(after === undefined ? {} : { lastSubjectSequence: after }) };
  try {
    const { seq } = await js.publish(subject, body, { headers: header, timeout, retries: 1, expect });
    return { is: 'stored', seq };
  } catch (error) {
    if (!isStale(error)) throw error;
    // Also refused while an earlier message is on its way to the replicas; that one may yet be dropped.
    if (((await lastOnce(manager, stream, subject))?.seq ?? 0) === after) throw error;
    return { is: 'stale' };
  }
}

/** "wrong last sequence", and the same before the last message is known. */
const isStale = (error: unknown): boolean =>
  error instanceof JetStreamApiError && (error.code === 10071 || error.code === 10164);

async function repeat<T>(
  limitMs: number,
  tried: string,
  attempt: (timeoutMs: number) => Promise<T>,
  reasonOf: (error: unknown) => unknown,
): Promise<T> {
  const startMs = performance.now();
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
    try {
      return await attempt(REQUEST_MS);
    } catch (error) {
      if (error instanceof StoreUnavailable || error instanceof TypeError) throw error;
      const reason = reasonOf(error);
      const afterMs = performance.now() - startMs;
      const refused = refusalOf(reason);
      if (refused !== undefined || afterMs + pauseMs + REQUEST_MS > limitMs)
        throw new StoreUnavailable(refused ?? 'unreachable', tried, textOf(reason), afterMs);
      await sleep(pauseMs);
    }
  }
}

const textOf = (error: unknown): string => (error instanceof Error ? error.message || error.name : String(error));

/** Why no repeat can help; undefined where one may. */
function refusalOf(error: unknown): StoreCode | undefined {
  if (error instanceof JetStreamApiError) return FULL.has(error.code) || isAtLimit(error) ? 'full' : undefined;
  if (NOT_PERMITTED.some((kind) => error instanceof kind)) return 'not-permitted';
  if (typeof error !== 'object' || error === null) return undefined;
  const { code, cause } = error as NodeJS.ErrnoException;
  if (/^ERR_TLS_|CERT|LEAF_SIGNATURE/.test(code ?? '')) return 'not-trusted';
  return refusalOf(cause);
}

const NOT_PERMITTED = [
  errors.AuthorizationError,
  errors.PermissionViolationError,
  errors.UserAuthenticationExpiredError,
];

/** The limits of the account and of the server's storage. */
const FULL: ReadonlySet<number> = new Set([10002, 10028, 10047]);

/** "store failed", for a limit of the stream. */
const isAtLimit = ({ code, message }: JetStreamApiError): boolean => code === 10077 && message.includes('maximum');
