import { afterEach, describe, expect, test } from '@jest/globals';
import { existsSync, writeFileSync } from 'node:fs';
import { hasScript, loseTerminal } from './sit.js';
import { brokenPlatform, killedAt, UPGRADE_INDEXER } from './broken-platform.js';
import {
  ctrlC,
  lineOf,
  linesOf,
  localHarness,
  modelHarness,
  MODEL_SECRETS,
  onePlay,
  touch,
  type Harness,
  until,
} from './cli-harness.js';

let harness: Harness | undefined;
const open = (made: Harness): Harness => (harness = made);
const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
  harness?.end();
  harness = undefined;
});

/** A step that ends when the file `go` is there. */
const SLOW = onePlay(
  `${touch('first', 'first')}      - step: slow
        command: { argv: [sh, -c, "until test -e @/go; do sleep 0.05; done; touch @/slow"], creates: "@/slow", changes: ["@/slow"], timeout: 60s }
${touch('last', 'last')}`,
);

const LATER = `  - play: Later\n    hosts: all\n    steps:\n${touch('later', 'later')}`;

describe('Ctrl-C', () => {
  test('once: the current step is finished, no other begins, exit 130; resume does the rest', async () => {
    const { start, run, path } = open(localHarness(SLOW));
    const running = start(['apply', 'test.yaml', '-y'], { detached: true });
    await lineOf(running.stderr, / a {2}slow: /);
    ctrlC(running);
    await lineOf(running.stderr, /Stopping after the current step\. Press Ctrl-C again to stop at once\./);
    writeFileSync(path('go'), '');
    const ran = await running;
    expect([ran.exitCode, existsSync(path('slow')), existsSync(path('last'))]).toEqual([130, true, false]);
    expect(ran.stdout).toContain('Interrupted: in "Work". 2 changed');
    expect(ran.stdout).toMatch(/1 {2}runbook resume /m);
    expect((await run(['resume', '-y'])).exitCode).toBe(0);
    expect(existsSync(path('last'))).toBe(true);
  });

  test('in a play with a safe point: the host at hand is completed, exit 130; resume does the rest', async () => {
    const { start, run, path } = open(
      localHarness(`${SLOW.replace('serial: 1', 'serial: 1\n    safe_point: true')}${LATER}`),
    );
    const running = start(['apply', 'test.yaml', '-y'], { detached: true });
    await lineOf(running.stderr, / a {2}slow: /);
    ctrlC(running);
    await lineOf(running.stderr, /Stopping after a\. Press Ctrl-C again to stop at once\./);
    writeFileSync(path('go'), '');
    const ran = await running;
    expect([ran.exitCode, existsSync(path('last')), existsSync(path('later'))]).toEqual([130, true, false]);
    expect(ran.stdout).toContain('Interrupted: before "Later". 3 changed');
    expect((await run(['resume', '-y'])).exitCode).toBe(0);
    expect(existsSync(path('later'))).toBe(true);
  });

  test('twice: it stops at once, exit 130; resume asks the machine and goes on', async () => {
    const { start, run, path } = open(localHarness(SLOW));
    const running = start(['apply', 'test.yaml', '-y'], { detached: true });
    await lineOf(running.stderr, / a {2}slow: /);
    ctrlC(running);
    await lineOf(running.stderr, /Stopping after/);
    ctrlC(running);
    const ran = await running;
    expect([ran.exitCode, existsSync(path('last'))]).toEqual([130, false]);
    expect((await run(['runs'])).stdout).toMatch(/\(unfinished\)[^]*^ {2}runbook resume +continue from this step$/m);
    writeFileSync(path('go'), '');
    expect((await run(['resume', '-y'])).exitCode).toBe(0);
    expect([existsSync(path('slow')), existsSync(path('last'))]).toEqual([true, true]);
  });
});

/** A command that may be repeated, and says how often it is at work at the same time. */
const REPEATED = onePlay(`      - step: slow
        command:
          argv: [sh, -c, "echo begin >>@/log; until test -e @/go; do sleep 0.05; done; echo end >>@/log"]
          unless: { argv: [test, -e, "@/never"] }
          changes: everything
          repeatable: true
          timeout: 60s
`);

