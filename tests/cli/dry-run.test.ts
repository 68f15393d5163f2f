import { afterEach, expect, test } from '@jest/globals';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { lineOf, localHarness, onePlay, touch, type Harness } from './cli-harness.js';

let harness: Harness;
afterEach(() => harness.end());

/** A service that is away while the second play works. */
const PLAYS = `${onePlay(`      - step: Take the site down
        file: { path: "@/up", state: absent }
        temporary: { no_restore_after: begun, file: { path: "@/up", state: file, content: "ok" } }
${touch('one', 'one').replace('step: one', 'step: one\n        id: begun')}`)}  - play: Later
    hosts: all
    steps:
${touch('two', 'two')}`;

/** Every file in the harness, with what it holds. */
const everything = (): Readonly<Record<string, string>> =>
  Object.fromEntries(
    readdirSync(harness.folder, { recursive: true })
      .map(String)
      .map((name) => [
        name,
        statSync(harness.path(name)).isFile() ? readFileSync(join(harness.folder, name), 'utf8') : '',
      ]),
  );

async function stopped(): Promise<string> {
  harness = localHarness(PLAYS);
  harness.write('up', 'ok');
  expect((await harness.run(['apply', 'test.yaml', '-y', '--pause-before', 'Later'])).exitCode).toBe(130);
  return harness.runs()[0] ?? '';
}

test('resume --dry-run: the page of what is left; nothing is changed or written', async () => {
  const id = await stopped();
  const before = everything();
  const { exitCode, stdout } = await harness.run(['resume', '--dry-run', '--detail']);
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(
    /^Try · 1 host {3}READY\nDRY RUN of the rest of the run \S+ at \S+ \S+ \S+, nothing was changed/,
  );
  expect(stdout).toMatch(/↻ touch .*two/);
  expect(stdout).not.toMatch(/touch .*one/);
  expect(stdout).toContain(`the run ${id}`);
  expect(stdout).toContain('Temporary changes in effect: Take the site down (a)\n');
  expect(stdout).toMatch(/\nTo continue it: {2}runbook resume$/);
  expect(everything()).toEqual(before);
  const document = await harness.run(['resume', '--dry-run', '--format', 'md']);
  expect([document.exitCode, document.stdout]).toEqual([0, expect.stringMatching(/^# .*Try[^]*touch .*two/)]);
  expect([document.stdout, document.stderr]).toEqual([
    expect.not.stringContaining('To continue it'),
    expect.stringMatching(/\nTo continue it: {2}runbook resume$/),
  ]);
  expect((await harness.run(['resume', '--format', 'md'])).exitCode).toBe(2);
  const refused = await harness.run(['resume']);
  expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining('there is no terminal; use -y')]);
  expect(everything()).toEqual(before);
  expect((await harness.run(['resume', '-y'])).exitCode).toBe(0);
});

test('close --dry-run: what is restored and what will not run; nothing is changed or written', async () => {
  await stopped();
  harness.write('up', 'not ours');
  const before = everything();
  const { exitCode, stdout } = await harness.run(['close', '--dry-run']);
  expect([exitCode, stdout]).toEqual([0, expect.stringMatching(/^DRY RUN, nothing was changed\n/)]);
  expect(stdout).toMatch(/Will not run:[^]*Later/);
  expect(stdout).toContain('1. undone on a: Take the site down');
  expect(stdout).toContain('-not ours');
  expect(stdout).toMatch(/\nTo close the run: {2}runbook close$/);
  expect(everything()).toEqual(before);
});

test.each(['resume', 'close'])(
  '%s --dry-run is refused while a process works on the run, and where there is none',
  async (verb) => {
    harness = localHarness(
      onePlay(`      - step: wait
        command: { argv: [sh, -c, "until test -e @/go; do sleep 0.05; done"], changes: everything, timeout: 60s }
`),
    );
    expect((await harness.run([verb, '--dry-run'])).exitCode).toBe(2);
    const running = harness.start(['apply', 'test.yaml', '-y']);
    await lineOf(running.stderr, / a {2}wait: /);
    const refused = await harness.run([verb, '--dry-run']);
    expect([refused.exitCode, refused.stderr]).toEqual([5, expect.stringContaining('is in use by runbook apply')]);
    harness.write('go', '');
    expect((await running).exitCode).toBe(0);
  },
);
