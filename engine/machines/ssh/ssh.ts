import { stat } from 'node:fs/promises';
import type { Duplex } from 'node:stream';
import pLimit, { type LimitFunction } from 'p-limit';
import type { Client } from 'ssh2';
import { getOrCreate } from '../../lib/get-or-create.js';
import type { SshSettings } from '../../terms/inventory.js';
import type { Clock } from '../../terms/machine.js';
import { indexed, parseKnownHosts, type KnownHost, type KnownHosts } from './known-hosts.js';
import { failed, reached, type Failed, type Reached } from '../machine.js';
import { KeyRing, type Ask, type SshSecrets } from './ssh-auth.js';
import { createConfigReader, parseHop, settle, type SshTarget } from './ssh-config.js';
import { connectSsh, type ClosedEarly } from './ssh-connect.js';
import { sayGoodbye } from './ssh-goodbye.js';
import { createSshTransport } from './ssh-transport.js';
import { within } from '../time-limit.js';
import type { Transport } from '../transport.js';
import { MOST_OF, readFileWithin } from '../../lib/bounded-file.js';

export interface SshRequest {
  readonly address: string;
  readonly settings: SshSettings;
  readonly secrets: SshSecrets;
}

/** The ssh connections of a run: hosts' own, and those to jump hosts, which many share. */
export interface SshConnector {
  connect(request: SshRequest): Promise<Reached<{ transport: Transport; forward: Forward }>>;
  /** Ends every attempt to connect, those under way and later ones. */
  giveUp(): void;
  close(): void;
}

/** Opens a byte stream from the host to an address as the host sees it. */
export type Forward = (address: string, port: number) => Promise<Reached<Duplex>>;

/** Below sshd's MaxStartups of 10, which others may share. */
const handshakesAtOnce = 8;
/** A server that drops a handshake is given this long before the one further try. */
const pauseMs = 1_000;

