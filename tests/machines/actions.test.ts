import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { sha256 } from '../../engine/lib/hash.js';
import type { Action, Outcome } from '../../engine/terms/action.js';
import { anyText } from '../lib/sampled.js';
import { workshop } from './local-host.js';

let shop: ReturnType<typeof workshop>;
beforeEach(() => {
  shop = workshop();
});
afterEach(() => shop.end());

const modeOf = (path: string): string => (statSync(path).mode & 0o7777).toString(8);
const run = (argv: readonly [string, ...string[]], more: object = {}): Promise<Outcome> =>
  shop.perform({ do: 'run', command: { argv, timeoutMs: 10_000, ...more }, expect: { exit: [0] } });
const write = (name: string, content: string, more: Partial<Extract<Action, { do: 'write' }>> = {}): Promise<Outcome> =>
  shop.perform({ do: 'write', path: shop.path(name), content, replaces: 'nothing', ...more });
/**
 * A command that never ends, begun before the tests and looked at after them: it gets five seconds to end itself, in which they run.
 */
const endless = (async () => {
  const own = workshop();
  const act = (argv: readonly [string, ...string[]], timeoutMs: number): Promise<Outcome> =>
    own.perform({ do: 'run', command: { argv, timeoutMs }, expect: { exit: [0] } });
  try {
    const child = own.path('pid');
    const script = `trap '' TERM; echo trying; sleep 600 & echo $! >${child}; wait; sleep 600`;
    const outcome = await act(['sh', '-c', script], 300);
    // It may still be a zombie: dead is enough.
    const after = await act(['sh', '-c', 'cut -d " " -f 3 /proc/$(cat "$0")/stat || echo gone', child], 10_000);
    return { outcome, after };
  } finally {
    await own.end();
  }
})();

/** Nothing but what is meant stays in the folder: no temporary file, whatever happened. */
const names = (): readonly string[] => readdirSync(shop.folder).sort();

describe('run', () => {
  test('arguments arrive as they are, and nothing stands between them and the program', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyText().filter((s) => !s.includes('\0'))), async (args) => {
        const outcome = await run(['printf', '%s\\n', ...args, 'end']);
        const wanted = [...args, 'end'].map((a) => `${Buffer.from(a).toString()}\n`).join('');
        expect(outcome).toEqual({ is: 'ended', exit: 0, stdout: wanted, stderr: '' });
      }),
      { numRuns: 50 },
    );
  });

  test('outputs, status, environment and standard input', async () => {
    expect(
      await run(['sh', '-c', 'cat; echo "$GREETING" >&2; exit 3'], { stdin: 'secret\n', env: { GREETING: "it's" } }),
    ).toEqual({
      is: 'ended',
      exit: 3,
      stdout: 'secret\n',
      stderr: "it's\n",
    });
    // A word of the shell is no program. (Its status is 127, or 126 where PATH has a directory that this user may not search.)
    expect(await run(['exit', '3'])).toMatchObject({
      is: 'ended',
      stderr: expect.stringMatching(/^env: .*exit/),
    });
    expect(await run(['printf', '\\377'])).toMatchObject({ stdout: '\u00ff' });
  });

  test('a daemon that keeps the output open does not delay the command', async () => {
    await run(['mkfifo', shop.path('gate')]);
    expect(await run(['sh', '-c', 'read end <"$0" & echo started', shop.path('gate')])).toEqual({
      is: 'ended',
      exit: 0,
      stdout: 'started\n',
      stderr: '',
    });
    // The daemon has waited all the while: it takes the word that ends it.
    expect(await run(['sh', '-c', 'echo end >"$0"', shop.path('gate')])).toMatchObject({ exit: 0 });
  });

  test('a signal of its own is not taken for the time limit', async () => {
    expect(await run(['sh', '-c', 'kill -TERM $$'])).toMatchObject({ is: 'ended', exit: 143 });
    expect(await run(['sh', '-c', 'exit 124'])).toMatchObject({ is: 'ended', exit: 124 });
  });

  test('an operator who interrupts is not kept waiting', async () => {
    const stop = new AbortController();
    const outcome = shop.perform(
      { do: 'run', command: { argv: ['sleep', '600'], timeoutMs: 1_000 }, expect: { exit: [0] } },
      stop.signal,
    );
    stop.abort();
    expect(await outcome).toMatchObject({ is: 'unknown', why: 'crash' });
  });
});

