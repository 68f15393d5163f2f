import type { Inventory } from '../../../terms/inventory.js';
import { createPlatformState } from './create.js';
import { serveModel } from './process.js';
import type { Fault } from './state.js';

export { openModelMachine as open } from './open.js';

export interface ServeRequest {
  readonly inventory: Inventory;
  /** The release that everything has at first. */
  readonly from: string;
  /** Each strikes as long as it has times left, or for ever. */
  readonly faults: readonly unknown[];
  readonly socket: string;
}

/** Serves a simulated platform in this process until it is closed. Rejects when it cannot listen on the socket. */
export function serve({ inventory, from, faults, socket }: ServeRequest): Promise<{ close(): Promise<void> }> {
  const state = createPlatformState({ from, inventory });
  state.faults.push(...(faults as readonly Fault[]));
  return serveModel(state, socket);
}
