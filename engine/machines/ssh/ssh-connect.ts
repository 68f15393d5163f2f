import { connect as connectTcp } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Client } from 'ssh2';
import type { Clock } from '../../terms/machine.js';
import { inWords } from '../http/dial.js';
import {
  fingerprintOf,
  judgeKey,
  keyAlgorithms,
  keyTypeOf,
  lineFor,
  type KnownHosts,
  type ShownKey,
} from './known-hosts.js';
import { failed, reached, type Failed, type Reached } from '../machine.js';
import { authHandler, type Attempts, type KeyRing, type SshSecrets } from './ssh-auth.js';
import type { SshTarget } from './ssh-config.js';
import { runsOver } from './ssh-goodbye.js';
import { within } from '../time-limit.js';

export interface ConnectRequest {
  readonly target: SshTarget;
  readonly secrets: SshSecrets;
  readonly keys: KeyRing;
  readonly known: KnownHosts;
  /** A stream to the server where it is not reached straight. */
  readonly through?: Duplex;
  readonly clock: Clock;
  /** Settles when the connection is not wanted any more. */
  readonly givenUp: Promise<Failed>;
}

/** A silent connection is given up after three missed answers: within half a minute an operator reads which host it is. */
const keepalive = { keepaliveInterval: 6_000, keepaliveCountMax: 3 };
/** An operator may be typing a passphrase; sshd itself waits for two minutes. */
const loginLimitMs = 120_000;

/** Connects, judges the host's key by known_hosts, and logs in. */
export async function connectSsh(request: ConnectRequest): Promise<Reached<Client> | ClosedEarly> {
  const { target, clock, givenUp } = request;
  const socket = request.through === undefined ? await openTcp(request) : reached(request.through);
  if (socket.is === 'failed') return socket;
  const { Client } = (await import('ssh2')).default;
  const client = new Client();
  // Many hosts wait for one jump host's end.
  client.setMaxListeners(0);
  runsOver(client, socket.value);
  const attempts: Attempts = { tried: [], problems: [] };
  let refusal: Failed | undefined;

  const ready = new Promise<Reached<Client> | ClosedEarly>((resolve) => {
    client.once('ready', () => resolve(reached(client)));
    client.on('error', (error) => resolve(refusal ?? inSshWords(error, target, attempts)));
    client.once('close', () => resolve(refusal ?? closedEarly(target)));
  });
  const handshake = new Promise<true>((resolve) => client.once('handshake', () => resolve(true)));
  const verify = (key: Buffer): boolean => {
    refusal = judge(request, {
      ...target,
      key,
      ...(target.hostKeyAlias === undefined ? {} : { alias: target.hostKeyAlias }),
    });
    return refusal === undefined;
  };
  client.connect({
    sock: socket.value,
    username: target.user,
    hostVerifier: verify,
    algorithms: {
      serverHostKey: keyAlgorithms(request.known, target.address, target.port, target.hostKeyAlias) as never,
    },
    authHandler: authHandler(target, request.secrets, request.keys, attempts),
    readyTimeout: 0,
    ...keepalive,
  });

  const first = await within(Promise.race([ready, handshake, givenUp]), target.connectTimeoutMs, clock);
  const result = first === true ? await within(Promise.race([ready, givenUp]), loginLimitMs, clock) : first;
  if (result !== 'timeout' && result.is === 'reached') return result;
  client.destroy();
  if (result !== 'timeout') return result;
  return failed(
    'unreachable',
    `${where(target)} did not ${first === true ? 'accept a login' : 'complete the handshake'} in time`,
    'is it sshd that listens there?',
  );
}