describe('write', () => {
  test.each([0, 1, 1000, 49_152, 49_153, 3_000_000])('%i bytes of any value arrive as they were', async (size) => {
    const bytes = Buffer.from(Array.from({ length: size }, (_, i) => (i * 7 + (i >> 8)) % 256));
    expect(await write('new', bytes.toString('latin1'), { encoding: 'latin1' })).toEqual({ is: 'applied' });
    expect(readFileSync(shop.path('new')).equals(bytes)).toBe(true);
    expect(modeOf(shop.path('new'))).toBe('644');
    expect(names()).toEqual(['new']);
  });

  test('owner and mode of the file before stay, and given ones win', async () => {
    writeFileSync(shop.path('a'), 'old');
    chmodSync(shop.path('a'), 0o4750);
    expect(await write('a', 'new', { replaces: sha256('old') })).toEqual({ is: 'applied' });
    expect([readFileSync(shop.path('a'), 'utf8'), modeOf(shop.path('a'))]).toEqual(['new', '4750']);
    await write('a', 'newer', { replaces: 'anything', mode: '0600' });
    expect([readFileSync(shop.path('a'), 'utf8'), modeOf(shop.path('a'))]).toEqual(['newer', '600']);
    expect(Date.now() - statSync(shop.path('a')).mtimeMs).toBeLessThan(60_000);
  });

  test('what has changed meanwhile is left alone', async () => {
    writeFileSync(shop.path('a'), 'theirs');
    expect(await write('a', 'ours', { replaces: sha256('old') })).toMatchObject({
      is: 'refused',
      by: 'precondition',
      found: expect.stringContaining(sha256('theirs')),
    });
    expect(await write('a', 'ours', { replaces: 'nothing' })).toMatchObject({ is: 'refused', by: 'precondition' });
    expect(await write('gone', 'ours', { replaces: sha256('old') })).toMatchObject({
      is: 'refused',
      by: 'precondition',
      found: expect.stringContaining('nothing'),
    });
    expect([readFileSync(shop.path('a'), 'utf8'), names()]).toEqual(['theirs', ['a']]);
  });

  test('a link stays, and what it leads to is replaced', async () => {
    mkdirSync(shop.path('real'));
    writeFileSync(shop.path('real/a'), 'old');
    symlinkSync('real/a', shop.path('link'));
    expect(await write('link', 'new', { replaces: sha256('old') })).toEqual({ is: 'applied' });
    expect([readlinkSync(shop.path('link')), readFileSync(shop.path('real/a'), 'utf8')]).toEqual(['real/a', 'new']);
  });

  test('a directory, a missing folder and an unknown owner are refused, and nothing is left', async () => {
    mkdirSync(shop.path('folder'));
    expect(await write('folder', 'x')).toMatchObject({
      is: 'refused',
      by: 'precondition',
      found: expect.stringContaining('is a directory'),
    });
    expect(await write('no/such/file', 'x')).toMatchObject({
      is: 'refused',
      by: 'precondition',
      found: expect.stringContaining('no directory'),
    });
    expect(await write('a', 'x', { owner: 'no-such-user-here' })).toMatchObject({
      is: 'refused',
      by: 'machine',
      found: expect.stringContaining('invalid user'),
    });
    expect(names()).toEqual(['folder']);
  });

  test('awkward names', async () => {
    for (const name of ["it's", '-rf', 'a b', '$(touch x)', 'new\nline', 'ünï'])
      expect(await write(name, name)).toEqual({ is: 'applied' });
    expect(names()).toEqual(["it's", '-rf', 'a b', '$(touch x)', 'new\nline', 'ünï'].sort());
  });
});

