import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { seal } from '../../../engine/lib/sealed.js';
import { localHarness, onePlay, openHarness, touch, type Harness } from '../cli-harness.js';

let harness: Harness;
const TWO = onePlay(`${touch('one', '{{vars.x}}')}${touch('two', 'two')}`).replace(
  'plays:',
  'vars: { x: one }\nplays:',
);
beforeEach(() => {
  harness = localHarness(TWO);
});
afterEach(() => harness.end());

const planned = async (...more: readonly string[]): Promise<string> => {
  const { stdout, stderr, exitCode } = await harness.run(['plan', 'test.yaml', '-o', 'change.plan', ...more]);
  expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 });
  return /Written to change\.plan \((\w{8})\)/.exec(stdout)?.[1] ?? '';
};
const apply = (...more: readonly string[]) => harness.run(['apply', 'change.plan', '-y', ...more]);
const isThere = (...names: readonly string[]): readonly boolean[] =>
  names.map((name) => existsSync(harness.path(name)));

test('an approved plan is applied without the flags that it was made with, and shown', async () => {
  const id = await planned('-l', 'a', '-e', 'x=three');
  const shown = await harness.run(['show', 'change.plan', '--detail']);
  expect(shown.stdout).toContain('Try · 1 host   READY');
  expect(shown.stdout).toMatch(/↻ touch .*three {2}one/);
  expect(shown.stdout).toMatch(new RegExp(`change\\.plan \\(${id}\\): valid until .* UTC, not applied yet$`));
  const dry = await harness.run(['apply', 'change.plan', '--dry-run']);
  expect(dry.stdout).toContain(`\nNo differences from ${harness.path('change.plan')} (${id}).\n`);
  expect(dry.stdout).toMatch(/^To apply: {2}runbook apply \S*\/change\.plan$/m);
  expect((await apply()).exitCode).toBe(0);
  expect(isThere('one', 'two', 'three')).toEqual([false, true, true]);
  expect((await harness.run(['show', 'change.plan'])).stdout).toMatch(/applied by the run \d{4}-/);
});

test('a colleague applies a plan in a folder with the same files, where the run is kept', async () => {
  await planned();
  const names = ['platform.yaml', 'test.yaml', 'inventory.yaml', 'change.plan'].filter((name) => isThere(name)[0]);
  const colleague = openHarness(Object.fromEntries(names.map((name) => [name, harness.read(name)])));
  expect(await colleague.run(['apply', 'change.plan', '-y'])).toMatchObject({ exitCode: 0 });
  expect([harness.runs().length, colleague.runs().length]).toEqual([0, 1]);
  colleague.end();
});

test('a plan has one id: on its page, where it was written, where it is compared', async () => {
  const id = await planned();
  expect((await harness.run(['show', 'change.plan'])).stdout).toMatch(new RegExp(` plan ${id}$`, 'm'));
});

test.each([
  [
    'plan',
    'change.plan is a plan, not a playbook; runbook show change.plan prints it, runbook apply change.plan applies it',
  ],
  [
    'apply',
    'there is no file gone.plan; a playbook ends in .yaml, and a plan is written by runbook plan PLAYBOOK -o gone.plan',
  ],
])('%s of a file that it does not take names the cause and what to do', async (verb, message) => {
  await planned();
  const { exitCode, stderr } = await harness.run([verb, verb === 'plan' ? 'change.plan' : 'gone.plan']);
  expect([exitCode, stderr]).toEqual([2, `runbook: ${message}`]);
});