describe('a command that may be repeated', () => {
  test.each([
    [
      'two Ctrl-C',
      async (running: ReturnType<Harness['start']>) => {
        ctrlC(running);
        await lineOf(running.stderr, /Stopping after/);
        ctrlC(running);
      },
    ],
    ['kill -9', async (running: ReturnType<Harness['start']>) => void running.kill('SIGKILL')],
  ])('is not started beside itself by a resume after %s', async (_how, end) => {
    const { start, run, path, read } = open(localHarness(REPEATED));
    const running = start(['apply', 'test.yaml', '-y'], { detached: true });
    await lineOf(running.stderr, / a {2}slow: /);
    await until(() => existsSync(path('log')));
    await end(running);
    await running;
    const resuming = start(['resume', '-y']);
    await lineOf(resuming.stderr, /waiting: "slow", started by an earlier attempt, to end, 0 s of 60 s/);
    expect(read('log')).toBe('begin\n');
    writeFileSync(path('go'), '');
    await resuming;
    expect(read('log')).toMatch(/^begin\nend\n/);
    expect((await run(['show'])).exitCode).toBe(0);
  });

  test('one Ctrl-C ends the wait of a resume for it', async () => {
    const { start, path } = open(localHarness(REPEATED));
    const running = start(['apply', 'test.yaml', '-y'], { detached: true });
    await lineOf(running.stderr, / a {2}slow: /);
    await until(() => existsSync(path('log')));
    running.kill('SIGKILL');
    await running;
    const resuming = start(['resume', '-y'], { detached: true });
    await lineOf(resuming.stderr, /waiting: .*started by an earlier attempt/);
    ctrlC(resuming);
    const ended = await resuming;
    expect([ended.exitCode, ended.stdout]).toEqual([1, expect.stringContaining('still running on the host')]);
    writeFileSync(path('go'), '');
  });
});

describe('a terminal that is gone', () => {
  test('is the first Ctrl-C, however often it is reported: the current step is finished, no other begins', async () => {
    const { start, run, path } = open(localHarness(SLOW));
    const running = start(['apply', 'test.yaml', '-y'], { detached: true });
    await lineOf(running.stderr, / a {2}slow: /);
    running.kill('SIGHUP');
    await lineOf(running.stderr, /Stopping after the current step/);
    running.kill('SIGHUP');
    running.kill('SIGHUP');
    writeFileSync(path('go'), '');
    const ran = await running;
    expect([ran.exitCode, existsSync(path('slow')), existsSync(path('last'))]).toEqual([130, true, false]);
    expect(ran.stdout).toContain('Interrupted: in "Work". 2 changed');
    expect((await run(['resume', '-y'])).exitCode).toBe(0);
  });

  (hasScript ? test : test.skip)('for good: the run stops in the same way, and its exit says so', async () => {
    const at = open(localHarness(SLOW));
    const goOn = (): void => writeFileSync(at.path('go'), '');
    expect(await loseTerminal(at, ['apply', 'test.yaml', '-y'], /a +slow/, goOn)).toBe(130);
    expect([existsSync(at.path('slow')), existsSync(at.path('last'))]).toEqual([true, false]);
  });
});

describe('a platform that outlives its controllers', () => {
  const openModel = async (): Promise<Harness> => {
    const made = open(modelHarness('{ socket: model.sock }'));
    const model = made.start(['model', 'upgrade-4.14.yaml'], { env: MODEL_SECRETS });
    ends.push(async () => {
      model.kill('SIGTERM');
      await model;
    });
    await lineOf(model.stdout, /listens on/);
    return made;
  };

  test.each([
    ['while the second indexer is being upgraded', UPGRADE_INDEXER, 2],
    ['while allocation is being changed', /allocation\.enable.*primaries/, 1],
    ['while the master is being upgraded', /^(?!.*download).*platform-manager.4\.14\.7/, 2],
  ])('the controller is killed with kill -9 %s; resume brings the upgrade to its end', async (_when, pattern, nth) => {
    const harness = open(modelHarness('{ socket: model.sock }'));
    const { run, runs, journalOf } = harness;
    const { served, watch } = await brokenPlatform(harness, []);
    ends.push(() => served.close());
    await killedAt(harness, watch, ['apply', 'upgrade-4.14.yaml', '-y'], pattern, nth);
    const id = runs()[0] ?? '';
    expect((await run(['show'])).stdout).toContain('Run interrupted: the controller process ended');
    expect((await run(['apply', 'upgrade-4.14.yaml', '-y'], { env: MODEL_SECRETS })).exitCode).toBe(5);
    const resumed = await run(['resume', '-y'], { env: MODEL_SECRETS });
    expect([resumed.exitCode, resumed.stdout]).toEqual([
      0,
      expect.stringContaining('✓ Upgrade to release line 4.14: done'),
    ]);
    const settled = journalOf(id).flatMap(({ event: e }) =>
      e.e === 'settled' && e.as === 'done' ? [`${e.task.step} ${JSON.stringify(e.task.on)}`] : [],
    );
    expect(new Set(settled).size).toBe(settled.length);
    const again = linesOf((await run(['plan', 'upgrade-4.14.yaml', '--json'], { env: MODEL_SECRETS })).stdout);
    expect(again.filter((l) => (l['event'] as { verdict?: string } | undefined)?.verdict === 'change')).toEqual([]);
    expect((await run(['runs'])).stdout).toMatch(new RegExp(`^${id} +done `, 'm'));
  });

  test('the model ends on request and removes its socket', async () => {
    const { path } = await openModel();
    expect(existsSync(path('model.sock'))).toBe(true);
    await ends.splice(0)[0]?.();
    expect(existsSync(path('model.sock'))).toBe(false);
  });
});
