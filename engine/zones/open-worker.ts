import { randomUUID } from 'node:crypto';
import type { OwnFleet } from '../machines/fleet.js';
import { openConnection } from '../store/nats/link.js';
import type { NatsOptions } from '../store/nats/options.js';
import type { Inventory } from '../terms/inventory.js';
import type { Secrets } from '../terms/machine.js';
import { identityOf, subjectsOf, type Hello } from './messages.js';
import { workerFiles } from './worker-files.js';
import { serveZone, type Worker } from './worker.js';

export interface OpenWorkerRequest {
  readonly options: NatsOptions;
  readonly zone: string;
  readonly who: Omit<Hello, 'worker'>;
  readonly hosts: ReadonlyMap<string, string>;
  readonly fleet: OwnFleet;
  readonly secrets: Secrets;
  /** Where files of controllers are kept while it runs. */
  readonly folder: string;
  /** What it does to a host, as it begins. */
  readonly onAct: (host: string, id: string) => void;
}

export interface OpenedWorker extends Worker {
  close(): Promise<void>;
}

/** Connects and takes work. Throws StoreUnavailable. */
export async function openWorker({ options, zone, who, folder, ...request }: OpenWorkerRequest): Promise<OpenedWorker> {
  const subjects = subjectsOf(options.store, zone);
  // What answers it must lie in its zone's subjects: it may read no others.
  const { connection, maxBytes } = await openConnection({ ...options, inboxPrefix: subjects.inboxes });
  const worker = serveZone({
    ...request,
    connection,
    maxBytes,
    subjects,
    hello: { ...who, worker: randomUUID() },
    files: workerFiles(folder),
  });
  await connection.flush();
  return { ...worker, close: () => connection.close() };
}

/** The worker's inventory for its own use: it reaches the hosts of its zone itself, and knows no host of another one. */
export const withoutZone = (inventory: Inventory, zone: string): Inventory => ({
  ...inventory,
  hosts: inventory.hosts.flatMap(({ zone: its, ...host }) => (its === zone || its === undefined ? [host] : [])),
});

export const hostsOf = ({ hosts }: Inventory, zone: string): ReadonlyMap<string, string> =>
  new Map(hosts.filter((host) => host.zone === zone).map((host) => [host.name, identityOf(host)]));