async function openTcp({ target, clock, givenUp }: ConnectRequest): Promise<Reached<Duplex>> {
  const socket = connectTcp({ host: target.address, port: target.port, noDelay: true, autoSelectFamily: true });
  const opening = new Promise<Reached<Duplex>>((resolve) => {
    socket.once('connect', () => resolve(reached(socket)));
    socket.once('error', (error) => resolve(failed('unreachable', `${where(target)} ${inWords(error)}`)));
  });
  const opened = await within(Promise.race([opening, givenUp]), target.connectTimeoutMs, clock);
  if (opened !== 'timeout' && opened.is === 'reached') return opened;
  socket.destroy();
  if (opened !== 'timeout') return opened;
  return failed('unreachable', `${where(target)} does not answer within ${target.connectTimeoutMs / 1000} s`);
}

const where = ({ address, port }: SshTarget): string =>
  port === 22 ? address : `${address.includes(':') ? `[${address}]` : address}:${port}`;

/** Why the key that a host shows is not accepted; undefined when it is. */
function judge(request: ConnectRequest, shown: ShownKey): Failed | undefined {
  const verdict = judgeKey(request.known, shown);
  const key = `${keyTypeOf(shown.key)} ${fingerprintOf(shown.key)}`;
  const at = where(request.target);
  const file = request.target.knownHostsFiles[0] ?? 'known_hosts';
  switch (verdict.is) {
    case 'known':
      return undefined;
    case 'unknown':
      return failed(
        'no-access',
        `the host key of ${at} is not known: ${key}`,
        `compare it with the host's own, then add to ${file}: ${lineFor(shown)}`,
      );
    case 'changed':
      return failed(
        'no-access',
        `the host key of ${at} is not the known one (${verdict.at}): it shows ${key}`,
        `the connection may be intercepted; only if the host was reinstalled, replace that line with: ${lineFor(shown)}`,
      );
    case 'revoked':
      return failed(
        'no-access',
        `the host key of ${at} is revoked (${verdict.at}): ${key}`,
        'the host needs a new key',
      );
    case 'certified':
      return failed(
        'no-access',
        `${at} is known by a certificate authority only (${verdict.at}), and host certificates are not understood here`,
        `compare its key ${key} with the host's own, then add to ${file}: ${lineFor(shown)}`,
      );
  }
}

/** The other end closed the connection before the login: it may be busy, so one more attempt is worth while. */
export interface ClosedEarly extends Failed {
  readonly early: true;
}

const closedEarly = (target: SshTarget): ClosedEarly => ({
  ...failed(
    'unreachable',
    `${where(target)} closed the connection before the login`,
    'sshd does so when too many log in at once (MaxStartups), or when it has banned this address',
  ),
  early: true,
});

/** What an error of ssh2 means. */
function inSshWords(error: Error & { level?: string; code?: string }, target: SshTarget, attempts: Attempts): Failed {
  if (error.level === 'client-authentication' || /authentication fail/i.test(error.message)) {
    const tried = attempts.tried.length === 0 ? 'there was nothing to try' : `tried ${attempts.tried.join(', ')}`;
    const problems = attempts.problems.length === 0 ? '' : `; ${attempts.problems.join('; ')}`;
    return failed(
      'no-access',
      `${target.user} may not log in to ${where(target)}: ${tried}${problems}`,
      'check ssh.user, ssh.key, ssh.password or the agent',
    );
  }
  if (/no matching/i.test(error.message))
    return failed('unreachable', `${where(target)} and this program have no algorithm in common: ${error.message}`);
  // Its ciphers are WebAssembly, which reserves far more address space than it uses.
  if (/WebAssembly/.test(error.message))
    return failed(
      'unreachable',
      `${where(target)} was not tried: this machine gives the program too little address space`,
      'raise the limit to at least 16 GiB: ulimit -v',
    );
  if (/ended|lost before|ECONNRESET/i.test(`${error.message}${error.code ?? ''}`)) return closedEarly(target);
  return failed(
    'unreachable',
    `${where(target)} ${error.code === undefined ? `cannot be used: ${error.message}` : inWords(error)}`,
    ...(error.code === undefined ? ['is it sshd that listens there?'] : []),
  );
}
