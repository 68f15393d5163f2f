import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { createBench, endpoint, type Bench } from './endpoints-bench.js';
import { json, startServer, type TestServer } from './http-server.js';

let server: TestServer;
let bench: Bench;
/** Until the clock is past it, the server refuses, saying so in one of the ways there are. */
let refusal: { readonly untilMs: number; readonly headers: () => Readonly<Record<string, string>> } | undefined;
const seenAtMs: number[] = [];

beforeEach(async () => {
  server = await startServer((request, response) => {
    if (request.url.startsWith('/security')) {
      response.end('token');
      return;
    }
    seenAtMs.push(bench.clock.nowMs());
    const refuses = refusal !== undefined && bench.clock.nowMs() < refusal.untilMs;
    json(response, refuses ? 429 : 200, {}, refuses ? refusal?.headers() : {});
  });
  bench = createBench(endpoint([server.url], { auth: 'token' }));
});
afterEach(async () => {
  refusal = undefined;
  seenAtMs.length = 0;
  await bench.end();
  await server.end();
});

test('no minute has more than 300 requests to an API with tokens, however many are wanted', async () => {
  for (let i = 0; i < 900; i += 1) await bench.ask('/');
  const most = Math.max(...seenAtMs.map((at) => seenAtMs.filter((other) => other >= at && other - at < 60_000).length));
  expect(most).toBeLessThanOrEqual(300);
  // Three minutes' worth is done in the fourth: the pace is no slower than it need be.
  expect(bench.clock.nowMs() - (seenAtMs[0] ?? 0)).toBe(180_000);
});

const SOON_MS = 17_000;
test.each([
  ['seconds', () => ({ 'retry-after': '17' })],
  [
    'a date',
    () => ({ 'retry-after': new Date(Math.ceil((bench.clock.nowMs() + SOON_MS) / 1000) * 1000).toUTCString() }),
  ],
  ['the seconds to its reset', () => ({ 'x-ratelimit-reset': '17' })],
] as const)('a 429 is waited out as it says: %s', async (_, headers) => {
  refusal = { untilMs: bench.clock.nowMs() + SOON_MS, headers };
  expect(await bench.ask('/')).toMatchObject({ status: 200 });
  expect(seenAtMs).toHaveLength(2);
  expect(bench.clock.waits).toHaveLength(1);
});
