import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { http, type HttpAnswer, type HttpQuestion } from '../../engine/facts/http.js';
import { createEndpoints } from '../../engine/machines/http/endpoint-reader.js';
import { endpointFacts } from '../../engine/platforms/security-monitoring/facts/index.js';
import { tokens } from '../../engine/platforms/security-monitoring/tokens.js';
import { createSecrets } from '../../engine/machines/secrets.js';
import type { Tunnel } from '../../engine/machines/ssh/tunnel.js';
import { type Answer, need } from '../../engine/terms/fact.js';
import type { HttpRequest, Outcome } from '../../engine/terms/action.js';
import type { Endpoint, Host, Inventory } from '../../engine/terms/inventory.js';
import { createManualClock } from './manual-clock.js';

export const password = 'correct horse/"battery"';

const hostNamed = (name: string, roles: readonly string[]): Host => ({
  name,
  address: '127.0.0.1',
  roles,
  groups: [],
  vars: {},
  machine: 'model',
  ssh: {},
});

/** An endpoint called `e`, of user `ops` unless it signs in by nothing. */
export const endpoint = (
  urls: readonly (string | Endpoint['urls'][number])[],
  more: Partial<Endpoint> = {},
): Endpoint => ({
  name: 'e',
  urls: urls.map((url) => (typeof url === 'string' ? { url } : url)),
  auth: 'none',
  verify: true,
  ...(more.auth === undefined || more.auth === 'none' ? {} : { user: 'ops', password: { $secret: 'ops' } }),
  ...more,
});

/** Endpoints over one endpoint, a clock of the test's own and a cache folder; `end` closes and removes. */
export function createBench(one: Endpoint, tunnel?: Tunnel) {
  const clock = createManualClock();
  const cacheDir = mkdtempSync(join(tmpdir(), 'runbook-cache-'));
  const inventory: Inventory = {
    files: [],
    platform: {},
    names: {},
    endpoints: { e: one },
    secrets: {},
    hosts: [
      hostNamed('indexer-1', ['indexer']),
      hostNamed('indexer-2', ['indexer']),
      hostNamed('server-1', ['server']),
    ],
    vars: {},
  };
  const secrets = createSecrets({
    sources: { ops: { env: 'OPS' }, hook: { env: 'HOOK' } },
    env: { OPS: password, HOOK: 'hook-value' },
    ask: () => Promise.resolve(undefined),
  });
  const endpoints = createEndpoints({
    inventory,
    secrets,
    clock,
    cacheDir,
    facts: endpointFacts,
    tokens,
    ...(tunnel === undefined ? {} : { tunnel }),
  });
  const askAnything = (question: HttpQuestion, node?: string, inHand: readonly string[] = []): Promise<Answer> =>
    endpoints.ask(need({ endpoint: 'e', ...(node === undefined ? {} : { node }) }, http, question), { inHand });
  const ask = async (path: string, node?: string, inHand?: readonly string[]): Promise<HttpAnswer> => {
    const answer = await askAnything({ path }, node, inHand);
    if (answer.is !== 'value') throw new Error(JSON.stringify(answer));
    return answer.value as unknown as HttpAnswer;
  };
  return {
    endpoints,
    clock,
    cacheDir,
    askAnything,
    /** The answer to a GET that nothing stands in the way of. */
    ask,
    perform: (request: Partial<HttpRequest>, inHand: readonly string[] = []): Promise<Outcome> =>
      endpoints.perform(
        { host: 'server-1' },
        {
          do: 'request',
          request: { endpoint: 'e', method: 'PUT', path: '/', timeoutMs: 5000, ...request },
          expect: { status: [200] },
        },
        { id: 'run/task/1/0', inHand },
      ),
    async end(): Promise<void> {
      await endpoints.close();
      rmSync(cacheDir, { recursive: true, force: true });
    },
  };
}
export type Bench = ReturnType<typeof createBench>;
