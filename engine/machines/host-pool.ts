import { connect as connectTcp } from 'node:net';
import { once } from 'node:events';
import type { HostFact } from '../facts/kind.js';
import { getOrCreate } from '../lib/get-or-create.js';
import type { Host, Inventory, SshSettings } from '../terms/inventory.js';
import type { Clock, Secrets } from '../terms/machine.js';
import type { Text } from '../terms/secret.js';
import { createLocal } from './local.js';
import { failed, reached, type Reached } from './machine.js';
import { meetSecrets } from './secrets.js';
import type { Become } from './shell/login.js';
import { within } from './time-limit.js';
import type { SendLimits } from './shell/limits.js';
import { ShMachine } from './shell/machine.js';
import type { ShHost } from './shell/place.js';
import type { Ask, SshSecrets } from './ssh/ssh-auth.js';
import type { Forward, SshConnector } from './ssh/ssh.js';
import type { Transport } from './transport.js';
import type { Tunnel } from './ssh/tunnel.js';

export interface HostPoolRequest {
  readonly inventory: Inventory;
  readonly secrets: Secrets;
  readonly clock: Clock;
  readonly ask: Ask;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Hears of a host that has not answered for some time. */
  readonly onSilence?: OnSilence;
  /** What the platform's modules ask of hosts beside the general facts. */
  readonly hostFacts: readonly HostFact[];
  /** Ask once for the password of sudo, for hosts that the inventory gives none (`-K`). */
  readonly askBecomePassword: boolean;
  /** Absent: SEND_LIMITS. */
  readonly limits?: SendLimits;
}

/** A connection that is waited for. */
export interface Silence {
  readonly for: string;
  readonly forMs: number;
  readonly limitMs: number;
}

export type OnSilence = (host: string, silence: Silence) => void;

/** After so long it is said which host does not answer. */
const SILENT_MS = 5_000;
/** What ssh gives a connection where nothing is configured. */
const CONNECT_MS = 15_000;

/** The POSIX hosts of an inventory, each with one connection that is made when it is first needed. */
export interface HostPool {
  /** Undefined for a name that is none of theirs. */
  machineOf(host: string): ShMachine | undefined;
  readonly tunnel: Tunnel;
  /** From now on a host that has not answered for some time counts as unreachable. */
  stopWaiting(): void;
  close(): Promise<void>;
}

export function createHostPool(request: HostPoolRequest): HostPool {
  const { inventory, clock } = request;
  const hosts = new Map(inventory.hosts.filter((h) => h.machine !== 'model').map((h) => [h.name, h]));
  const machines = new Map<string, ShMachine>();
  const forwards = new Map<string, Forward>();
  let connector: Promise<SshConnector> | undefined;
  let stopWaiting = (): void => undefined;
  const stopped = new Promise<void>((resolve) => (stopWaiting = resolve));
  let typed: Promise<string> | undefined;

  async function connectHost(host: Host): Promise<Reached<Transport>> {
    if (host.machine === 'local') return reached(createLocal());
    const secrets = await secretsOf(host.ssh, request.secrets);
    if (secrets.is === 'failed') return secrets;
    connector ??= import('./ssh/ssh.js').then(({ createSshConnector }) => createSshConnector(request));
    const ssh = await connector;
    const opened = await ssh.connect({ address: host.address, settings: host.ssh, secrets: secrets.value });
    if (opened.is === 'failed') return opened;
    forwards.set(host.name, opened.value.forward);
    return reached(opened.value.transport);
  }

  async function toldOfSilence(host: Host, connecting: Promise<Reached<Transport>>): Promise<Reached<Transport>> {
    const soon = await within(connecting, SILENT_MS, clock);
    if (soon !== 'timeout') return soon;
    request.onSilence?.(host.name, {
      for: `no answer from ${host.address} yet`,
      forMs: SILENT_MS,
      limitMs: host.ssh.connectTimeoutMs ?? CONNECT_MS,
    });
    const given = failed('unreachable', `${host.address} does not answer, and is not waited for: the run is to stop`);
    return Promise.race([connecting, stopped.then(() => given)]);
  }

  async function becomeOf({ ssh }: Host, user: string | undefined): Promise<Reached<Become | undefined>> {
    const wanted = user ?? (ssh.become === 'sudo' ? (ssh.becomeUser ?? 'root') : undefined);
    if (wanted === undefined) return reached(undefined);
    const given = await textOf(ssh.becomePassword, request.secrets);
    if (given.is === 'failed') return given;
    const password = given.value ?? (request.askBecomePassword ? await askOnce() : undefined);
    return reached(password === undefined ? { user: wanted } : { user: wanted, password });
  }

  const askOnce = (): Promise<string | undefined> =>
    (typed ??= request.ask('Password for sudo: ')).catch(() => undefined);

  function machineOf(name: string): ShMachine | undefined {
    const host = hosts.get(name);
    if (host === undefined) return undefined;
    const place: ShHost = {
      clock,
      ...(request.limits === undefined ? {} : { limits: request.limits }),
      connect: () => toldOfSilence(host, connectHost(host)),
      become: (user) => becomeOf(host, user),
    };
    return getOrCreate(machines, name, () => new ShMachine(place, request.hostFacts));
  }

  return {
    machineOf,
    tunnel: {
      async connect(name, address, port) {
        const machine = machineOf(name);
        if (machine === undefined) return failed('unreachable', `${name} is no host that a way could lead through`);
        const transport = await machine.transport();
        if (transport.is === 'failed') return transport;
        const forward = forwards.get(name);
        return forward === undefined ? straight(address, port) : forward(address, port);
      },
    },
    stopWaiting: () => stopWaiting(),
    async close() {
      const ssh = await connector;
      // A host that does not answer must not hold up the end.
      ssh?.giveUp();
      await Promise.all([...machines.values()].map((m) => m.close()));
      ssh?.close();
    },
  };
}

/** From a host that is this machine no tunnel is needed. */
async function straight(address: string, port: number): ReturnType<Tunnel['connect']> {
  const socket = connectTcp({ host: address, port, noDelay: true });
  try {
    await once(socket, 'connect');
    return reached(socket);
  } catch (error) {
    return failed('unreachable', `${address}:${port} cannot be reached: ${(error as Error).message}`);
  }
}

async function secretsOf(ssh: SshSettings, secrets: Secrets): Promise<Reached<SshSecrets>> {
  const [password, passphrase] = [await textOf(ssh.password, secrets), await textOf(ssh.passphrase, secrets)];
  if (password.is === 'failed') return password;
  if (passphrase.is === 'failed') return passphrase;
  return reached({
    ...(password.value === undefined ? {} : { password: password.value }),
    ...(passphrase.value === undefined ? {} : { passphrase: passphrase.value }),
  });
}

async function textOf(text: Text | undefined, secrets: Secrets): Promise<Reached<string | undefined>> {
  if (text === undefined) return reached(undefined);
  const met = await meetSecrets<unknown>(text, secrets);
  return met.is === 'failed' ? failed('no-access', met.reason, met.hint) : reached(met.value as string);
}
