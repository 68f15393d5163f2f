import { afterEach, expect, test } from '@jest/globals';
import { probe } from '../../engine/facts/host.js';
import { quoteOne } from '../../engine/lib/quote.js';
import { createLocal } from '../../engine/machines/local.js';
import { reached } from '../../engine/machines/machine.js';
import { ShMachine } from '../../engine/machines/shell/machine.js';
import type { ShHost } from '../../engine/machines/shell/place.js';
import type { SendLimits } from '../../engine/machines/shell/limits.js';
import { meets } from '../../engine/run/task/expect.js';
import type { Action, Outcome } from '../../engine/terms/action.js';
import { need, refKey, type Answer } from '../../engine/terms/fact.js';
import { localHost } from './local-host.js';

/* Hosts that send more than they may. The limits are small here; what they do is the same with those of SEND_LIMITS. */

const limits: SendLimits = { unasked: 2_000, answer: 20_000, output: 5_000 };
const FLOOD = ['sh', '-c', 'while :; do printf %0999d 0; done'] as const;

let machine: ShMachine;
afterEach(() => machine.close());

const open = (host: Partial<ShHost> = {}): ShMachine => (machine = new ShMachine({ ...localHost, limits, ...host }));

/** The answers to these commands, asked together. */
async function ask(...commands: readonly (readonly [string, ...string[]])[]): Promise<readonly (Answer | undefined)[]> {
  const needs = commands.map((argv) => need({ host: 'a' }, probe, { argv }));
  const answers = await machine.ask(needs);
  return needs.map((one) => answers.get(refKey(one)));
}

const run = (argv: readonly [string, ...string[]], more: Partial<Action> = {}): Promise<Outcome> => {
  const action = { do: 'run', command: { argv, timeoutMs: 20_000 }, expect: { exit: [0] }, ...more } as Action;
  return machine.perform({ host: 'a' }, action, { id: `flood/${argv.join()}` });
};

const answered = (stdout: string): unknown => ({ is: 'value', value: { exit: 0, stdout } });
const tooLong = {
  is: 'failed',
  why: 'unreadable',
  reason: 'output too long: it was ended after more than 20000 bytes',
  hint: 'what is asked must print less',
};

test.each<readonly [string, readonly [string, ...string[]]]>([
  ['without an end', FLOOD],
  ['one byte too much', ['head', '-c', '20001', '/dev/zero']],
])('a fact that prints %s is ended, and those asked with it are answered', async (_, argv) => {
  open();
  expect(await ask(['echo', 'before'], argv, ['echo', 'after'], argv, ['echo', 'last'])).toEqual([
    answered('before\n'),
    tooLong,
    answered('after\n'),
    tooLong,
    answered('last\n'),
  ]);
});

test('what floods does not go on running on the host', async () => {
  open();
  await ask(['sh', '-c', `: flood-of-$$; ${FLOOD[2]}`]);
  const [left] = await ask(['sh', '-c', `grep -l '[f]lood-of' /proc/[0-9]*/cmdline | grep -v "/$$/"; :`]);
  expect(left).toEqual(answered(''));
});

test('up to its limit an answer comes whole', async () => {
  open();
  const [whole] = await ask(['head', '-c', '19900', '/dev/zero']);
  expect(whole).toEqual(answered('\0'.repeat(19_900)));
});

test('a login that prints without an end is given up, and named', async () => {
  const local = createLocal();
  open({
    connect: () => Promise.resolve(reached({ ...local, exec: (line) => local.exec(`${FLOOD[2]}; ${quoteOne(line)}`) })),
  });
  expect(await ask(['echo', 'one'])).toEqual([
    expect.objectContaining({
      why: 'unreachable',
      reason: `output too long: the login of ${local.user} sent more than 2000 bytes before a shell came up`,
    }),
  ]);
  await local.close();
});

test('what is printed behind an answer ends that shell, and no other', async () => {
  open();
  // What the flood prints before the end of this one is of its own output.
  const [own] = await ask(['sh', '-c', `(${FLOOD[2]}) & echo well`]);
  const answers = [];
  for (let i = 0; i < 6; i += 1) answers.push(...(await ask(['echo', 'well'])));
  // It may come before the end of one of these answers, too, and then it is that one that is too long.
  const others = answers.filter((one) => JSON.stringify(one) !== JSON.stringify(answered('well\n')));
  if (own?.is === 'value') expect([[], [tooLong]]).toContainEqual(others);
  else expect([own, ...others]).toEqual([tooLong]);
});

test('of a command too much is cut: its end is kept and shown, and not judged', async () => {
  open();
  const outcome = await run(['sh', '-c', 'echo good; head -c 6000 /dev/zero | tr "\\0" x; echo bad']);
  expect(outcome).toMatchObject({ is: 'ended', exit: 0, cut: true, stderr: '' });
  const end = outcome.is === 'ended' ? outcome.stdout : '';
  expect([end.length, end.slice(-5)]).toEqual([5_000, 'xbad\n']);
});

const ended = (stdout: string): Outcome => ({ is: 'ended', exit: 0, stdout, stderr: '', cut: true });
const action = (expect: object): Action => ({
  do: 'run',
  command: { argv: ['x'], timeoutMs: 1 },
  expect: { exit: [0], ...expect },
});
const judged = {
  is: 'failed',
  reason: 'x ended with status 0; output too long: it was cut, so what it says is not judged',
  hint: 'let it print less, or write to a file',
};
test.each([
  ['a pattern that it must have, and has', { stdout: 'good' }, judged],
  ['a pattern that it must not have, and has not', { notStdout: 'bad' }, judged],
  ['its exit code alone', {}, { is: 'done' }],
])('an output that is cut, judged by %s', (_, wanted, met) => {
  expect(meets(action(wanted), ended('good'))).toEqual(met);
});

test('an answer that is cut, judged by what stands in it', () => {
  const request: Action = {
    do: 'request',
    request: { endpoint: 'e', method: 'PUT', path: '/', timeoutMs: 1 },
    expect: { status: [200], at: [{ pointer: '/a', equals: 1 }] },
  };
  const outcome: Outcome = { is: 'answered', status: 200, body: '{"a":1}', cut: true };
  expect(meets(request, outcome)).toMatchObject({
    is: 'failed',
    reason: expect.stringMatching(/^output too long/) as unknown,
  });
});
