import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { refKey, type Answer, type Need } from '../terms/fact.js';
import type { Inventory } from '../terms/inventory.js';
import type { Secrets } from '../terms/machine.js';
import type { EndpointFacts } from '../machines/http/endpoint-facts.js';
import type { TokenSignIn } from '../machines/http/token-sign-in.js';
import { createEndpoints } from '../machines/http/endpoint-reader.js';
import type { Machine } from '../machines/machine.js';
import { createModelHttpClient } from './http.js';
import type { HostQuestion, ModelPlatform } from './simulation.js';

export interface ModelMachineOptions {
  readonly inventory: Inventory;
  /** `createModelPlatform(simulation)`, or `connectModel(socket)`. Its clock is the run's. Closed by whoever made it. */
  readonly platform: ModelPlatform;
  /** What the platform's modules ask of endpoints. */
  readonly facts: EndpointFacts;
  /** How the platform signs in by token; absent: it does not. */
  readonly tokens?: TokenSignIn | undefined;
  /** For signing in; absent: no secret is resolved, which suits a model that accepts any password. */
  readonly secrets?: Secrets;
  /** Where downloads are kept on the controller; absent: in a temporary directory, removed by `close`. */
  readonly cacheDir?: string;
}

/** The embedded platform behind the doors of a real machine: hosts, endpoints, and the controller's downloads. */
export function createModelMachine({
  inventory,
  platform,
  facts,
  tokens,
  secrets = unknownSecrets,
  cacheDir,
}: ModelMachineOptions): Machine {
  const ownCacheDir = join(tmpdir(), `runbook-model-${randomUUID()}`);
  const endpoints = createEndpoints({
    inventory,
    clock: platform.clock,
    client: createModelHttpClient(platform),
    facts,
    tokens,
    secrets,
    cacheDir: cacheDir ?? ownCacheDir,
  });
  return {
    async ask(needs, context) {
      const inHand = context?.inHand ?? [];
      const [onHosts, elsewhere] = [needs.filter(isOnHost), needs.filter((n) => !isOnHost(n))];
      const [ofHosts, ofEndpoints] = await Promise.all([
        platform.ask(onHosts.map(questionOf)),
        Promise.all(elsewhere.map((n) => endpoints.ask(n, { inHand }))),
      ]);
      return new Map([...pair(onHosts, ofHosts), ...pair(elsewhere, ofEndpoints)]);
    },
    perform(on, action, context) {
      if (action.do === 'request') return endpoints.perform(on, action, context);
      if ('host' in on) return platform.perform(on.host, action, context.id, context.lease);
      return Promise.resolve({ is: 'refused', by: 'machine', found: `"${action.do}" is performed on a host` });
    },
    job: (on, id) => ('host' in on ? platform.job(on.host, id) : Promise.resolve({ is: 'absent' })),
    // The state of the model keeps all jobs.
    forgetJob: () => Promise.resolve(),
    swap: (host, file, expected, wanted, withMarker) => platform.swap({ host, file, expected, wanted, withMarker }),
    async close() {
      await endpoints.close();
      // A download that is no longer awaited may still write its file there.
      await rm(ownCacheDir, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

const unknownSecrets: Secrets = {
  value: (name) => Promise.resolve({ is: 'value', value: `{{secret.${name}}}` }),
  known: () => undefined,
  redact: (text) => text,
  split: (text) => [text],
};

const isOnHost = (n: Need): boolean => 'host' in n.of;

const questionOf = (n: Need): HostQuestion => ({ host: 'host' in n.of ? n.of.host : '', fact: n.fact, key: n.key });

const pair = (needs: readonly Need[], answers: readonly Answer[]): [string, Answer][] =>
  needs.flatMap((n, i) => {
    const answer = answers[i];
    return answer === undefined ? [] : [[refKey(n), answer]];
  });
