import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { existsSync } from 'node:fs';
import { lineOf, localHarness, modelHarness, MODEL_SECRETS, onePlay, touch, type Harness } from './cli-harness.js';
import { hasScript, loseTerminal, showMeanwhile, sit } from './sit.js';

let harness: Harness;
afterEach(() => harness.end());

const isThere = (...names: readonly string[]): readonly boolean[] =>
  names.map((name) => existsSync(harness.path(name)));
const twoPlays = (): Harness => {
  harness = localHarness(
    `${onePlay(touch('one', 'one'))}  - play: Later\n    hosts: all\n    steps:\n${touch('two', 'two')}`,
  );
  harness.write('whole.yaml', 'playbook: Whole\nplays:\n  - { import: test.yaml }\n');
  return harness;
};

describe('--pause-before', () => {
  test.each(['Later', 'Try / Later'])(
    'without a terminal the run stops before the play, and is resumed: %s',
    async (name) => {
      const { run } = twoPlays();
      const stopped = await run(['apply', 'whole.yaml', '-y', '--pause-before', name]);
      expect([stopped.exitCode, ...isThere('one', 'two')]).toEqual([130, true, false]);
      expect(stopped.stderr).toContain('Paused before "Try / Later": the run stops here; runbook resume continues it.');
      expect(stopped.stdout).toContain('Interrupted: before "Later". 1 changed in ');
      expect((await run(['resume', '-y', '--pause-before', name])).exitCode).toBe(130);
      const resumed = await run(['resume', '-y']);
      expect([resumed.exitCode, ...isThere('one', 'two')]).toEqual([0, true, true]);
    },
  );

  test('an imported playbook is paused before its first play only', async () => {
    const { run } = twoPlays();
    const stopped = await run(['apply', 'whole.yaml', '-y', '--pause-before', 'Try']);
    expect([stopped.exitCode, ...isThere('one', 'two')]).toEqual([130, false, false]);
  });

  (hasScript ? test : test.skip)('at a terminal it asks', async () => {
    twoPlays();
    const yes = await sit(
      harness,
      ['apply', 'test.yaml', '-y', '--pause-before', 'Later'],
      [
        [/Paused before "Later". Continue\?/, '?'],
        [/Paused before "Later". Answer y to continue, n to stop the run/, 'y'],
      ],
    );
    expect([yes.exitCode, yes.unasked, ...isThere('one', 'two')]).toEqual([0, 0, true, true]);
  });
});

describe('a step', () => {
  const STEPS = onePlay(`${touch('one', 'one')}${touch('two', 'two')}`);
  test.each([
    ['--pause-before', 'two'],
    ['--pause-before', 'Work / two'],
    ['--pause-after', 'one'],
  ])('%s %s: the run stops between the steps, and is resumed', async (flag, name) => {
    harness = localHarness(STEPS);
    const stopped = await harness.run(['apply', 'test.yaml', '-y', flag, name]);
    expect([stopped.exitCode, ...isThere('one', 'two')]).toEqual([130, true, false]);
    expect(stopped.stderr).toContain('Paused before "Work / two": the run stops here');
    const resumed = await harness.run(['resume', '-y', flag, 'one']);
    expect([resumed.exitCode, ...isThere('two')]).toEqual(flag === '--pause-after' ? [130, false] : [0, true]);
  });
  test('after the last step of a play is before the next play', async () => {
    const { run } = twoPlays();
    const stopped = await run(['apply', 'test.yaml', '-y', '--pause-after', 'one']);
    expect([stopped.exitCode, ...isThere('one', 'two')]).toEqual([130, true, false]);
    expect(stopped.stderr).toContain('Paused before "Later"');
  });
  test('after the last step of all is refused', async () => {
    const { run } = twoPlays();
    const { exitCode, stderr } = await run(['apply', 'test.yaml', '-y', '--pause-after', 'two']);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('the run ends after step "two"')]);
  });
});

