import { connect as connectTcp } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect as startTls, type TLSSocket } from 'node:tls';
import { judge, readCa, serverNameFor, type Trust } from '../trust.js';
import type { Tunnel } from '../ssh/tunnel.js';

/** One address of a server, and the way to it. */
export interface Target {
  readonly host: string;
  readonly port: number;
  readonly tls: boolean;
  readonly trust: Trust;
  /** Inventory hosts to go through, the first that can be reached; absent: straight. */
  readonly through?: readonly string[];
}

/** Why there is no connection: nothing was sent. */
export class DialError extends Error {
  constructor(
    readonly kind: 'unreachable' | 'untrusted',
    readonly reason: string,
    readonly hint?: string,
  ) {
    super(reason);
  }
}

/** Opens a connection to a target and, over TLS, judges who is there. Rejects with a `DialError` only. */
export async function dial(target: Target, tunnel: Tunnel | undefined, signal: AbortSignal): Promise<Duplex> {
  const raw =
    target.through === undefined ? await dialTcp(target, signal) : await dialThrough(target, target.through, tunnel);
  return target.tls ? secure(raw, target, signal) : raw;
}

const words: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'refuses connections',
  ECONNRESET: 'closed the connection',
  EHOSTUNREACH: 'cannot be reached (no route)',
  ENETUNREACH: 'cannot be reached (no network)',
  ENOTFOUND: 'has a name that cannot be resolved',
  EAI_AGAIN: 'has a name that cannot be resolved just now',
  ETIMEDOUT: 'does not answer',
  EPIPE: 'closed the connection',
};

/** What an error of a socket means, in words that follow the server's name. */
export function inWords(error: unknown): string {
  const { code = '', message = '' } = error as { readonly code?: string; readonly message?: string };
  if (code === 'ERR_SSL_WRONG_VERSION_NUMBER' || code === 'ERR_SSL_PACKET_LENGTH_TOO_LONG' || code === 'EPROTO')
    return `does not speak TLS on this port (${code})`;
  return words[code] ?? `cannot be reached (${code === '' ? message : code})`;
}

const where = ({ host, port }: Target): string => `${host.includes(':') ? `[${host}]` : host}:${port}`;

function dialTcp(target: Target, signal: AbortSignal): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    const socket = connectTcp({ host: target.host, port: target.port, autoSelectFamily: true, noDelay: true });
    const stop = (): void =>
      void socket.destroy(Object.assign(new Error('no connection in time'), { code: 'ETIMEDOUT' }));
    signal.addEventListener('abort', stop, { once: true });
    socket.once('connect', () => {
      signal.removeEventListener('abort', stop);
      resolve(socket);
    });
    // Stays for the socket's whole life: whoever takes it over adds his own.
    socket.on('error', (error) => {
      reject(new DialError('unreachable', `${where(target)} ${inWords(error)}`));
    });
  });
}

async function dialThrough(target: Target, hosts: readonly string[], tunnel: Tunnel | undefined): Promise<Duplex> {
  if (tunnel === undefined)
    throw new DialError('unreachable', `${where(target)} is behind a host's ssh, and there is none here`);
  const reasons: string[] = [];
  for (const host of hosts) {
    const stream = await tunnel.connect(host, target.host, target.port);
    if (stream.is === 'reached') return stream.value;
    reasons.push(`through ${host}: ${stream.reason}`);
  }
  throw new DialError('unreachable', `${where(target)} cannot be reached ${reasons.join('; ')}`);
}

async function secure(raw: Duplex, target: Target, signal: AbortSignal): Promise<Duplex> {
  const ca = readCa(target.trust);
  if ('reason' in ca) {
    raw.destroy();
    throw new DialError('untrusted', ca.reason, ca.hint);
  }
  const socket = await handshake(raw, target, ca.pem, signal);
  const objection = judge(socket, target.host, target.trust, ca.pem);
  if (objection === undefined) return socket;
  socket.destroy();
  throw new DialError('untrusted', `${where(target)}: ${objection.reason}`, objection.hint);
}

function handshake(raw: Duplex, target: Target, pem: string | undefined, signal: AbortSignal): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const socket = startTls({
      socket: raw,
      servername: serverNameFor(target.host, target.trust),
      ALPNProtocols: ['http/1.1'],
      ...(pem === undefined ? {} : { ca: pem }),
      // It is judged right after the handshake, where a message can say what to write; nothing is sent before.
      rejectUnauthorized: false,
      checkServerIdentity: () => undefined,
    });
    const fail = (error: unknown): void => {
      raw.destroy();
      reject(new DialError('unreachable', `${where(target)} ${inWords(error)}`));
    };
    const stop = (): void =>
      void socket.destroy(Object.assign(new Error('no handshake in time'), { code: 'ETIMEDOUT' }));
    signal.addEventListener('abort', stop, { once: true });
    socket.on('error', fail);
    raw.once('close', () => fail({ code: 'ECONNRESET' }));
    socket.once('secureConnect', () => {
      signal.removeEventListener('abort', stop);
      resolve(socket);
    });
  });
}
