import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { ProbeOutput } from '../../engine/facts/kind.js';
import { createLocal } from '../../engine/machines/local.js';
import { MarkedReader } from '../../engine/machines/shell/frame.js';
import { SEND_LIMITS } from '../../engine/machines/shell/limits.js';
import { login } from '../../engine/machines/shell/login.js';
import { askOnce } from '../../engine/machines/shell/once.js';
import { ShSession } from '../../engine/machines/shell/session.js';
import type { Transport } from '../../engine/machines/transport.js';
import { quoteOne } from '../../engine/lib/quote.js';
import { realClock } from './local-host.js';

const transport = createLocal();
const clock = realClock;
const limits = SEND_LIMITS;
let session: ShSession;

async function open(through: Transport = transport): Promise<ShSession> {
  const opened = await ShSession.open({ transport: through, clock, limits });
  if (opened.is === 'failed') throw new Error(opened.reason);
  return opened.value;
}

async function outputs(fragments: readonly string[], of = session): Promise<readonly ProbeOutput[]> {
  const frames = await of.ask(
    fragments.map((sh) => ({ sh })),
    15_000,
  );
  if (frames.is !== 'frames') throw new Error(frames.is);
  return frames.outputs;
}

/** A login shell that is none, or prints text of its own: what sshd would start the command line with. */
const through = (loginShell: string): Transport => ({
  ...transport,
  exec: (line) => transport.exec(`exec ${loginShell} ${quoteOne(line)}`),
});

beforeAll(async () => {
  session = await open();
});
afterAll(async () => {
  session.close();
  await transport.close();
});

describe('a batch of fragments', () => {
  test('each has its own output and status, in one round trip', async () => {
    expect(await outputs(['echo one', 'printf two; exit 7', 'false'])).toEqual([
      { exit: 0, stdout: 'one\n' },
      { exit: 7, stdout: 'two' },
      { exit: 1, stdout: '' },
    ]);
  });

  test('one that reads, does not parse, ends its shell or changes it harms no other', async () => {
    const hostile = [
      'cat',
      'echo "unclosed',
      'exit 3',
      "kill -9 $(exec sh -c 'echo $PPID')",
      'exec true',
      'cd /tmp; umask 0; X=1',
      'if',
      'set -e; false; echo no',
    ];
    const found = await outputs([...hostile, 'pwd; umask; echo "[$X]"']);
    expect(found).toHaveLength(hostile.length + 1);
    expect(found.at(-1)).toEqual({ exit: 0, stdout: '/\n0022\n[]\n' });
  });

  test('any bytes come back as they were', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.uint8Array({ maxLength: 300 }), { minLength: 1, maxLength: 4 }), async (bodies) => {
        const texts = bodies.map(
          (b) => `printf '${[...b].map((x) => `\\${x.toString(8).padStart(3, '0')}`).join('')}'`,
        );
        expect(await outputs(texts)).toEqual(
          bodies.map((b) => ({ exit: 0, stdout: Buffer.from(b).toString('latin1') })),
        );
      }),
      { numRuns: 40 },
    );
  });

  test('tens of megabytes come back whole', async () => {
    const [big, after] = await outputs(['head -c 50000000 /dev/zero', 'echo after']);
    expect([big?.stdout.length, after?.stdout]).toEqual([50_000_000, 'after\n']);
  });

  test('requests made at once are answered each with its own', async () => {
    const all = await Promise.all([1, 2, 3, 4, 5].map((n) => outputs([`echo ${n}`])));
    expect(all).toEqual([1, 2, 3, 4, 5].map((n) => [{ exit: 0, stdout: `${n}\n` }]));
  });

  test('what a process left behind prints later belongs to no answer', async () => {
    await outputs(['mkfifo /tmp/runbook-late-$$ && ( read x </tmp/runbook-late-$$; echo LATE ) & true']);
    const [first] = await outputs(['echo go >/tmp/runbook-late-$$; rm /tmp/runbook-late-$$; wait']);
    expect(first?.exit).toBe(0);
    expect(await outputs(['echo mine'])).toEqual([{ exit: 0, stdout: 'mine\n' }]);
  });
});