(hasScript ? test : test.skip)('runbook stop ends a run that is paused: it does not wait for an answer', async () => {
  const { start } = twoPlays();
  let shown = '';
  const stop = (): undefined => {
    shown = showMeanwhile(harness);
    void start(['stop']);
  };
  const paused = await sit(
    harness,
    ['apply', 'test.yaml', '-y', '--pause-before', 'Later'],
    [[/Continue\?.*\[y\/N\]/, stop]],
  );
  expect([paused.exitCode, paused.unasked, ...isThere('one', 'two')]).toEqual([130, 0, true, false]);
  expect(shown).toMatch(
    /^Run waits for an answer, to be given where it runs\. 1 changed\. .*\nQuestion: Paused before "Later"$/m,
  );
});

(hasScript ? describe : describe.skip)('a question of a step', () => {
  const SURE = `${touch('one', 'one')}      - step: sure\n        confirm: { question: "Sure?" }\n${touch('two', 'two')}`;
  const asked = (answer: string | (() => undefined)) =>
    sit(harness, ['apply', 'test.yaml', '-y'], [[/Sure\? \[y\/N\] /, answer]]);
  const stop = (): undefined => void harness.start(['stop']);

  test.each([
    ['Ctrl-C', '\u0003'],
    ['runbook stop', stop],
  ])('%s stops the run there, and a resume asks again', async (_by, answer) => {
    harness = localHarness(onePlay(SURE));
    const stopped = await asked(answer);
    expect([stopped.exitCode, stopped.unasked, ...isThere('one', 'two')]).toEqual([130, 0, true, false]);
    expect(stopped.shown).toContain('Interrupted: in "Work".');
    expect(stopped.shown).not.toContain('FAILED');
    const resumed = await sit(harness, ['resume', '-y'], [[/Sure\? \[y\/N\] /, 'y']]);
    expect([resumed.exitCode, resumed.unasked, ...isThere('two')]).toEqual([0, 0, true]);
  });

  test('a lost terminal stops the run there', async () => {
    harness = localHarness(onePlay(SURE));
    expect(await loseTerminal(harness, ['apply', 'test.yaml', '-y'], /Sure\? \[y/)).toBe(130);
    expect(harness.journalOf(harness.runs()[0] ?? '').at(-1)?.event).toMatchObject({
      e: 'run-ended',
      as: 'interrupted',
    });
  });

  test.each(['SIGTERM', 'SIGHUP', 'a lost terminal'])(
    '%s at the question whether to begin leaves nothing behind',
    async (by) => {
      harness = localHarness(onePlay(SURE));
      const question = /Start the run\? \[y/;
      const signal = (pid: number): undefined => {
        process.kill(pid, by);
      };
      const args = ['apply', 'test.yaml'];
      const exit = by.startsWith('SIG')
        ? (await sit(harness, args, [[question, signal]])).exitCode
        : await loseTerminal(harness, args, question);
      expect([exit, harness.runs()]).toEqual([3, []]);
    },
  );

  test('Ctrl-D is no answer: the step fails, and says so', async () => {
    harness = localHarness(onePlay(SURE));
    const failed = await asked('\u0004');
    expect([failed.exitCode, ...isThere('one', 'two')]).toEqual([1, true, false]);
    expect(failed.shown).toContain('"Sure? [y/N]" was not answered');
  });
});

test('--pause-after a host of a serial play stops before the next one', async () => {
  harness = modelHarness('{ from: 4.12.0 }');
  const write = '      - step: write\n        file: { path: /tmp/x, state: file, content: x }\n';
  harness.write('test.yaml', onePlay(write).replace('hosts: all', 'hosts: indexer'));
  const stopped = await harness.run(['apply', 'test.yaml', '-y', '--pause-after', 'indexer-2'], { env: MODEL_SECRETS });
  expect(stopped.exitCode).toBe(130);
  expect(stopped.stderr).toContain('Paused after indexer-2: the run stops here');
  const left = harness
    .journalOf(harness.runs()[0] ?? '')
    .flatMap(({ event }) => (event.e === 'host-left' ? [event.host] : []));
  expect(left).toEqual(['indexer-1', 'indexer-2']);
});

(hasScript ? describe : describe.skip)('keys during a run', () => {
  const waits = `      - step: wait\n        command: { argv: [sh, -c, "until test -e @/go; do sleep 0.05; done"], changes: everything, timeout: 60s }\n`;
  const go = (): string => {
    harness.write('go', '');
    return '';
  };
  beforeEach(() => {
    harness = localHarness(`${onePlay(waits)}  - play: Later\n    hosts: all\n    steps:\n${touch('two', 'two')}`);
  });

  test('p pauses at the next safe point, where a no stops the run', async () => {
    const sat = await sit(
      harness,
      ['apply', 'test.yaml', '-y'],
      [
        [/wait: /, 'p'],
        [/Pausing at the next safe point/, go],
        [/Paused after a\. Continue\?/, 'n'],
      ],
    );
    expect([sat.unasked, sat.exitCode, ...isThere('two')]).toEqual([0, 130, false]);
    expect((await harness.run(['resume', '-y'])).exitCode).toBe(0);
  });

  test('? lists the keys, p twice is no pause, and Ctrl-C still stops', async () => {
    const sat = await sit(
      harness,
      ['apply', 'test.yaml', '-y'],
      [
        [/wait: /, '?'],
        [/Ctrl-C twice stops at once/, 'p'],
        [/Press p again/, 'p'],
        [/Pause cancelled\./, '\u0003'],
        [/Stopping after/, go],
      ],
    );
    expect([sat.unasked, sat.exitCode, ...isThere('two')]).toEqual([0, 130, false]);
  });

  test('--plain has neither keys nor a live view', async () => {
    const sat = await sit(harness, ['apply', 'test.yaml', '-y', '--plain'], [[/wait: /, go]]);
    expect([sat.exitCode, sat.received.includes('▕')]).toEqual([0, false]);
    expect(sat.shown).toMatch(/^\d{4}-\d\d-\d\dT\S+Z Work$/m);
  });
});

test.each([
  [['--pause-before', 'Latr'], '--pause-before: there is no play or step "Latr"; did you mean "Later"?'],
  [['--pause-after', 'c'], '--pause-after: there is no host or step "c"'],
])('a pause at nothing is a mistake: %s', async (args, message) => {
  const { exitCode, stderr } = await twoPlays().run(['apply', 'test.yaml', '-y', ...args]);
  expect(exitCode).toBe(2);
  expect(stderr).toContain(message);
});

test('a pause after a host that has no turn is a mistake', async () => {
  harness = localHarness(onePlay(touch('one', 'one'), 'tags: [x]'));
  const { exitCode, stderr } = await harness.run(['apply', 'test.yaml', '-y', '--pause-after', 'a']);
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining('no play takes a in turn with others (`serial`)')]);
});