describe('an approved plan is refused, and nothing is changed:', () => {
  const refused = async (text: string | RegExp, ...more: readonly string[]): Promise<void> => {
    const { exitCode, stderr } = await apply(...more);
    expect(exitCode === 2 || exitCode === 3).toBe(true);
    expect(stderr).toMatch(text);
    expect([...isThere('one', 'two'), ...harness.runs()]).toEqual([false, false]);
  };

  test('edited', async () => {
    await planned();
    writeFileSync(
      harness.path('change.plan'),
      readFileSync(harness.path('change.plan'), 'utf8').replace('READY', 'ready'),
    );
    await refused('change.plan was edited or is damaged; plan again');
  });

  test('cut short', async () => {
    await planned();
    writeFileSync(harness.path('change.plan'), readFileSync(harness.path('change.plan')).subarray(0, 300));
    await refused('change.plan was edited or is damaged; plan again');
  });

  test('expired', async () => {
    await planned('--valid', '0s');
    await refused(/change\.plan expired .* UTC\n {2}plan again/);
  });

  test('from a clock that is ahead of this one', async () => {
    await planned();
    const { sum: _sum, ...plan } = JSON.parse(harness.read('change.plan')) as Record<string, unknown>;
    harness.write('change.plan', seal(JSON.stringify({ ...plan, atMs: Date.now() + 3_600_000 })));
    await refused(/change\.plan was made .* UTC, which is in the future\n {2}compare the clock/);
  });

  test('of a playbook that was edited since', async () => {
    await planned();
    harness.write('test.yaml', TWO.replace('step: two', 'step: too'));
    await refused(/changed since change\.plan \(\w{8}\) was made: .*\/test\.yaml\n/);
  });

  test('of an inventory that was edited since', async () => {
    await planned();
    harness.write('inventory.yaml', `${harness.read('inventory.yaml')}# more\n`);
    await refused(/changed since change\.plan \(\w{8}\) was made: .*\/inventory\.yaml\n/);
  });

  test('of variables in a file that was edited since', async () => {
    harness.write('more.yaml', 'x: 1\n');
    await planned('-e', '@more.yaml');
    harness.write('more.yaml', 'x: 2\n');
    await refused(/the playbooks, the inventory or the variables of change\.plan \(\w{8}\) are others now/);
  });

  test('with an inventory, variables or steps of its own', async () => {
    await planned();
    for (const more of [
      ['-i', 'inventory.yaml'],
      ['-e', 'x=1'],
      ['-l', 'a'],
      ['-t', 'late'],
    ])
      await refused('change.plan has its inventory, variables and steps: leave out -i', ...more);
  });
});

test('a file that is no plan is not taken for a playbook', async () => {
  harness.write('noise.plan', '\u0000\u0001 no plan');
  for (const verb of ['apply', 'plan', 'validate']) {
    const ran = await harness.run([verb, 'noise.plan']);
    expect([ran.exitCode, ran.stderr]).toEqual([2, expect.stringContaining('noise.plan is neither a playbook')]);
  }
});

test('is applied once', async () => {
  await planned();
  expect((await apply()).exitCode).toBe(0);
  const again = await apply();
  expect(again.exitCode).toBe(3);
  expect(again.stderr).toMatch(/change\.plan \(\w{8}\) was applied by the run \S+; a plan is applied once\n/);
});

test('stopped before its first change it was not applied: it may be again', async () => {
  await planned();
  const stopped = await apply('--pause-before', 'Work');
  expect([stopped.exitCode, isThere('one', 'two')]).toEqual([130, [false, false]]);
  expect([(await apply()).exitCode, isThere('one', 'two')]).toEqual([0, [true, true]]);
});

test('a file that exists is not overwritten; a plan that is refused or has nothing to do is not written', async () => {
  await planned();
  const before = harness.read('change.plan');
  const again = await harness.run(['plan', 'test.yaml', '-o', 'change.plan']);
  expect([again.exitCode, again.stderr]).toEqual([2, 'runbook: change.plan exists; name another file, or remove it']);
  expect(harness.read('change.plan')).toBe(before);
  expect((await apply()).exitCode).toBe(0);
  expect((await harness.run(['plan', 'test.yaml', '-o', 'other.plan'])).stdout).toMatch(/Nothing to do\.$/);
  harness.write('test.yaml', onePlay('      - step: look\n        check: { that: 1 == 2, message: no good }\n'));
  expect((await harness.run(['plan', 'test.yaml', '-o', 'other.plan'])).exitCode).toBe(3);
  expect(isThere('other.plan')).toEqual([false]);
  expect((await harness.run(['plan', 'test.yaml', '-o', 'no/such/folder'])).exitCode).toBe(3);
});

