import { afterEach, describe, expect, test } from '@jest/globals';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { addDocument, createIndex } from '../../../engine/platforms/security-monitoring/simulator/documents.js';
import { stopService } from '../../../engine/platforms/security-monitoring/simulator/platform.js';
import type { PlatformState } from '../../../engine/platforms/security-monitoring/simulator/state.js';
import { hostOf } from '../../playbooks/diagnose-bench.js';
import { brokenPlatform } from '../broken-platform.js';
import { localHarness, modelHarness, MODEL_SECRETS, onePlay, touch, type Harness } from '../cli-harness.js';

let harness: Harness | undefined;
afterEach(async () => {
  await served?.end();
  harness?.end();
  harness = served = undefined;
});
let served: { end: () => Promise<void> } | undefined;

/** The demo's platform in a process of its own, which outlives the runs. */
async function modelInProcess(): Promise<Harness> {
  const open = (harness = modelHarness('{ socket: model.sock }'));
  const model = open.start(['model', 'upgrade-4.14.yaml'], { env: MODEL_SECRETS });
  served = {
    end: async () => {
      model.kill('SIGTERM');
      await model;
    },
  };
  await new Promise<void>((resolve) => model.stdout.once('data', () => resolve()));
  return open;
}

test('a back-out is promised only after its packages and a snapshot were seen', async () => {
  const { run } = await modelInProcess();
  const plan = async (): Promise<string> => (await run(['plan', 'upgrade-4.14.yaml'], { env: MODEL_SECRETS })).stdout;
  const before = await plan();
  expect(before).toMatch(
    /^ {2}before the first new indexer starts +runbook rollback +5 min +not promised \(1\) +data loss: none$/m,
  );
  expect(before).toContain(
    '\n  (2) no complete snapshot was seen; phase Prepare takes one, or the run ends there (unless snapshot: none)\n',
  );
  expect(before).toContain('from defaults: no earlier run of this inventory has measured a step · not rehearsed\n');
  expect((await run(['apply', 'prepare.yaml', '-y'], { env: MODEL_SECRETS })).exitCode).toBe(0);
  const after = await plan();
  expect(after).not.toContain('not promised');
  expect(after).toMatch(/^ {2}before the first new indexer starts +runbook rollback +5 min +data loss: none$/m);
  expect(after).toMatch(/^ {2}after that +restore .* 4 h +data loss: all since the snapshot$/m);
});

test('what prepare.yaml did after a plan is no difference, neither in --compare nor after apply', async () => {
  const { run, runs } = await modelInProcess();
  const options = { env: MODEL_SECRETS };
  await run(['plan', 'upgrade-4.14.yaml', '-o', 'change.plan'], options);
  expect((await run(['apply', 'prepare.yaml', '-y'], options)).exitCode).toBe(0);
  const expected = `as expected: Prepare (run ${runs()[0] ?? ''})\n`;
  const compared = (await run(['plan', 'upgrade-4.14.yaml', '--compare', 'change.plan'], options)).stdout;
  expect(compared).toMatch(/^No differences from change\.plan \(\w+\)\.\n107 steps were done since that plan, /m);
  expect(compared).toContain(expected);
  const { stdout } = await run(['apply', 'change.plan', '-y'], options);
  expect(stdout).toMatch(/^As approved: all \d+ steps of the plan \w+\.\n107 steps were done before the run, /m);
  expect(stdout).toContain(expected);
});

test('the stage that a run has reached is the one that is not over, also where nothing is promised of it yet', async () => {
  const { run } = await modelInProcess();
  const options = { env: MODEL_SECRETS };
  const upgrade = ['apply', 'upgrade-4.14.yaml', '-y', '--pause-before', 'Back up the configuration'];
  expect((await run(upgrade, options)).exitCode).toBe(130);
  const rest = (await run(['resume', '--dry-run'], options)).stdout;
  expect(rest).toMatch(/^ *→ before the first new indexer starts .* not promised/m);
  expect(rest).not.toMatch(/→ after that/);
  const report = (await run(['report', '--format', 'md'], options)).stdout;
  expect(report).toMatch(/^\| \*\*NOW\*\* before the first new indexer starts \|.*\*\*not promised\*\*/m);
});