describe('runbook stop', () => {
  const WAITS = `${touch('one', 'one')}      - step: wait\n        command: { argv: [sh, -c, "until test -e @/go; do sleep 0.05; done"], changes: everything, timeout: 60s }\n${touch('two', 'two')}`;

  test('stops the run after the step at hand, however often it is typed, and says what to type next', async () => {
    harness = localHarness(onePlay(WAITS));
    const applied = harness.start(['apply', 'test.yaml', '-y']);
    await lineOf(applied.stderr, / a {2}wait: /);
    // Neither a resume nor a close is suggested for a run that another process works on.
    const { stdout: shown } = await harness.run(['show']);
    expect(shown).toMatch(/^Run in progress\. 1 changed.* In use now by runbook apply of /m);
    expect(shown).toMatch(/^ {2}runbook attach .*\n {2}runbook stop /m);
    const stops = [harness.start(['stop']), harness.start(['stop'])];
    await Promise.all(stops.map((stop) => lineOf(stop.stderr, /^Stopping at its next safe point: runbook apply of /)));
    harness.write('go', '');
    for (const { exitCode, stdout } of await Promise.all(stops))
      expect([exitCode, stdout]).toEqual([0, 'Stopped. What was done, and what to type next: runbook show']);
    expect([(await applied).exitCode, ...isThere('one', 'two')]).toEqual([130, true, false]);
    expect((await harness.run(['resume', '-y'])).exitCode).toBe(0);
  });

  test('says so where nothing runs', async () => {
    const { exitCode, stdout } = await twoPlays().run(['stop']);
    expect([exitCode, stdout]).toEqual([0, expect.stringMatching(/^no process works with .*\/inventory\.yaml$/)]);
  });
});