export function createSshConnector({
  clock,
  ask,
  env,
}: {
  clock: Clock;
  ask: Ask;
  env: Readonly<Record<string, string | undefined>>;
}): SshConnector {
  const configs = createConfigReader();
  const keys = new KeyRing(ask);
  const paces = new Map<string, LimitFunction>();
  const knownHosts = new Map<string, KnownHosts>();
  const jumps = new Map<string, Promise<Reached<Client>>>();
  let giveUp = (): void => undefined;
  const givenUp = new Promise<Failed>((resolve) => (giveUp = () => resolve(abandoned)));

  const pace = (key: string): LimitFunction => getOrCreate(paces, key, () => pLimit(handshakesAtOnce));

  /** Read again once a file was changed: a worker runs for months. */
  async function known(files: readonly string[]): Promise<KnownHosts> {
    const changed = await Promise.all(
      files.map((file) =>
        stat(file).then(
          ({ mtimeMs }) => mtimeMs,
          () => 0,
        ),
      ),
    );
    return getOrCreate(knownHosts, JSON.stringify([files, changed]), () => indexed(files.flatMap(readKnownHosts)));
  }

  async function settleOn({ address, settings, secrets }: SshRequest): Promise<Reached<SshTarget>> {
    const config = await configs.read(address, settings.config);
    if (config.is === 'failed') return config;
    // Opened before anybody is waiting at the other end: an operator may have to type.
    if (settings.keyFile !== undefined) await keys.key(settings.keyFile, secrets.passphrase);
    return settle(address, settings, config.value, env);
  }

  /**
   * One handshake, after its turn at the last jump host and at the address. The jump host is reached before that: it may be the very
   * address that a turn is waited for.
   */
  async function shake(request: SshRequest, target: SshTarget, hops: readonly string[]): Promise<Reached<Client>> {
    const attempt = async (): Promise<Reached<Client> | ClosedEarly> => {
      const last = hops.length === 0 ? undefined : await jump(request, hops);
      if (last?.is === 'failed') return last;
      const inTurn = (): Promise<Reached<Client> | ClosedEarly> =>
        pace(`to ${target.address}:${target.port}`)(() => shakeNow(request, target, last?.value));
      return last === undefined ? inTurn() : pace(`by ${hops.join(',')}`)(inTurn);
    };
    const first = await attempt();
    if (!('early' in first)) return first;
    await clock.sleep(pauseMs);
    return attempt();
  }

  async function shakeNow(
    request: SshRequest,
    target: SshTarget,
    by: Client | undefined,
  ): Promise<Reached<Client> | ClosedEarly> {
    const { address, port } = target;
    const through = by && (await within(forward(by, address, port), target.connectTimeoutMs, clock));
    if (through === 'timeout')
      return failed(
        'unreachable',
        `${address}:${port} is not reached from there within ${target.connectTimeoutMs / 1000} s`,
      );
    if (through?.is === 'failed') return through;
    return connectSsh({
      target,
      secrets: request.secrets,
      keys,
      known: await known(target.knownHostsFiles),
      clock,
      givenUp,
      ...(through === undefined ? {} : { through: through.value }),
    });
  }

  /** The connection to the last of these hops, shared by all that go through them. */
  async function jump(request: SshRequest, hops: readonly string[]): Promise<Reached<Client>> {
    const key = JSON.stringify([hops, request.settings.keyFile, request.settings.user]);
    const gone = await getOrCreate(jumps, key, () => connectJump(request, hops));
    if (gone.is === 'failed') jumps.delete(key);
    else gone.value.once('close', () => jumps.delete(key));
    return gone;
  }

  async function connectJump(request: SshRequest, hops: readonly string[]): Promise<Reached<Client>> {
    const hop = parseHop(hops.at(-1) ?? '');
    if (hop === undefined)
      return failed('unreachable', `"${hops.at(-1) ?? ''}" names no jump host`, 'write user@host:port');
    const { jump: _, port: _port, ...inherited } = request.settings;
    const { address, ...given } = hop;
    const ask: SshRequest = { ...request, address, settings: { ...inherited, ...given, jump: [] } };
    const target = await settleOn(ask);
    if (target.is === 'failed') return target;
    const client = await shake(ask, target.value, hops.slice(0, -1));
    return client.is === 'failed' ? failed(client.why, `jump host: ${client.reason}`, client.hint) : client;
  }

  return {
    async connect(request) {
      const target = await settleOn(request);
      if (target.is === 'failed') return target;
      const client = await shake(request, target.value, target.value.jump);
      if (client.is === 'failed') return client;
      return reached({
        transport: createSshTransport(client.value, target.value.user, clock, () =>
          shake(request, target.value, target.value.jump),
        ),
        forward: (address, port) => forward(client.value, address, port),
      });
    },
    giveUp,
    close() {
      for (const going of jumps.values())
        void going.then((gone) => {
          if (gone.is === 'reached') void sayGoodbye(gone.value);
        });
    },
  };
}

const abandoned = failed('unreachable', 'the connection is not waited for any more');

function readKnownHosts(file: string): readonly KnownHost[] {
  try {
    return parseKnownHosts(readFileWithin(file, MOST_OF.foreign).toString('utf8'), file);
  } catch {
    // None there: then no host is known, and the message about the first says so.
    return [];
  }
}

function forward(client: Client, address: string, port: number): Promise<Reached<Duplex>> {
  return new Promise((resolve) => {
    const refused = (reason: string): void =>
      resolve(failed('unreachable', `${address}:${port} cannot be reached from there: ${reason}`));
    const lost = (): void => refused('the connection was lost');
    client.once('close', lost);
    try {
      client.forwardOut('127.0.0.1', 0, address, port, (error, stream) => {
        client.removeListener('close', lost);
        if (error !== undefined) refused(error.message);
        else resolve(reached(stream.on('error', () => undefined)));
      });
    } catch (error) {
      refused((error as Error).message);
    }
  });
}
