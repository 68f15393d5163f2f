import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { execFileSync, fork } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readJournal } from '../../../engine/journal/journal-file.js';
import { openBlobs } from '../../../engine/journal/blobs.js';
import { createManagement } from '../../../engine/platforms/security-monitoring/simulator/management-api.js';
import type { Fate } from '../../../engine/platforms/security-monitoring/simulator/management-state.js';
import { itemsCsv } from '../../../engine/report/end/items-view.js';
import { createAuthority } from '../../machines/certificates.js';
import { startFleetApi } from './fleet-api.js';
import type { ControllerSaid, FleetOrder } from './fleet-order.js';

const root = join(dirname(fileURLToPath(import.meta.url)), '../../..');
const AGENTS = 10_000;
/** One agent in twenty fails, each in the next of these ways. */
const FATES: readonly Fate[] = [
  'error',
  'timeout',
  'timeout-but-updated',
  'no-package',
  'gone',
  'inactive',
  'filtered',
  'too-old',
  'ahead',
  'busy',
];
const fateOf = (i: number): Fate => (i % 20 === 7 ? (FATES[((i - 7) / 20) % FATES.length] ?? 'updated') : 'updated');

const folder = mkdtempSync(join(tmpdir(), 'runbook-fleet-'));
const authority = createAuthority('fleet');
/** Among the project's packages, which it loads; no build empties that folder. */
const program = join(root, 'node_modules', '.cache', `fleet-controller-${process.pid}.mjs`);
let api: Awaited<ReturnType<typeof startFleetApi>>;

beforeAll(async () => {
  execFileSync(join(root, 'node_modules/.bin/esbuild'), [
    join(root, 'tests/playbooks/upgrade/fleet-controller.ts'),
    '--bundle',
    '--platform=node',
    '--format=esm',
    '--packages=external',
    '--log-level=error',
    '--define:RUNBOOK_VERSION="test"',
    `--outfile=${program}`,
  ]);
  const agents = Array.from({ length: AGENTS }, (_, i) => ({
    name: `host-${i + 1}`,
    version: i % 50 === 49 ? '4.8.1' : '4.12.0',
    fate: fateOf(i),
  }));
  const seed = { version: '4.14.7', user: 'ops', password: 'secret', agents, readyAtMs: 0, tokenLifeMs: 60_000 };
  api = await startFleetApi(createManagement(seed), authority.issue('api', 'IP:127.0.0.1'));
});
afterAll(async () => {
  await api.end();
  authority.end();
  rmSync(folder, { recursive: true });
  rmSync(program, { force: true });
});

const playbook = `
playbook: Fleet
plays:
  - play: Agents
    hosts: controller
    steps:
      - step: Upgrade the agents
        agents: { endpoint: api, state: upgraded, version: 4.14.7, exclude_below: "4.9", canary: 5, wave: 1000, stop_at: 20% }
`;

/** One process from its beginning to its end; undefined: it was killed. */
function control(resume: boolean): Promise<ControllerSaid | undefined> {
  const child = fork(program, [], { env: { ...process.env, API: 'secret', NODE_OPTIONS: '' }, execArgv: [] });
  api.onUpgrade = (nth) => !resume && nth === 7 && child.kill('SIGKILL');
  let said: ControllerSaid | undefined;
  child.on('message', (message: ControllerSaid | { readonly turnMs: number }) => {
    if (!('turnMs' in message)) said = message;
    else child.send({ nowMs: (api.nowMs += message.turnMs) });
  });
  const inventory = `platform: {}\nendpoints:\n  api: { url: "${api.url}", ca: ${authority.file}, auth: token, user: ops, password: "{{secret.api}}" }\nsecrets: { api: { env: API } }\nhosts: { one: { address: 10.0.0.1 } }\n`;
  child.send({ folder, playbook, inventory, resume, nowMs: api.nowMs } satisfies FleetOrder);
  return new Promise((resolve) => child.on('exit', () => resolve(said)));
}

/**
 * The stand-in's clock is turned by the controller's waits: its minute of 300 requests and its tokens are counted in that time, so that
 * some minutes of upgrading take seconds.
 */
test('ten thousand agents, with an API that fails in every way, the controller killed once and resumed: none is sent twice', async () => {
  const startMs = api.nowMs;
  expect(await control(false)).toBeUndefined();
  const atKill = api.begun.size;
  expect(atKill).toBeGreaterThan(2_000);
  const said = await control(true);
  expect(said).toMatchObject({ end: 'done' });

  expect([...api.begun.values()].filter((times) => times > 1)).toEqual([]);
  const upgraded = api.state.agents.filter((a) => a.version === '4.14.7').length - 1;
  const expected = Array.from({ length: AGENTS }, (_, i) => i).filter(
    (i) => i % 50 !== 49 && ['updated', 'timeout-but-updated', 'busy'].includes(fateOf(i)),
  ).length;
  expect(upgraded).toBe(expected);

  const events = readJournal(join(folder, 'journal.ndjson'), openBlobs(join(folder, 'blobs')));
  const items = events.flatMap(({ event }) => (event.e === 'item' ? [event] : []));
  expect(items).toHaveLength(AGENTS);
  expect(new Set(items.map(({ item }) => item)).size).toBe(AGENTS);
  const count = (is: string): number => items.filter((item) => item.is === is).length;
  expect({ done: count('done'), failed: count('failed'), left: count('left') }).toEqual({
    done: expected + 50,
    failed: 300,
    left: 250,
  });

  expect(said?.view).toContain(': of 10000 items 300 failed, 250 unchanged:');
  expect(said?.view.split('\n').length).toBeLessThan(40);
  const rows = itemsCsv(events).trimEnd().split('\r\n');
  expect(rows).toHaveLength(AGENTS + 1);
  expect(
    rows.filter((row) => !/^\d+,host-\d+,4\.\d+\.\d+,(?:done|failed|left),[^,]*,\d*$/.test(row.replace(/"[^"]*"/, ''))),
  ).toEqual(['id,name,version,result,reason,batch']);

  expect(api.disturbed.size).toBe(7);
  expect(api.refusedByLimit).toBe(0);
  expect(api.longestUrl).toBeLessThan(8_192);
  const minutes = Math.round((api.nowMs - startMs) / 60_000);
  // A sign-in for each minute of token and each revocation; the rest is lists, orders and how far they are.
  expect(api.signIns).toBeLessThanOrEqual(minutes + (api.disturbed.get('401') ?? 0) + 2);
  expect(api.requests).toBeLessThan(600);
  // 165 MB on a quiet machine; on a busy one the collector comes later.
  expect(said?.peakBytes).toBeLessThan(300 * 1024 * 1024);
  process.stderr.write(
    `${AGENTS} agents: ${api.requests} requests in ${minutes} minutes of the stand-in, ${Math.round((said?.peakBytes ?? 0) / 1024 / 1024)} MB, sent twice 0\n`,
  );
}, 180_000);
