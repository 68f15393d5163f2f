import type { OpenedSimulator, OpenSimulatorRequest, ServeSimulatorRequest } from '../../../machines/simulator.js';
import { openModel } from '../../../simulator/open.js';
import type { Fault as HostFault } from '../../../simulator/state.js';
import { isObject, type Json } from '../../../terms/json.js';
import { endpointFacts } from '../facts/index.js';
import { tokens } from '../tokens.js';
import { createPlatformState, type ModelSeed } from './create.js';
import { createModelPlatform, serveModel } from './platform.js';
import type { Fault } from './state.js';

export const release = '4.12.0';

const OWN: Readonly<Record<Exclude<Fault['fault'], HostFault['fault']>, true>> = {
  'own-cluster': true,
  'repository-denied': true,
  'agent-packages-unreachable': true,
  'snapshot-partial': true,
  'flush-fails': true,
};
export const ownFaults: readonly string[] = Object.keys(OWN);

/** The simulated platform that an inventory names. */
export const open = (request: OpenSimulatorRequest): Promise<OpenedSimulator> =>
  openModel(request, {
    facts: endpointFacts,
    tokens,
    create: ({ from, options }) =>
      createModelPlatform(createPlatformState({ ...seedOf(options), from, inventory: request.inventory })),
  });

/** What an inventory may say of its model beyond the release: `passwords`, `offers`, `remoteAgents`. */
function seedOf(options: Json | undefined): Partial<ModelSeed> {
  if (!isObject(options)) return {};
  const known = ['passwords', 'offers', 'remoteAgents'].filter((key) => options[key] !== undefined);
  return Object.fromEntries(known.map((key) => [key, options[key]]));
}

/** Serves a simulated platform in this process until it is closed. Rejects when it cannot listen on the socket. */
export function serve(request: ServeSimulatorRequest): Promise<{ close(): Promise<void> }> {
  const { inventory, from, faults, socket, passwords = {} } = request;
  const state = createPlatformState({ from, inventory, passwords });
  state.faults.push(...(faults as readonly Fault[]));
  return serveModel(state, socket);
}
