import { expect, test } from '@jest/globals';
import { runBeside } from './hostile-run.js';
import { pump, startHostile, type Hostile } from './hostile-server.js';

/* Hosts that lie, flood or fall silent, each beside one that is well: the run ends, says which host it was and why, and the other is done. */

/** What the sender and the connection may hold beside what is read: without an end, it would be many times this. */
const MOST_SENT = 16 * 1024 * 1024;
const FLOOD = 'while :; do printf %0999d 0; done';
const FLOOD_BOTH = 'while :; do printf %0999d 0; printf %0999d 0 >&2; done';
const ZEROS = "head -c 100000 /dev/zero | tr '\\0'";
const HELLO = 'SSH-2.0-hostile\r\n';
/** The mark that stands before the first answer. */
const BEGUN = /\.0\n/;

interface Host extends Hostile {
  /** A command whose output is the fact. */
  readonly answer?: string;
  readonly type?: 'string' | 'json';
  readonly byJump?: true;
}
type Row<T> = readonly [does: string, host: Host, expected: T];

async function runBesideWell({ answer = 'echo well', type = 'string', byJump, ...hostile }: Host) {
  let stall = (): void => undefined;
  const stalled = new Promise<void>((resolve) => (stall = resolve));
  const bad = await startHostile(hostile, stall);
  try {
    return await runBeside({
      fact: `command: [sh, -c, "{{vars.answer}}"], type: ${type}`,
      vars: { good: type === 'json' ? 'echo 1' : 'echo well', bad: answer },
      bad,
      stalled,
      ...(byJump === undefined ? {} : { byJump }),
    });
  } finally {
    await bad.close();
    expect(bad.sent.bytes).toBeLessThan(MOST_SENT);
  }
}

const inTime = (what: string) => new RegExp(`^127\\.0\\.0\\.1:\\d+ ${what}`);

test.each<Row<RegExp>>([
  [
    'greets without an end',
    { wire: (s) => pump(s, 'welcome\r\n'.repeat(999)) },
    inTime('cannot be used: Max greeting'),
  ],
  ['greets with an endless line', { wire: (s) => pump(s, 'x'.repeat(9_999)) }, inTime('cannot be used: Header')],
  ['sends no SSH', { wire: (s) => pump(s, `${HELLO}${'\xff'.repeat(9_999)}`) }, inTime('cannot be used: Bad')],
  ['cuts the key exchange', { wire: (s) => void s.once('data', () => s.end(HELLO)) }, inTime('closed the connection')],
  [
    'begins no key exchange',
    { wire: (s, stall) => void s.once('data', () => s.write(HELLO, stall)) },
    inTime('did not complete the handshake in time'),
  ],
  ['never ends the login', { login: (_, stall) => stall() }, inTime('did not accept a login in time')],
  ['refuses each login', { login: (auth) => auth.reject() }, /^ops may not log in to .*: tried the password/],
  [
    'asks again and again at the login',
    {
      login(auth, stall) {
        if (auth.method !== 'keyboard-interactive') {
          auth.reject(['keyboard-interactive']);
          return;
        }
        const ask = (left: number): void => (left === 0 ? stall() : auth.prompt('Again: ', () => ask(left - 1)));
        ask(100);
      },
    },
    inTime('did not accept a login in time'),
  ],
  ['opens no way to the host behind it', { ignores: 'forward', byJump: true }, inTime('is not reached from there')],
  ['opens no session', { ignores: 'session' }, /^no shell came up within 30 s$/],
  ['starts no program', { ignores: 'exec' }, /^no shell came up within 30 s$/],
  ['floods at the login', { program: () => FLOOD }, /^output too long: the login of ops sent more than/],
  ['floods both at the login', { program: () => FLOOD_BOTH }, /^output too long: the login of ops/],
  [
    'floods standard error at the login',
    { program: () => `{ ${FLOOD}; } >&2`, isSilent: true },
    /^no shell came up within 30 s$/,
  ],
  [
    'prompts in a start-up file',
    { program: (line) => `printf 'Press Enter: '; read x; ${line}`, isSilent: true },
    /^no shell came up within 30 s$/,
  ],
  ['gives no shell', { program: () => 'echo none for you >&2; exit 7' }, /^ops gets no shell: none for you$/],
  [
    'ends the shell at each question',
    { answer: 'kill -9 $(cut -d" " -f6 /proc/$$/stat)' },
    /^the connection was lost$/,
  ],
  [
    'cuts the connection within an answer',
    { said: (piece) => (BEGUN.test(piece) ? undefined : piece) },
    /^the connection was lost$/,
  ],
  [
    'answers another question',
    { said: (piece, stall) => (BEGUN.test(piece) && stall(), piece.replace(/\.(\d+)\.(\d+)/g, '.9$1.$2')) },
    /^no answer within 180 s$/,
  ],
  [
    'answers slower than its limit',
    { answer: 'exec sleep 5', said: (piece, stall) => (BEGUN.test(piece) && stall(), piece) },
    /^no answer within 180 s$/,
  ],
  ['floods in an answer', { answer: FLOOD }, /^output too long: it was ended after more than/],
  ['floods both in an answer', { answer: FLOOD_BOTH }, /^output too long: it was ended after more/],
  ['prints a fact of 700 MB', { answer: 'head -c 700000000 /dev/zero' }, /^output too long: it was ended after more/],
  [
    'prints JSON that is 100,000 levels deep',
    { answer: `${ZEROS} '['; ${ZEROS} ']'`, type: 'json' },
    /is nested more than 500 levels deep, the most that are read$/,
  ],
  ['prints half of its JSON', { answer: `printf '{"a":[1,'`, type: 'json' }, / does not print JSON$/],
])('a host that %s is named, and the other one is done', async (_, host, expected) => {
  expect(await runBesideWell(host)).toEqual({ bad: { reason: expect.stringMatching(expected) }, isGoodDone: true });
});

test.each<Row<unknown>>([
  [
    'the end of an answer',
    { answer: String.raw`printf 'a\n%032d.1.1 0\nb' 7` },
    `a\n${'7'.padStart(32, '0')}.1.1 0\nb`,
  ],
  ['each mark of an end twice', { said: (piece) => piece.replace(/\n\w+\.\d+\.[1-9]\d* 0\n/g, '$&$&') }, 'well'],
  ['NULs', { answer: String.raw`printf 'a\0b'` }, 'a\0b'],
  ['no UTF-8', { answer: String.raw`printf 'a\377\376b'` }, 'aÿþb'],
  ['directions and escapes', { answer: String.raw`printf '\033[2J\342\200\256x'` }, '\u001b[2J\u202ex'],
  ['nothing', { answer: 'exit' }, ''],
  [
    'keys twice, and keys that objects have',
    { answer: `echo '{"a":1,"a":2,"__proto__":{"admin":true},"constructor":null}'`, type: 'json' },
    JSON.parse('{"a":2,"__proto__":{"admin":true},"constructor":null}'),
  ],
])('a host that prints %s is read as data', async (_, host, expected) => {
  expect(await runBesideWell(host)).toEqual({ bad: { it: expected }, isGoodDone: true });
});