describe('a shell that is no more', () => {
  test('a hung fragment is ended at the limit, with its process', async () => {
    const doomed = await open();
    const pidFile = join(mkdtempSync(join(tmpdir(), 'runbook-test-')), 'pid');
    expect(await doomed.ask([{ sh: `echo $(exec sh -c 'echo $PPID') >${pidFile}; exec sleep 600` }], 500)).toEqual({
      is: 'timeout',
    });
    expect(doomed.isLost).toBe(true);
    // It may still be a zombie: dead is enough.
    const [state] = await outputs([
      `cut -d ' ' -f 3 /proc/$(cat ${pidFile})/stat || echo gone; rm -r ${dirname(pidFile)}`,
    ]);
    expect(state?.stdout).toMatch(/^(Z|gone)$/m);
  });

  test('its end in the middle of a request is a loss', async () => {
    const doomed = await open();
    expect(await doomed.ask([{ sh: 'kill -9 $$' }], 5_000)).toEqual({ is: 'lost', reason: 'the connection was lost' });
    expect((await doomed.ask([{ sh: 'true' }], 5_000)).is).toBe('lost');
  });
});

describe('hosts as they are found', () => {
  test('an rc file that prints, a German locale and a umask of 077', async () => {
    const noisy = await open(
      through(
        'env LC_ALL=de_DE.UTF-8 CDPATH=/usr /bin/sh -c \'umask 077; echo Willkommen; echo Hallo >&2; eval "$0"\'',
      ),
    );
    expect(
      await outputs(
        ['umask; echo "$LC_ALL$CDPATH"; ls /nonesuch 2>&1', 'command -v useradd >/dev/null || ls /usr/sbin >/dev/null'],
        noisy,
      ),
    ).toEqual([
      { exit: 0 + 2, stdout: "0022\nC\nls: cannot access '/nonesuch': No such file or directory\n" },
      { exit: 0, stdout: '' },
    ]);
    noisy.close();
  });

  test('a login shell that refuses every login is reported with its message', async () => {
    const opened = await ShSession.open({
      transport: through("/bin/sh -c 'echo This account is currently not available.; exit 1'"),
      clock,
      limits,
    });
    expect(opened).toMatchObject({
      is: 'failed',
      why: 'no-access',
      reason: expect.stringContaining('This account is currently not available.'),
    });
  });
});

/** What Debian's sudo preloads for a rule with NOEXEC. */
const NOEXEC = '/usr/libexec/sudo/sudo_noexec.so';

