import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { cpSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { markerText } from '../../engine/journal/host-marker.js';
import { localHarness, onePlay, touch, type Harness } from './cli-harness.js';
import { sit } from './sit.js';

/*
 * A run's folder that was set back to an earlier copy as a whole, journal and marker of its end together: only the hosts know that more was
 * done. Beside the lease each has a marker that names the last record of its last action.
 */

let harness: Harness;
const once = (name: string): string =>
  `      - step: ${name}\n        command: { argv: [sh, -c, "echo ${name} >>@/did"], changes: ["@/did"], timeout: 10s }\n`;

beforeEach(() => {
  harness = localHarness(
    onePlay(
      `${touch('first', 'first')}      - step: stop here\n        command: { argv: [test, -e, "@/open"], changes: everything, repeatable: true, timeout: 10s }\n` +
        `${once('pay')}      - step: fails\n        command: { argv: [test, -e, "@/fixed"], changes: everything, repeatable: true, timeout: 10s }\n  - play: Later\n    hosts: all\n    steps:\n${once('later')}`,
    ),
  );
  harness.write(
    'platform.yaml',
    `platform: Test\nroles: { node: { description: A node } }\nlease: { roles: [node], file: ${harness.path('host/lease')} }\n`,
  );
  harness.write(
    'inventory.yaml',
    'platform: {}\nendpoints: {}\nsecrets: {}\nhosts:\n  a: { address: 127.0.0.1, machine: local, roles: [node] }\n',
  );
});
afterEach(() => harness.end());

const runs = (): string => harness.path('.runbook');
const copy = (): string => harness.path('copy');
/** The run's folder, to see that nothing was written to it. */
const everything = (): string => harness.everythingOf(harness.runs()[0] ?? '');

/** Copies the run's folder when it has stopped for the first time, goes on until it stops again, and sets the folder back. */
async function setBack(): Promise<void> {
  expect((await harness.run(['apply', 'test.yaml', '-y', '--no-diagnose'])).exitCode).toBe(1);
  cpSync(runs(), copy(), { recursive: true });
  harness.write('open', '');
  expect((await harness.run(['resume', '-y', '--no-diagnose'])).exitCode).toBe(1);
  expect(harness.read('did')).toBe('pay\n');
  cpSync(runs(), harness.path('newest'), { recursive: true });
  rmSync(runs(), { recursive: true });
  cpSync(copy(), runs(), { recursive: true });
  harness.write('fixed', '');
}

const lookAt = async (...args: readonly string[]) => {
  const { exitCode, stdout, stderr } = await harness.run(args);
  return { exitCode, said: `${stdout}${stderr}` };
};
const markers = (): readonly string[] => readdirSync(harness.path('host'));

describe('a folder that was set back to an earlier copy', () => {
  test.each([
    ['resume', '-y'],
    ['resume', '--dry-run'],
    ['close', '-y'],
    ['close', '--dry-run'],
  ])('refuses %s %s: nothing is done twice, and host, record and place are named', async (...args) => {
    await setBack();
    const before = everything();
    const { exitCode, said } = await lookAt(...args);
    expect([exitCode, harness.read('did')]).toEqual([3, 'pay\n']);
    expect(said).toMatch(
      /nothing was changed: \S+\/journal\.ndjson is older than a: it has \d+ records, and an action there came after record \d+ \(".*fails"\), which it lacks\n {2}put the newest copy of /,
    );
    expect(everything()).toBe(before);
  });

  test('goes on once the newest copy is back, and the marker goes when the run is done', async () => {
    await setBack();
    expect((await lookAt('resume', '-y')).exitCode).toBe(3);
    rmSync(runs(), { recursive: true });
    cpSync(harness.path('newest'), runs(), { recursive: true });
    expect([(await lookAt('resume', '-y')).exitCode, harness.read('did')]).toEqual([0, 'pay\nlater\n']);
    expect(markers()).toEqual([]);
  });
});

describe('resume --from-hosts', () => {
  test('shows what is not known, does nothing twice, and goes on by what the operator says', async () => {
    await setBack();
    const page = await lookAt('resume', '--dry-run', '--from-hosts');
    expect(page.said).toContain("it is not known whether this was done before the run was cut: sh -c 'echo pay");
    const stopped = await lookAt('resume', '-y', '--from-hosts', '--no-diagnose');
    expect([stopped.exitCode, harness.read('did')]).toEqual([1, 'pay\n']);
    expect(stopped.said).toMatch(/is older than a: .* goes on from what the hosts have/);
    expect(stopped.said).toContain('--done STEP or --not-done STEP');
    const done = await lookAt('resume', '-y', '--done', 'pay');
    expect([done.exitCode, harness.read('did'), markers()]).toEqual([0, 'pay\nlater\n', []]);
    expect((await lookAt('report', '--format', 'md')).said).toMatch(/is older than a/);
  });

  test('does again what the operator says was not done', async () => {
    await setBack();
    await lookAt('resume', '-y', '--from-hosts', '--no-diagnose');
    expect([(await lookAt('resume', '-y', '--not-done', 'pay')).exitCode, harness.read('did')]).toEqual([
      0,
      'pay\npay\nlater\n',
    ]);
  });

  test('asks at a terminal, and of nothing that comes after the marker', async () => {
    await setBack();
    const sat = await sit(harness, ['resume', '-y', '--from-hosts'], [[/done, or not done\?/, 'done']]);
    expect([sat.exitCode, sat.unasked, harness.read('did')]).toEqual([0, 0, 'pay\nlater\n']);
  });

  test('that stopped leaves a run that can be closed, whose markers go', async () => {
    await setBack();
    await lookAt('resume', '-y', '--from-hosts', '--no-diagnose');
    expect([(await lookAt('close', '-y')).exitCode, harness.read('did'), markers()]).toEqual([0, 'pay\n', []]);
  });

  test('of a folder that is not older is a resume', async () => {
    expect((await lookAt('apply', 'test.yaml', '-y', '--no-diagnose')).exitCode).toBe(1);
    harness.write('open', '');
    harness.write('fixed', '');
    expect([(await lookAt('resume', '-y', '--from-hosts')).exitCode, harness.read('did')]).toEqual([0, 'pay\nlater\n']);
  });
});

describe('a folder that is lost', () => {
  /** The run stopped at its second failure; what was done is known on the host alone. */
  async function lose(): Promise<void> {
    await setBack();
    rmSync(runs(), { recursive: true });
  }

  test('is named before a new run acts, with the run, its record and the way on', async () => {
    await lose();
    const { exitCode, said } = await lookAt('apply', 'test.yaml', '-y', '--no-diagnose');
    expect([exitCode, harness.read('did')]).toEqual([3, 'pay\n']);
    expect(said).toMatch(
      /nothing was changed: a has an action of the run 2\S+Z after its record \d+ \(".*fails"\), and that run is not here\n {2}put the folder of that run .*\n.*runbook apply test\.yaml --from-hosts /,
    );
    expect(markers()).toEqual(['lease.journal']);
    const other = await lookAt('resume', '-y', '--from-hosts');
    expect([other.exitCode, other.said]).toEqual([2, expect.stringContaining('runbook apply PLAYBOOK --from-hosts')]);
  });

  test.each([
    ['plan', '-v'],
    ['apply', '--dry-run'],
    ['plan', '-o', 'plan.json'],
    ['plan', '--why', 'pay'],
  ])('is named by %s %s, which is no more ready than the apply', async (verb, ...flags) => {
    await lose();
    const { exitCode, said } = await lookAt(verb, 'test.yaml', ...flags);
    expect([exitCode, said]).toEqual([3, expect.stringMatching(/^runbook: nothing was changed: a has an action of/)]);
    expect(said).toMatch(/runbook apply test\.yaml --from-hosts /);
    expect(markers()).toEqual(['lease.journal']);
  });

  test('is gone on from: each step decides from its host, and what cannot be read is asked', async () => {
    await lose();
    const page = await lookAt('apply', 'test.yaml', '--dry-run', '--from-hosts');
    expect(page.said).toContain("it is not known whether this was done before the run was cut: sh -c 'echo pay");
    expect(page.said).toMatch(
      /a has an action of the run .*, and that run is\s+not here: the run goes on from what the hosts have/,
    );
    const stopped = await lookAt('apply', 'test.yaml', '-y', '--from-hosts', '--no-diagnose');
    expect([stopped.exitCode, harness.read('did'), stopped.said]).toEqual([
      1,
      'pay\n',
      expect.stringContaining('--done STEP'),
    ]);
    const done = await lookAt('resume', '-y', '--done', 'pay');
    expect([done.exitCode, harness.read('did'), markers()]).toEqual([0, 'pay\nlater\n', []]);
  });

  test('asks at a terminal, once, and of nothing that comes after the marker', async () => {
    await lose();
    const sat = await sit(harness, ['apply', 'test.yaml', '-y', '--from-hosts'], [[/done, or not done\?/, 'not done']]);
    expect([sat.exitCode, sat.unasked, harness.read('did')]).toEqual([0, 0, 'pay\npay\nlater\n']);
  });

  test('of a run that is done is none, though a host was away at its end', async () => {
    await lose();
    const marker = harness.read('host/lease.journal');
    expect((await lookAt('apply', 'test.yaml', '-y', '--from-hosts', '--no-diagnose')).exitCode).toBe(1);
    const own = harness.read('host/lease.journal');
    expect((await lookAt('resume', '-y', '--done', 'pay')).exitCode).toBe(0);
    writeFileSync(harness.path('host/lease.journal'), own);
    expect((await lookAt('apply', 'test.yaml', '-y')).exitCode).toBe(0);
    writeFileSync(harness.path('host/lease.journal'), marker);
    expect((await lookAt('apply', 'test.yaml', '-y')).exitCode).toBe(3);
  });
});

describe('a marker', () => {
  const failed = async (): Promise<void> => {
    expect((await harness.run(['apply', 'test.yaml', '-y', '--no-diagnose'])).exitCode).toBe(1);
    expect(markers()).toEqual(['lease.journal']);
  };

  test('stays on a host that was given up, as the end says; the next run of this folder removes it', async () => {
    await failed();
    const closed = await lookAt('close', '-y', '--without', 'a');
    expect([closed.exitCode, closed.said, markers()]).toEqual([
      0,
      expect.stringContaining('The marker of this run stays on a, which did not answer at its end.'),
      ['lease.journal'],
    ]);
    harness.write('open', '');
    harness.write('fixed', '');
    expect([(await lookAt('apply', 'test.yaml', '-y')).exitCode, markers()]).toEqual([0, []]);
  });

  test('goes when the run is closed', async () => {
    await failed();
    expect([(await lookAt('close', '-y')).exitCode, markers()]).toEqual([0, []]);
  });

  test.each([
    ['nonsense', '}{'],
    ['empty', ''],
    ['of another run', markerText({ run: '../..', first: 'other', seq: 9999, sum: 'x', step: '' })],
  ])('that is %s is no damage', async (_what, text) => {
    await failed();
    writeFileSync(harness.path('host/lease.journal'), text);
    harness.write('open', '');
    harness.write('fixed', '');
    expect([(await lookAt('resume', '-y')).exitCode, harness.read('did'), markers()]).toEqual([0, 'pay\nlater\n', []]);
  });
});
