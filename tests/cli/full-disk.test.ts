import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from '@jest/globals';
import { localHarness, onePlay, touch, type Harness } from './cli-harness.js';

/*
 * The disk of the controller is full from one of its writes on: of the run's folder, its copy, a record, a sync or a marker of the
 * journal's end. `FULL_DISK_EVERY=1` tries each of them.
 */

const EVERY = Number(process.env['FULL_DISK_EVERY'] ?? 15);
const preload = join(import.meta.dirname, 'full-disk.js');

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

function open(): Harness {
  const harness = localHarness(
    onePlay(
      `${touch('Open', 'open')}        temporary:\n          command: { argv: [rm, "@/open"], unless: { argv: [test, "!", -e, "@/open"] }, changes: ["@/open"], timeout: 10s }\n` +
        '      - step: Pay\n        command: { argv: [sh, -c, "echo paid >>@/paid"], changes: unobserved, timeout: 10s }\n' +
        '      - step: Write\n        file: { path: "@/written", state: file, content: x }\n',
    ),
  );
  ends.push(harness.end);
  return harness;
}

const apply = (harness: Harness, env: Record<string, string>) =>
  harness.run(['apply', 'test.yaml', '-y', '--no-diagnose'], {
    env: { NODE_OPTIONS: `--import=${preload}`, ...env },
    timeout: 60_000,
  });

/** What is there at the end: the payment once, the file, and no temporary change. */
const endOf = (harness: Harness): readonly unknown[] => [
  existsSync(harness.path('paid')) ? harness.read('paid') : '',
  existsSync(harness.path('written')),
  existsSync(harness.path('open')),
];

/** Goes on as an operator would, once there is room: begins where no run was begun, and answers what is asked by what is on the host. */
async function finish(harness: Harness): Promise<number | undefined> {
  const word = existsSync(harness.path('paid')) ? '--done' : '--not-done';
  const resumed = await harness.run(['resume', '-y', word, 'Pay']);
  if (resumed.exitCode === 0) return 0;
  const again = await harness.run(['resume', '-y']);
  if (again.exitCode === 0) return 0;
  return (await harness.run(['apply', 'test.yaml', '-y'])).exitCode;
}

test('a disk that is full at any write of a run ends it with one clear message, and nothing is done twice afterwards', async () => {
  const counted = open();
  expect((await apply(counted, { FULL_COUNT: counted.path('count') })).exitCode).toBe(0);
  const writes = Number(counted.read('count'));
  expect(writes).toBeGreaterThan(40);

  for (let at = 1; at <= writes; at += EVERY) {
    const harness = open();
    const full = await apply(harness, { FULL_AT: String(at) });
    const isDone = full.exitCode === 0;
    // Behind the record that the run is done only what estimates and reports read is written.
    if (!isDone)
      expect([at, full.stderr]).toEqual([at, expect.stringMatching(/no space left in .*\n {2}Free some space/)]);
    expect([at, full.stderr]).toEqual([at, expect.not.stringMatching(/^\s+at /m)]);
    expect([at, isDone ? 0 : await finish(harness), ...endOf(harness)]).toEqual([at, 0, 'paid\n', true, false]);
  }
}, 900_000);
