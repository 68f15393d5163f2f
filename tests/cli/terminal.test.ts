import { afterEach, describe, expect, test } from '@jest/globals';
import { execa, execaSync } from 'execa';
import { existsSync } from 'node:fs';
import { Terminal } from '../report/terminal.js';
import { localDesk, onePlay, program, touch, type Desk } from './desk.js';

let desk: Desk | undefined;
const open = (made: Desk): Desk => (desk = made);
afterEach(() => {
  desk?.end();
  desk = undefined;
});

const COLUMNS = 100;
const ROWS = 24;

/** A real pseudo terminal comes with util-linux's `script`. */
const hasScript = execaSync('script', ['--version'], { reject: false }).stdout.includes('util-linux');

/** Sits at a terminal: types an answer whenever a question is shown. Gives the exit code and all that the terminal received. */
async function sit(
  at: Desk,
  args: readonly string[],
  answers: readonly (readonly [RegExp, string])[] = [],
  env: Record<string, string> = {},
) {
  const quoted = [process.execPath, program, ...args].map((a) => `'${a}'`).join(' ');
  const running = execa('script', ['-qefc', `stty cols ${COLUMNS} rows ${ROWS}; exec ${quoted}`, '/dev/null'], {
    cwd: at.folder,
    env: { PATH: process.env['PATH'] ?? '', HOME: at.folder, TERM: 'xterm', SHELL: '/bin/sh', ...env },
    extendEnv: false,
    reject: false,
    stripFinalNewline: false,
    // A question that nobody answers would wait for ever.
    timeout: 15_000,
    killSignal: 'SIGKILL',
  });
  let received = '';
  let from = 0;
  const left = [...answers];
  running.stdout.on('data', (chunk: Buffer | string) => {
    received += chunk.toString();
    const [next] = left;
    const asked = next?.[0].exec(received.slice(from));
    if (next === undefined || asked === null || asked === undefined) return;
    from = received.length;
    left.shift();
    running.stdin.write(`${next[1]}\n`);
  });
  const { exitCode } = await running;
  const terminal = new Terminal(COLUMNS, ROWS);
  // Editing a line moves the cursor about; what is judged here is what the program wrote.
  // eslint-disable-next-line no-control-regex -- the sequences of a terminal
  terminal.write(received.replace(/\u001b\[(\?\d+[hl]|\d*[GKC]|[JK])/g, ''));
  return { exitCode, received, shown: terminal.text(), unasked: left.length };
}

const TWO = onePlay(`${touch('one', 'one')}${touch('two', 'two')}`);
const GREEN = '\u001b[32m';

(hasScript ? describe : describe.skip)('at a terminal', () => {
  test('apply asks whether to begin; a no changes nothing, exit 3', async () => {
    const at = open(localDesk(TWO));
    const no = await sit(at, ['apply', 'test.yaml'], [[/Begin\? \[yes\/no\]/, 'no']]);
    expect([no.exitCode, existsSync(at.path('one')), at.runs()]).toEqual([3, false, []]);
    expect(no.shown).toContain('Nothing was changed.');
    const yes = await sit(at, ['apply', 'test.yaml'], [[/Begin\? \[yes\/no\]/, 'y']]);
    expect([yes.exitCode, existsSync(at.path('two'))]).toEqual([0, true]);
  });

  test('progress in colours, and nothing of the region is left at the end', async () => {
    const at = open(localDesk(TWO));
    const { received, shown } = await sit(at, ['apply', 'test.yaml', '-y']);
    expect(received).toContain('▕');
    expect(received).toContain(GREEN);
    expect(shown).not.toContain('▕');
    const lines = shown.split('\n');
    expect(lines[0]).toBe('Work');
    expect(lines.slice(1, 5).map((l) => l.replace(/ {2}\d+ m?s$/, ''))).toEqual(
      [`  ~ a  one: touch ${at.path('one')}`, '  ✓ a  one', `  ~ a  two: touch ${at.path('two')}`, '  ✓ a  two'].map(
        (l) => l.replace('  ~', lines[1]?.slice(0, 3) ?? ''),
      ),
    );
    expect(lines.at(-1)).toMatch(/^✓ Try: done in /);
  });

  test.each([
    ['NO_COLOR', { NO_COLOR: '1' }],
    ['a dumb terminal', { TERM: 'dumb' }],
  ])('%s: no colours', async (_why, env) => {
    const { received } = await sit(open(localDesk(TWO)), ['apply', 'test.yaml', '-y'], [], env);
    // eslint-disable-next-line no-control-regex -- colours
    expect(received).not.toMatch(/\u001b\[3\dm/);
  });

  test('a secret that is prompted for is asked once, not shown, and not kept', async () => {
    const steps = ['x', 'y']
      .map(
        (n) =>
          `      - step: ${n}\n        file: { path: "@/${n}", state: file, mode: "0600", content: "{{secret.db}}" }\n`,
      )
      .join('');
    const at = open(localDesk(onePlay(steps), '{ db: { prompt: The database password } }'));
    const { exitCode, received } = await sit(
      at,
      ['apply', 'test.yaml', '-y', '-D', '-vvv'],
      [[/The database password/, 'hush-hush-42']],
    );
    expect([exitCode, at.read('x'), at.read('y')]).toEqual([0, 'hush-hush-42', 'hush-hush-42']);
    expect(received.match(/The database password/g)).toHaveLength(1);
    expect(`${received}${at.everythingOf(at.runs()[0] ?? '')}`).not.toContain('hush-hush-42');
  });

  test('a confirm step asks whatever -y says; a no stops the run', async () => {
    const at = open(
      localDesk(onePlay(`      - step: sure\n        confirm: { question: "Really go on?" }\n${touch('one', 'one')}`)),
    );
    const no = await sit(at, ['apply', 'test.yaml', '-y'], [[/Really go on\?/, 'no']]);
    expect([no.exitCode === 0, existsSync(at.path('one')), no.unasked]).toEqual([false, false, 0]);
    const again = at.runs().length > 0 && no.exitCode === 1 ? ['resume'] : ['apply', 'test.yaml', '-y'];
    const yes = await sit(at, again, [[/Really go on\?/, 'yes']]);
    expect([yes.exitCode, existsSync(at.path('one'))]).toEqual([0, true]);
  });

  test('--step asks before each step: no leaves it out, all asks no more', async () => {
    const at = open(localDesk(onePlay(['one', 'two', 'three', 'four'].map((n) => touch(n, n)).join(''))));
    const { exitCode, unasked, received } = await sit(
      at,
      ['apply', 'test.yaml', '-y', '--step'],
      [
        [/Do "one"\?/, 'yes'],
        [/Do "two"\?/, 'no'],
        [/Do "three"\?/, 'all'],
      ],
    );
    expect([exitCode, unasked]).toEqual([0, 0]);
    expect(['one', 'two', 'three', 'four'].map((n) => existsSync(at.path(n)))).toEqual([true, false, true, true]);
    expect(received).not.toContain('Do "four"?');
  });

  test('release names what is given back, and asks', async () => {
    const at = open(
      localDesk(
        onePlay(
          `      - step: open the gate\n        command: { argv: [touch, "@/open"], creates: "@/open", changes: ["@/open"], timeout: 10s }\n        temporary:\n          on_failure: keep\n          command: { argv: [rm, -f, "@/open"], unless: { argv: [test, "!", -e, "@/open"] }, changes: ["@/open"], repeatable: true, timeout: 10s }\n      - step: fail\n        command: { argv: ["false"], changes: everything, timeout: 10s }\n`,
        ),
      ),
    );
    expect((await at.run(['apply', 'test.yaml', '-y'])).exitCode).toBe(1);
    const no = await sit(at, ['release'], [[/Release\? \[yes\/no\]/, 'no']]);
    expect([no.exitCode, existsSync(at.path('open'))]).toEqual([3, true]);
    const yes = await sit(at, ['release'], [[/Release\? \[yes\/no\]/, 'yes']]);
    expect([yes.exitCode, existsSync(at.path('open'))]).toEqual([0, false]);
  });
});