describe('becoming another user', () => {
  /** A stand-in for sudo as far as this machine has none: its questions and words are sudo's own. */
  const withSudo = (body: string): Transport => ({
    ...transport,
    user: 'ops',
    exec: (line) =>
      transport.exec(
        `sudo() { ${body}; }; as_told() { while [ "$1" != -- ]; do shift; done; shift; "$@"; }; ${line.replace('exec env LC_ALL=C LANGUAGE=C ', '')}`,
      ),
  });
  const cases: readonly [string, string, string | undefined, object][] = [
    ['no password needed', 'as_told "$@"', undefined, { is: 'reached' }],
    ['no password needed, one known: it is not sent', 'as_told "$@"', 'sesame', { is: 'reached' }],
    ['a password', 'printf %s "$3" >&2; read -r p; [ "$p" = sesame ] && as_told "$@"', 'sesame', { is: 'reached' }],
    [
      'a wrong password',
      'for i in 1 2 3; do printf %s "$3" >&2; read -r p; echo Sorry, try again. >&2; done',
      'wrong',
      { is: 'failed', why: 'no-access', hint: 'check ssh.become_password' },
    ],
    [
      'a password, none known',
      'echo sudo: a password is required >&2; exit 1',
      undefined,
      { is: 'failed', hint: 'give ssh.become_password, or a NOPASSWD rule' },
    ],
    [
      'no right to',
      'echo ops is not in the sudoers file. >&2; exit 1',
      'x',
      { is: 'failed', reason: 'ops may not become root by sudo' },
    ],
    [
      'no sudo',
      'echo "env: \'sudo\': No such file or directory" >&2; exit 127',
      undefined,
      { is: 'failed', reason: 'there is no sudo on this host' },
    ],
    [
      'a terminal wanted',
      'echo sudo: sorry, you must have a tty to run sudo >&2; exit 1',
      undefined,
      { is: 'failed', reason: 'sudo wants a terminal (requiretty)' },
    ],
    [
      'a shell that may start no program',
      existsSync(NOEXEC)
        ? `while [ "$1" != -- ]; do shift; done; shift; LD_PRELOAD=${NOEXEC} "$@"`
        : 'echo "/bin/sh: 1: /bin/sh: Permission denied" >&2; exit 126',
      undefined,
      {
        is: 'failed',
        why: 'no-access',
        reason: 'sudo lets ops start a shell, but no program from it (NOEXEC)',
        hint: 'a rule with EXEC: in /etc/sudoers.d, or Defaults:ops !noexec, lifts it',
      },
    ],
  ];
  test.each(cases)('%s', async (_name, body, password, expected) => {
    const become = { user: 'root', ...(password === undefined ? {} : { password }) };
    const opened = await ShSession.open({ transport: withSudo(body), clock, limits, become });
    expect(opened).toMatchObject(expected);
    if (opened.is === 'failed') return;
    expect(await outputs(['echo here'], opened.value)).toEqual([{ exit: 0, stdout: 'here\n' }]);
    opened.value.close();
  });
});

describe('standard input', () => {
  test('goes to the fragment on a channel of its own, whole and unread by any shell', async () => {
    const bytes = Buffer.concat([
      Buffer.from('echo INJECTED\nexit 9\n'),
      Buffer.from(Array.from({ length: 300_000 }, (_, i) => i % 256)),
    ]);
    const printed = await askOnce({
      transport,
      clock,
      limits,
      fragment: { sh: 'cat' },
      input: Readable.from([bytes]),
      limitMs: 15_000,
    });
    expect(printed).toEqual({ exit: 0, stdout: bytes.toString('latin1') });
  });

  test('may be left unread', async () => {
    const input = Readable.from([Buffer.alloc(1_000_000)]);
    expect(await askOnce({ transport, clock, limits, fragment: { sh: 'echo done' }, input, limitMs: 15_000 })).toEqual({
      exit: 0,
      stdout: 'done\n',
    });
  });
});

test('a mark is found wherever the stream is cut', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom('a', '\n', 'ab', 'abc', 'x\nab')),
      fc.integer({ min: 1, max: 7 }),
      async (parts, size) => {
        const [body, stream] = [parts.join(''), new PassThrough()];
        const reader = new MarkedReader(stream, SEND_LIMITS.answer);
        const all = `${body}<<MARK>>rest`;
        for (let i = 0; i < all.length; i += size) stream.write(all.slice(i, i + size));
        stream.end();
        expect((await reader.until('<<MARK>>'))?.toString()).toBe(body);
        expect(await reader.until('<<MARK>>')).toBeUndefined();
        expect(reader.rest()).toBe('rest');
      },
    ),
  );
});

test('the shell says its process group', async () => {
  const shell = await login(transport, { script: 'cut -d " " -f 5 /proc/self/stat', clock, limits });
  if (shell.is === 'failed') throw new Error(shell.reason);
  expect((await shell.value.out.until('\n'))?.toString()).toBe(shell.value.group);
  expect(shell.value.group).toMatch(/^\d+$/);
});
