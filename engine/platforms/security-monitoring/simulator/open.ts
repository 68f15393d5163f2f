import type { ModelSeed } from './create.js';
import { createPlatformState } from './create.js';
import type { Inventory } from '../../../terms/inventory.js';
import { isObject, type Json } from '../../../terms/json.js';
import type { Secrets } from '../../../terms/machine.js';
import { withSecrets } from '../../../machines/host-secrets.js';
import type { Machine } from '../../../machines/machine.js';
import type { OpenedSimulator, OpenSimulatorRequest } from '../../../machines/simulator.js';
import { createModelMachine } from './machine.js';
import { createModelPlatform, type ModelPlatform } from './platform.js';
import { connectModel } from './process.js';

/**
 * The model that an inventory names: the process behind its socket, or a new state, which ends with this process.
 * Secrets are resolved here as for real hosts. Rejects when no process serves the socket.
 */
export async function openModelMachine(request: OpenSimulatorRequest): Promise<OpenedSimulator> {
  const platform = await openPlatform(request.inventory);
  return {
    machine: meetingSecrets(createModelMachine({ ...request, platform }), platform, request.secrets),
    clock: platform.clock,
  };
}

async function openPlatform(inventory: Inventory): Promise<ModelPlatform> {
  const { model } = inventory;
  if (model === undefined) throw new Error('the inventory names no model');
  if ('socket' in model) return connectModel(model.socket);
  return createModelPlatform(createPlatformState({ ...seedOf(model.options), from: model.from, inventory }));
}

/** What an inventory may say of its model beyond the release: `passwords`, `offers`, `remoteAgents`. */
function seedOf(options: Json | undefined): Partial<ModelSeed> {
  if (!isObject(options)) return {};
  const known = ['passwords', 'offers', 'remoteAgents'].filter((key) => options[key] !== undefined);
  return Object.fromEntries(known.map((key) => [key, options[key]]));
}

function meetingSecrets(machine: Machine, platform: ModelPlatform, secrets: Secrets): Machine {
  return {
    ask: (needs, context) => machine.ask(needs, context),
    async perform(on, action, context) {
      // The endpoints meet their own.
      if (action.do === 'request') return machine.perform(on, action, context);
      const met = await withSecrets(action, secrets);
      return 'is' in met ? met : machine.perform(on, met, context);
    },
    job: (on, id) => machine.job(on, id),
    swap: (host, file, expected, wanted) => machine.swap(host, file, expected, wanted),
    async close() {
      await machine.close();
      await platform.close();
    },
  };
}
