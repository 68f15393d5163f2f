import { getOrCreate } from '../lib/get-or-create.js';
import type { Zones } from '../machines/executor.js';
import type { OnSilence } from '../machines/host-pool.js';
import { openConnection } from '../store/nats/link.js';
import type { NatsOptions } from '../store/nats/options.js';
import type { StoreUnavailable } from '../store/run-store.js';
import type { Host } from '../terms/inventory.js';
import { identityOf, type Hello } from './messages.js';
import { AWAY_MS } from './servers.js';
import { openZone, type Zone } from './zone-client.js';

/** The zones of an inventory, by their workers. */
export interface OpenedZones extends Zones {
  /** Why the servers cannot be used: it is not known then who works in the zones. */
  readonly away?: StoreUnavailable;
  /** The workers of a zone that answer, of any version. */
  workersOf(zone: string): Promise<readonly Hello[]>;
}

export interface ZonesRequest {
  /** Of this program. */
  readonly version: string;
  readonly hosts: readonly Host[];
  /** Of the servers, too. */
  readonly onSilence?: OnSilence | undefined;
  /** A run works there; else what is asked is only read. */
  readonly isRun: boolean;
}

/** Throws StoreUnavailable. */
export async function openZones(
  options: NatsOptions,
  { version, hosts, onSilence, isRun }: ZonesRequest,
): Promise<OpenedZones> {
  const { connection, maxBytes } = await openConnection(options);
  const identities = new Map(hosts.map((host) => [host.name, identityOf(host)]));
  const awayMs = isRun ? AWAY_MS.run : AWAY_MS.reading;
  const zones = new Map<string, Zone>();
  const zoneOf = (zone: string): Zone =>
    getOrCreate(zones, zone, () =>
      openZone(connection, { store: options.store, zone, version, identities, maxBytes, onSilence, awayMs }),
    );
  return {
    executorOf: (zone) => zoneOf(zone).executor,
    workersOf: (zone) => zoneOf(zone).workers.all(),
    stopWaiting() {
      for (const zone of zones.values()) zone.stopWaiting();
    },
    close: () => connection.close(),
  };
}
