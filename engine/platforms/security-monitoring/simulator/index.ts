import type { ServeSimulatorRequest } from '../../../machines/simulator.js';
import { createPlatformState } from './create.js';
import { serveModel } from './process.js';
import type { Fault } from './state.js';

export { openModelMachine as open } from './open.js';

/** Serves a simulated platform in this process until it is closed. Rejects when it cannot listen on the socket. */
export function serve({ inventory, from, faults, socket }: ServeSimulatorRequest): Promise<{ close(): Promise<void> }> {
  const state = createPlatformState({ from, inventory });
  state.faults.push(...(faults as readonly Fault[]));
  return serveModel(state, socket);
}
