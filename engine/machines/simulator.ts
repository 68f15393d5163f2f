import type { Inventory } from '../terms/inventory.js';
import type { Clock, Secrets } from '../terms/machine.js';
import type { Machine } from './machine.js';

/** A simulated platform behind the doors of a machine, and the time that it has. */
export interface OpenedSimulator {
  readonly machine: Machine;
  readonly clock: Clock;
}

export interface OpenSimulatorRequest {
  readonly inventory: Inventory;
  readonly secrets: Secrets;
  readonly cacheDir: string;
}

export interface ServeSimulatorRequest {
  readonly inventory: Inventory;
  /** The release that everything has at first. */
  readonly from: string;
  /** Each strikes as long as it has times left, or for ever. */
  readonly faults: readonly unknown[];
  readonly socket: string;
  /** What the endpoints take, by their names; one that is not named takes any. */
  readonly passwords?: Readonly<Record<string, string>>;
}

/** What a platform offers for trying playbooks without its hosts. */
export interface Simulator {
  /** The release that everything has at first, where no other is asked for. */
  readonly release: string;
  /** Faults that only this platform has, beside those of all hosts. */
  readonly ownFaults?: readonly string[];
  /** The one that an inventory names: the process behind its socket, or a new state, which ends with this process. */
  open(request: OpenSimulatorRequest): Promise<OpenedSimulator>;
  /** Serves one until it is closed. Rejects when it cannot listen on the socket. */
  serve(request: ServeSimulatorRequest): Promise<{ close(): Promise<void> }>;
}