describe('the other actions on files', () => {
  test('directory, attributes, link', async () => {
    expect(await shop.perform({ do: 'directory', path: shop.path('a/b'), mode: '0750' })).toEqual({ is: 'applied' });
    expect([modeOf(shop.path('a')), modeOf(shop.path('a/b'))]).toEqual(['755', '750']);
    expect(await shop.perform({ do: 'directory', path: shop.path('a/b'), mode: '0700' })).toEqual({ is: 'applied' });
    expect(modeOf(shop.path('a/b'))).toBe('700');
    await write('f', 'x');
    expect(await shop.perform({ do: 'directory', path: shop.path('f') })).toMatchObject({
      is: 'refused',
      by: 'precondition',
    });
    expect(await shop.perform({ do: 'attributes', path: shop.path('f'), mode: '0440' })).toEqual({ is: 'applied' });
    expect(modeOf(shop.path('f'))).toBe('440');
    expect(await shop.perform({ do: 'attributes', path: shop.path('g'), mode: '0440' })).toMatchObject({
      is: 'refused',
      by: 'precondition',
    });
    for (const target of ['f', 'elsewhere'])
      expect(await shop.perform({ do: 'link', path: shop.path('l'), target })).toEqual({ is: 'applied' });
    expect(readlinkSync(shop.path('l'))).toBe('elsewhere');
    expect(await shop.perform({ do: 'link', path: shop.path('a'), target: 'f' })).toMatchObject({ is: 'refused' });
    expect(names()).toEqual(['a', 'f', 'l']);
  });

  test('copy keeps modes, times and links, of a file and of a tree', async () => {
    mkdirSync(shop.path('t/sub'), { recursive: true });
    writeFileSync(shop.path('t/sub/f'), 'x', { mode: 0o640 });
    symlinkSync('sub/f', shop.path('t/l'));
    expect(await shop.perform({ do: 'copy', from: shop.path('t'), to: shop.path('t2') })).toEqual({ is: 'applied' });
    expect([readlinkSync(shop.path('t2/l')), modeOf(shop.path('t2/sub/f'))]).toEqual(['sub/f', '640']);
    expect(Math.trunc(statSync(shop.path('t2/sub/f')).mtimeMs)).toBe(
      Math.trunc(statSync(shop.path('t/sub/f')).mtimeMs),
    );
    expect(await shop.perform({ do: 'copy', from: shop.path('t'), to: shop.path('t2') })).toMatchObject({
      is: 'refused',
      by: 'precondition',
    });
    expect(await shop.perform({ do: 'copy', from: shop.path('t/l'), to: shop.path('f2') })).toEqual({ is: 'applied' });
    expect(lstatSync(shop.path('f2')).isFile()).toBe(true);
    expect(await shop.perform({ do: 'copy', from: shop.path('none'), to: shop.path('z') })).toMatchObject({
      is: 'refused',
      by: 'precondition',
    });
    expect(names()).toEqual(['f2', 't', 't2']);
  });

  test('move and remove', async () => {
    await write('a', 'x');
    mkdirSync(shop.path('d'));
    expect(await shop.perform({ do: 'move', from: shop.path('a'), to: shop.path('b') })).toEqual({ is: 'applied' });
    expect(await shop.perform({ do: 'move', from: shop.path('a'), to: shop.path('c') })).toMatchObject({
      is: 'refused',
      by: 'precondition',
    });
    expect(await shop.perform({ do: 'move', from: shop.path('b'), to: shop.path('d') })).toMatchObject({
      is: 'refused',
      by: 'precondition',
    });
    expect(await shop.perform({ do: 'remove', path: shop.path('d') })).toMatchObject({
      is: 'refused',
      by: 'precondition',
    });
    expect(await shop.perform({ do: 'remove', path: shop.path('d'), tree: true })).toEqual({ is: 'applied' });
    for (const name of ['b', 'b'])
      expect(await shop.perform({ do: 'remove', path: shop.path(name) })).toEqual({ is: 'applied' });
    expect(names()).toEqual([]);
  });

  test('extract puts each file in its place, and leaves what the archive does not have', async () => {
    mkdirSync(shop.path('src/platform/_meta'), { recursive: true });
    writeFileSync(shop.path('src/platform/_meta/f'), 'new');
    writeFileSync(shop.path('src/platform/.hidden'), 'h');
    await run(['tar', '-czf', shop.path('a.tgz'), '-C', shop.path('src'), 'platform']);
    mkdirSync(shop.path('into/platform/_meta'), { recursive: true });
    writeFileSync(shop.path('into/platform/_meta/f'), 'old');
    linkSync(shop.path('into/platform/_meta/f'), shop.path('kept'));
    writeFileSync(shop.path('into/other'), 'o');
    chmodSync(shop.path('into'), 0o700);
    expect(await shop.perform({ do: 'extract', archive: shop.path('a.tgz'), into: shop.path('into') })).toEqual({
      is: 'applied',
    });
    expect(readdirSync(shop.path('into')).sort()).toEqual(['other', 'platform']);
    expect([
      readFileSync(shop.path('into/platform/_meta/f'), 'utf8'),
      readFileSync(shop.path('kept'), 'utf8'),
      modeOf(shop.path('into')),
    ]).toEqual(['new', 'old', '700']);
    expect(
      await shop.perform({ do: 'extract', archive: shop.path('a.tgz'), into: shop.path('flat'), stripComponents: 1 }),
    ).toEqual({ is: 'applied' });
    expect(readdirSync(shop.path('flat')).sort()).toEqual(['.hidden', '_meta']);
    writeFileSync(shop.path('bad.tgz'), 'no archive');
    expect(await shop.perform({ do: 'extract', archive: shop.path('bad.tgz'), into: shop.path('flat') })).toMatchObject(
      { is: 'refused', by: 'machine' },
    );
    expect(readdirSync(shop.path('flat')).sort()).toEqual(['.hidden', '_meta']);
  });

  test('upload checks what arrived', async () => {
    const bytes = Buffer.from(Array.from({ length: 100_000 }, (_, i) => i % 251));
    writeFileSync(shop.path('source'), bytes);
    const upload = (path: string, hash: string): Promise<Outcome> =>
      shop.perform({ do: 'upload', source: shop.path('source'), path: shop.path(path), sha256: hash, mode: '0640' });
    expect(await upload('a', sha256(bytes))).toEqual({ is: 'applied' });
    expect([readFileSync(shop.path('a')).equals(bytes), modeOf(shop.path('a'))]).toEqual([true, '640']);
    expect(await upload('b', sha256('else'))).toMatchObject({
      is: 'refused',
      by: 'machine',
      found: 'the file did not arrive whole',
    });
    expect(existsSync(shop.path('b'))).toBe(false);
  });
});

test('a command that never ends is ended with all that it started, and its output is reported', async () => {
  const { outcome, after } = await endless;
  expect(outcome).toMatchObject({ is: 'unknown', why: 'timeout', detail: expect.stringContaining('trying') });
  expect(after).toMatchObject({ stdout: expect.stringMatching(/^(Z|gone)$/m) });
});

test('an action that is not for hosts is refused', async () => {
  expect(await shop.perform({ do: 'ask', question: 'Begin?' })).toMatchObject({ is: 'refused', by: 'machine' });
});