describe('a platform that is no longer as it was', () => {
  const STEPS = onePlay(
    `      - step: write\n        file: { path: "@/conf", state: file, content: "new\\n" }\n${touch('one', 'one')}`,
  );
  beforeEach(() => {
    harness.write('test.yaml', STEPS);
    harness.write('conf', 'old\n');
  });

  test('stops an approved plan at another diff, and at a step that is not needed or was not planned; each may be allowed', async () => {
    harness.write('one', '');
    await planned();
    harness.write('conf', 'other\n');
    const { rm } = await import('node:fs/promises');
    await rm(harness.path('one'));
    const compared = await harness.run(['plan', 'test.yaml', '--compare', 'change.plan']);
    const { exitCode, stderr } = await apply();
    expect([exitCode, harness.read('conf'), ...isThere('one')]).toEqual([3, 'other\n', false]);
    for (const text of [compared.stdout, stderr]) {
      expect(text).toMatch(/^ {2,4}~ a {2}write: .*\(its diff differs from the approved plan\)$/m);
      expect(text).toMatch(/^ {2,4}\+ a {2}one: .*\(not in the approved plan\)$/m);
    }
    expect(compared.stdout).toContain('\n2 differences from change.plan (');
    expect(stderr).toMatch(/runbook apply \S*change\.plan --allow write --allow one$/);
    expect((await apply('--allow', 'write')).exitCode).toBe(3);
    expect((await apply('--allow', 'write', '--allow', 'one')).exitCode).toBe(0);
    expect([harness.read('conf'), ...isThere('one')]).toEqual(['new\n', true]);
  });

  test('where a planned step is done already: only what another run of the inventory did is expected', async () => {
    await planned();
    harness.write('conf', 'new\n');
    const { stderr } = await apply();
    expect(stderr).toMatch(/- a {2}write: .*\(no longer needed, and no run of this inventory did it since\)/);
    harness.write('conf', 'old\n');
    harness.write(
      'part.yaml',
      STEPS.slice(0, STEPS.indexOf('      - step: one')).replace('step: write', 'step: another'),
    );
    expect((await harness.run(['apply', 'part.yaml', '-y'])).exitCode).toBe(0);
    expect((await harness.run(['plan', 'test.yaml', '--compare', 'change.plan'])).stdout).toMatch(
      new RegExp(
        `^No differences from change\\.plan \\(\\w+\\)\\.\\n1 step was done since that plan, as expected: Try \\(run ${harness.runs().at(-1) ?? ''}\\)$`,
        'm',
      ),
    );
    expect((await apply()).exitCode).toBe(0);
  });
});

test.each([
  ['towo', 'unknown step "towo"; did you mean "two"?'],
  ['Nosuch step', 'unknown step "Nosuch step"'],
])('--allow %s, which no step is named, is refused before hosts are contacted', async (name, message) => {
  await planned();
  const { exitCode, stdout, stderr } = await apply('--allow', 'one', '--allow', name);
  expect([exitCode, stdout, stderr]).toEqual([2, '', `runbook: --allow: ${message}`]);
});

test('--allow takes a step of a loop, also with an item that the plan does not have', async () => {
  harness.write('test.yaml', TWO.replace('step: two\n', 'step: two\n        loop: ["two", "2"]\n'));
  await planned();
  expect((await apply('--allow', 'two [new]', '--allow', 'two [2]')).exitCode).toBe(0);
});

test('--allow without a plan file is refused', async () => {
  const { exitCode, stderr } = await harness.run(['apply', 'test.yaml', '-y', '--allow', 'one']);
  expect([exitCode, stderr]).toEqual([2, 'runbook: --allow belongs to a plan file: runbook apply FILE']);
});
