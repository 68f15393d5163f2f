import type { EndpointFacts } from '../machines/http/endpoint-facts.js';
import type { TokenSignIn } from '../machines/http/token-sign-in.js';
import { withSecrets } from '../machines/host-secrets.js';
import type { Machine } from '../machines/machine.js';
import type { OpenedSimulator, OpenSimulatorRequest } from '../machines/simulator.js';
import type { Inventory } from '../terms/inventory.js';
import type { Secrets } from '../terms/machine.js';
import { createModelMachine } from './machine.js';
import { connectModel } from './process.js';
import type { ModelPlatform } from './simulation.js';

type Model = NonNullable<Inventory['model']>;

/** What a platform gives to open its simulator. */
export interface Opening {
  readonly facts: EndpointFacts;
  readonly tokens?: TokenSignIn;
  /** A new one, which ends with this process. */
  readonly create: (model: Exclude<Model, { readonly socket: string }>) => ModelPlatform;
}

/**
 * The model that an inventory names: the process behind its socket, or a new state. Secrets are resolved here as for real hosts.
 * Rejects when no process serves the socket.
 */
export async function openModel(request: OpenSimulatorRequest, opening: Opening): Promise<OpenedSimulator> {
  const { model } = request.inventory;
  if (model === undefined) throw new Error('the inventory names no model');
  const platform = 'socket' in model ? await connectModel(model.socket) : opening.create(model);
  const machine = createModelMachine({ ...request, platform, facts: opening.facts, tokens: opening.tokens });
  return { machine: meetingSecrets(machine, platform, request.secrets), clock: platform.clock };
}

function meetingSecrets(machine: Machine, platform: ModelPlatform, secrets: Secrets): Machine {
  return {
    ...machine,
    async perform(on, action, context) {
      // The endpoints meet their own.
      if (action.do === 'request') return machine.perform(on, action, context);
      const met = await withSecrets(action, secrets);
      if ('is' in met) return met;
      await context.mayAct?.();
      return machine.perform(on, met, context);
    },
    async close() {
      await machine.close();
      await platform.close();
    },
  };
}
