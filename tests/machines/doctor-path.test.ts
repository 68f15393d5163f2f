import { afterEach, describe, expect, test } from '@jest/globals';
import { endpointProblems } from '../../engine/cli/doctor/endpoints.js';
import { refKey, type Answer, type Need } from '../../engine/terms/fact.js';
import { createBench, endpoint, type Bench } from './endpoints-bench.js';
import { startServer } from './http-server.js';

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

/** What `doctor` says of a server that answers `/` and `/health` with these statuses. */
async function doctor(path: string | undefined, statuses: { readonly root: number; readonly health: number }) {
  const server = await startServer(({ url }, response) => {
    response.writeHead(url === '/health' ? statuses.health : statuses.root).end('{}');
  });
  const one = endpoint([server.url], path === undefined ? {} : { path });
  const bench: Bench = createBench(one);
  ends.push(
    () => server.end(),
    () => bench.end(),
  );
  const ask = async (needs: readonly Need[]): Promise<ReadonlyMap<string, Answer>> =>
    new Map(
      await Promise.all(needs.map(async (n) => [refKey(n), await bench.endpoints.ask(n, { inHand: [] })] as const)),
    );
  const { problems } = await endpointProblems([one], { ask }, new Map());
  return problems.map(({ text }) => text);
}

describe('doctor asks an endpoint for', () => {
  test.each<[string, string | undefined, { root: number; health: number }, readonly string[]]>([
    ['the path of the inventory, and not for its first page', '/health', { root: 503, health: 200 }, []],
    ['a path that must answer', '/health', { root: 200, health: 404 }, ['e answers 404 to /health']],
    ['a path that its user must be allowed', '/health', { root: 200, health: 403 }, ['e answers 403 to /health']],
    ['a path of a service that is not ready', '/health', { root: 200, health: 503 }, ['e answers 503']],
    ['its first page, which need not be there', undefined, { root: 404, health: 200 }, []],
    ['its first page, of a service that is not ready', undefined, { root: 500, health: 200 }, ['e answers 500']],
  ])('%s', async (_, path, statuses, expected) => {
    expect(await doctor(path, statuses)).toEqual(expected);
  });
});
