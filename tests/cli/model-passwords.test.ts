import { afterEach, expect, test } from '@jest/globals';
import { lineOf, MODEL_SECRETS, modelHarness } from './cli-harness.js';

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

test('the shipped model takes the passwords that it was started with, and answers others with 401', async () => {
  const harness = modelHarness('{ socket: model.sock }');
  ends.push(() => {
    harness.end();
    return Promise.resolve();
  });
  const { RUNBOOK_DEMO_API_PASSWORD: api } = MODEL_SECRETS;
  const model = harness.start(['model', 'upgrade-4.14.yaml'], { env: MODEL_SECRETS });
  ends.push(async () => {
    model.kill('SIGTERM');
    await model;
  });
  await lineOf(model.stdout, /listens on/);
  for (const [env, said] of [
    [
      { ...MODEL_SECRETS, RUNBOOK_DEMO_API_PASSWORD: 'another-password' },
      /api .* does not accept user "ops" with its password \(401\)/,
    ],
    [
      { ...MODEL_SECRETS, RUNBOOK_DEMO_INDEXER_PASSWORD: api },
      /indexer .* does not accept user "admin" with its password \(401\)/,
    ],
  ] as const) {
    const doctor = await harness.run(['doctor', 'upgrade-4.14.yaml'], { env });
    expect([doctor.exitCode === 0, doctor.stdout]).toEqual([false, expect.stringMatching(said)]);
  }
  const right = await harness.run(['doctor', 'upgrade-4.14.yaml'], { env: MODEL_SECRETS });
  expect([right.exitCode, right.stdout]).toEqual([0, expect.stringContaining('No problems found')]);
});

test('an endpoint whose secret is not set where the model starts takes any password, and the model says so', async () => {
  const harness = modelHarness('{ socket: model.sock }');
  ends.push(() => {
    harness.end();
    return Promise.resolve();
  });
  const model = harness.start(['model', 'upgrade-4.14.yaml'], {});
  ends.push(async () => {
    model.kill('SIGTERM');
    await model;
  });
  await lineOf(model.stdout, /api, indexer, dashboard: any password is taken, because the secret is not set here/);
});