test('with all indexers upgraded a rollback may still do, until a shipper or the dashboard starts', async () => {
  const { run } = await modelInProcess();
  const options = { env: MODEL_SECRETS };
  const upgrade = ['apply', 'upgrade-4.14.yaml', '-y', '--pause-before', 'Restore the cluster settings'];
  expect((await run(upgrade, options)).exitCode).toBe(130);
  const rest = (await run(['resume', '--dry-run'], options)).stdout;
  expect(rest).toMatch(/^ *→ until a new index is created /m);
});

describe('the rollback is judged by the indices that are there', () => {
  const STAGE = 'until a new index is created';
  /** An upgrade whose last dashboard does not start; `then` happens as it is installed. */
  async function failedLate(then: (state: PlatformState) => void) {
    harness = modelHarness('{ socket: model.sock }');
    const {
      served: model,
      state,
      watch,
    } = await brokenPlatform(harness, [{ fault: 'start-fails', host: 'dashboard-1', unit: 'platform-dashboard' }]);
    served = { end: () => model.close() };
    let isDone = false;
    watch.onAct = (_, act) => {
      if (isDone || !/^(?!.*download).*install.*platform-dashboard.4\.14\.7/.test(JSON.stringify(act))) return;
      isDone = true;
      then(state);
    };
    const { run } = harness;
    const text = async (...args: readonly string[]) => (await run(args, { env: MODEL_SECRETS })).stdout;
    return { state, end: await text('apply', 'upgrade-4.14.yaml', '-y'), text };
  }

  test('without data in a new index they go back by a rollback, whichever services run', async () => {
    const { state, end, text } = await failedLate((now) => createIndex(now, 'empty', { shards: 2, replicas: 1 }));
    expect(end).toMatch(/ 2 {2}runbook rollback +to 4\.12\.0; about \d+ min.*; data loss: possible if it asks$/m);
    expect(await text('resume', '--dry-run')).toMatch(
      new RegExp(`^ *→ ${STAGE} +runbook rollback (?!.*not promised)`, 'm'),
    );
    state.faults.length = 0;
    await text('resume', '-y');
    expect(await text('report', '--format', 'md')).toContain(
      `\n| **NOW** ${STAGE} | \`runbook rollback\` | about 25 min | possible if it asks |\n`,
    );
  });

  test('with data in one that a newer engine created, only by the snapshot', async () => {
    const { end, text } = await failedLate((state) => addDocument(state, 'fresh', { rule: 1 }));
    expect(end).toMatch(
      / 2 {2}runbook rollback +to 4\.12\.0, if its plan allows it; else restore the snapshot \(about 4 h; data loss: all since the snapshot\)$/m,
    );
    expect(await text('resume', '--dry-run')).toMatch(/^ *→ after that +restore the snapshot/m);
    expect(await text('report', '--format', 'md')).toMatch(
      new RegExp(
        `^\\| ${STAGE} \\|.*no longer promised\\*\\*: an index with data was created by a newer engine.*\n\\| \\*\\*NOW`,
        'm',
      ),
    );
  });

  test('while the cluster does not answer, nothing is promised', async () => {
    const { text } = await failedLate((state) => {
      for (const name of ['indexer-1', 'indexer-2', 'indexer-3'])
        stopService(state, hostOf(state, name), 'platform-indexer');
    });
    expect(await text('report', '--format', 'md')).toMatch(
      new RegExp(
        `^\\| \\*\\*NOW\\*\\* ${STAGE} \\|.*\\*\\*not promised\\*\\*: not seen: No index with data was created by a newer`,
        'm',
      ),
    );
  });
});

const FAILS_ONCE = onePlay(
  `${touch('one', 'one')}      - step: two\n        command: { argv: [test, -e, "@/fixed"], changes: everything, repeatable: true, timeout: 10s }\n`,
);

