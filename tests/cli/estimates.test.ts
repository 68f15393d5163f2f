import { afterEach, expect, test } from '@jest/globals';
import { brokenPlatform } from './broken-platform.js';
import { MODEL_SECRETS, modelHarness, type Harness } from './cli-harness.js';
import { hasScript, sit } from './sit.js';

let harness: Harness;
const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
  harness.end();
});

const minutes = (pattern: RegExp, text: string): string =>
  pattern.exec(text)?.[1] ?? `no ${String(pattern)} in ${text}`;

test('how long a resume and a rollback take, and what a rollback may lose, is the same on the screen of the failure and on their own pages', async () => {
  harness = modelHarness('{ socket: model.sock }');
  const { served } = await brokenPlatform(harness, [
    { fault: 'start-fails', host: 'server-2', unit: 'platform-manager' },
  ]);
  ends.push(() => served.close());
  const run = async (...args: readonly string[]) => (await harness.run(args, { env: MODEL_SECRETS })).stdout;
  const screen = await run('apply', 'upgrade-4.14.yaml', '-y');
  const again = await run('show');
  const [resume, rollback] = [await run('resume', '--dry-run'), await run('rollback', '--dry-run')];

  const left = minutes(/^Estimate (.+?), /m, resume);
  const back = minutes(/^Estimate (.+?), /m, rollback);
  expect([left, back]).toEqual([expect.stringMatching(/^about \d+ min$/), expect.stringMatching(/^about \d+ min$/)]);
  for (const text of [screen, again]) {
    expect(minutes(/ runbook resume +.*; (about .+); no data loss$/m, text)).toBe(left);
    expect(minutes(/ runbook rollback +to 4\.12\.0; (.+); data loss: possible/m, text)).toBe(back);
  }
  // All indexers are new, and what they had is in the record of the upgrade alone.
  expect(rollback).toMatch(/^DATA LOSS possible if it asks$/m);
  // Where the run is now, the rest says so too; a plan, which does not know where a run will stop, says what its times are.
  expect(minutes(/^→ until a new index is created +runbook rollback +(.+), counted {2}/m, resume)).toBe(back);
  const report = await run('report');
  expect(minutes(/^\| \*{0,2}`?NOW.*\| (.+), counted by a plan of it \|/m, report)).toBe(back);
});

(hasScript ? test : test.skip)('the live view of a resume begins with the time that its page says', async () => {
  harness = modelHarness('{ socket: model.sock }');
  const fault = { fault: 'start-fails', host: 'server-2', unit: 'platform-manager' } as const;
  const { served, state } = await brokenPlatform(harness, [fault]);
  ends.push(() => served.close());
  await harness.run(['apply', 'upgrade-4.14.yaml', '-y'], { env: MODEL_SECRETS });
  state.faults.length = 0;
  const { received } = await sit(harness, ['resume', '-y'], [], MODEL_SECRETS);
  expect(minutes(/(about \d+ min) left/, received)).toBe(minutes(/Estimate (about \d+ min)/, received));
});