test('an estimate takes what earlier runs of the inventory measured, also one that failed, whichever playbook imports the step', async () => {
  const { run, path, runs, write } = (harness = localHarness(FAILS_ONCE));
  expect((await run(['plan', 'test.yaml'])).stdout).toContain('Estimate about 10 s, from defaults: no earlier run');
  expect((await run(['apply', 'test.yaml', '-y'])).exitCode).toBe(1);
  const [first = ''] = runs();
  writeFileSync(path(`.runbook/runs/${first}/timings.json`), '{"Work / two":[60000,120000],"Work / one":"torn"}');
  expect((await run(['close', '-y'])).exitCode).toBe(0);
  write('whole.yaml', 'playbook: Whole\nplays: [{ import: test.yaml }]\n');
  for (const playbook of ['test.yaml', 'whole.yaml'])
    expect((await run(['plan', playbook])).stdout).toContain('Estimate 1 min – 2 min, measured by earlier runs');
});

test('an apply keeps how long its steps took, and does without where the file cannot be read', async () => {
  const { run, path, runs, read } = (harness = localHarness(onePlay(touch('one', 'one'))));
  expect((await run(['apply', 'test.yaml', '-y'])).exitCode).toBe(0);
  const file = `.runbook/runs/${runs()[0] ?? ''}/timings.json`;
  expect(Object.keys(JSON.parse(read(file)) as object)).toEqual(['Work / one']);
  writeFileSync(path(file), '{"Work / one":[1');
  expect((await run(['plan', 'test.yaml'])).exitCode).toBe(0);
});

test('a plan names the other inventory on which the same playbook and program succeeded; a playbook that was edited is not rehearsed', async () => {
  const { run, path, read, write } = (harness = localHarness(onePlay(touch('one', 'one'))));
  const rehearsal = async (): Promise<string> =>
    /(not rehearsed|REHEARSED .*)$/m.exec((await run(['plan', 'test.yaml'])).stdout)?.[0] ?? '';
  mkdirSync(path('staging/prod'), { recursive: true });
  write('staging/prod/inventory.yaml', read('inventory.yaml'));
  expect(await rehearsal()).toBe('not rehearsed');
  expect((await run(['apply', 'test.yaml', '-y', '-i', 'staging/prod/inventory.yaml'])).exitCode).toBe(0);
  rmSync(path('one'));
  expect(await rehearsal()).toMatch(
    /^REHEARSED on prod\/inventory\.yaml \d{4}-\d\d-\d\d \d\d:\d\d \S+ \(same playbook and program\)$/,
  );
  // A run of the model says nothing about real hosts.
  const kept = '.local/state/runbook/succeeded.ndjson';
  const line = read(kept);
  write(kept, line.replace('"ofModel":false', '"ofModel":true'));
  expect(await rehearsal()).toBe('not rehearsed');
  // Nor does one from another release, or of another number of hosts in a role; a line of an earlier version does not say.
  for (const [was, is] of [
    ['"from":[]', '"from":["4.11.0"]'],
    ['"hosts":{"":1}', '"hosts":{"":2}'],
    ['"hosts":{"":1}', '"hosts":{"web":1}'],
    ['"hosts":{"":1},', ''],
  ] as const) {
    expect(line).toContain(was);
    write(kept, line.replace(was, is));
    expect(await rehearsal()).toBe('not rehearsed');
  }
  // A line that is cut hides no other.
  write(kept, `${line}{"inventory":`);
  expect(await rehearsal()).toMatch(/^REHEARSED/);
  write('test.yaml', `${read('test.yaml')}# edited\n`);
  expect(await rehearsal()).toBe('not rehearsed');
});

test('an upgrade that finishes what a closed one began is no rehearsal', async () => {
  harness = modelHarness('{ socket: model.sock }');
  const { run, path } = harness;
  const fault = { fault: 'start-fails', host: 'server-2', unit: 'platform-manager' } as const;
  const { served: platform, state } = await brokenPlatform(harness, [fault]);
  const exits = [];
  for (const args of [['apply', 'upgrade-4.14.yaml'], ['close'], ['apply', 'upgrade-4.14.yaml']]) {
    exits.push((await run([...args, '-y'], { env: MODEL_SECRETS })).exitCode);
    state.faults.length = 0;
  }
  await platform.close();
  expect([exits, existsSync(path('.local/state/runbook/succeeded.ndjson'))]).toEqual([[1, 0, 0], false]);
});

test('a state folder that cannot be written stops no run', async () => {
  const { run, write } = (harness = localHarness(onePlay(touch('one', 'one'))));
  write('.local', 'a file');
  expect((await run(['apply', 'test.yaml', '-y'])).exitCode).toBe(0);
});
