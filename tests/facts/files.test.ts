import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { content, file, largeContent, tree } from '../../engine/facts/file.js';
import { archiveListing, disk, port, probe, system } from '../../engine/facts/host.js';
import { sha256 } from '../../engine/lib/hash.js';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { workshop } from '../machines/local-host.js';

let shop: ReturnType<typeof workshop>;
const at = (name: string): string => shop.path(name);
beforeAll(() => {
  shop = workshop();
  writeFileSync(at('a'), 'hällo\n', { mode: 0o640 });
  writeFileSync(at('bytes'), Buffer.from([0xff, 0, 10, 0xe4]));
  writeFileSync(at('large'), Buffer.alloc(8 * 1024 * 1024 + 1));
  mkdirSync(at('d/sub dir'), { recursive: true });
  writeFileSync(at("d/sub dir/it's\nnew"), 'x', { mode: 0o600 });
  writeFileSync(at('d/b\\n'), '');
  symlinkSync('../a', at('d/link'));
  symlinkSync('nowhere', at('dangling'));
  chmodSync(at('d'), 0o2755);
});
afterAll(() => shop.end());

const value = async (answer: ReturnType<typeof shop.ask>): Promise<unknown> => {
  const found = await answer;
  return found.is === 'value' ? found.value : found;
};

test('file: what stands at a path, without following a link', async () => {
  const found = await value(shop.ask(file, at('a')));
  expect(found).toMatchObject({ exists: true, type: 'file', mode: '0640', sizeBytes: 7, sha256: sha256('hällo\n') });
  expect(Date.now() - (found as { changedAtMs: number }).changedAtMs).toBeLessThan(60_000);
  expect(await value(shop.ask(file, at('d')))).toMatchObject({ type: 'directory', mode: '2755' });
  expect(await value(shop.ask(file, at('dangling')))).toMatchObject({ type: 'link', target: 'nowhere' });
  expect(await value(shop.ask(file, '/dev/null'))).toMatchObject({
    type: 'other',
    owner: 'root',
    group: 'root',
    mode: '0666',
  });
  for (const none of ['none', 'none/below', 'a/below'])
    expect(await value(shop.ask(file, at(none)))).toEqual({ exists: false });
});

test('content: text, or bytes as they are, or why not', async () => {
  expect(await value(shop.ask(content, at('a')))).toEqual({
    text: 'hällo\n',
    encoding: 'utf8',
    sha256: sha256('hällo\n'),
  });
  expect(await value(shop.ask(content, at('bytes')))).toEqual({
    text: '\u00ff\0\nä',
    encoding: 'latin1',
    sha256: sha256(Buffer.from([0xff, 0, 10, 0xe4])),
  });
  expect(await value(shop.ask(content, at('d/link')))).toMatchObject({ text: 'hällo\n' });
  for (const none of ['none', 'dangling', 'a/below']) expect(await value(shop.ask(content, at(none)))).toBeNull();
  expect(await shop.ask(content, at('d'))).toMatchObject({
    is: 'failed',
    why: 'unreadable',
    reason: expect.stringContaining('directory'),
  });
  expect(await shop.ask(content, at('large'))).toMatchObject({
    is: 'failed',
    why: 'unreadable',
    reason: expect.stringContaining('8 MiB'),
  });
  expect(await value(shop.ask(largeContent, at('large')))).toMatchObject({
    sha256: sha256(Buffer.alloc(8 * 1024 * 1024 + 1)),
  });
});

test('content: a file of another user is reported as denied', () => {
  expect(content.parse({ exit: 13, stdout: '' }, '/etc/shadow')).toMatchObject({ is: 'failed', why: 'denied' });
  expect(content.parse({ exit: 3, stdout: "stat: cannot statx '/x/y': Permission denied\n" }, '/x/y')).toMatchObject({
    why: 'denied',
  });
  expect(file.parse({ exit: 1, stdout: "stat: cannot statx '/x/y': Permission denied\n" }, '/x/y')).toMatchObject({
    why: 'denied',
  });
});

test('tree: everything below, whatever its name', async () => {
  const found = (await value(shop.ask(tree, `${at('d')}/`))) as { path: string }[];
  expect(found).toMatchObject([
    { path: 'b\\n', type: 'file', sha256: sha256('') },
    { path: 'link', type: 'link', target: '../a' },
    { path: 'sub dir', type: 'directory' },
    { path: "sub dir/it's\nnew", type: 'file', mode: '0600', sha256: sha256('x') },
  ]);
  expect(await value(shop.ask(tree, at('a')))).toMatchObject([
    { path: '.', type: 'file', mode: '0640', sha256: sha256('hällo\n') },
  ]);
  expect(await value(shop.ask(tree, at('none')))).toBeNull();
});

test('disk: of the nearest parent that is there', async () => {
  const [there, below] = [await value(shop.ask(disk, shop.folder)), await value(shop.ask(disk, at('none/below')))] as {
    totalBytes: number;
  }[];
  expect(there?.totalBytes).toBeGreaterThan(0);
  expect(below?.totalBytes).toBe(there?.totalBytes);
});

test('port: open with a listener, closed without', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port: number } = server.address() as { port: number };
  expect(await value(shop.ask(port, number))).toEqual({ open: true });
  server.close();
  await once(server, 'close');
  expect(await value(shop.ask(port, number))).toEqual({ open: false });
});

test('system: who the host is and what time it has', async () => {
  const found = (await value(shop.ask(system, undefined))) as { timeMs: number };
  expect(found).toMatchObject({
    dialect: 'sh',
    hostname: expect.stringMatching(/./),
    os: expect.stringMatching(/^[a-z]/),
  });
  expect(Math.abs(found.timeMs - Date.now())).toBeLessThan(60_000);
});

test('probe: what a command prints, and one that does not end', async () => {
  expect(await value(shop.ask(probe, { argv: ['sh', '-c', 'cat; printf "hé $0"; exit 3', "it's"] }))).toEqual({
    exit: 3,
    stdout: "hé it's",
  });
  expect(await shop.ask(probe, { argv: ['sleep', '60'], timeoutMs: 200 })).toMatchObject({
    is: 'failed',
    reason: 'sleep did not end within 0.2 s',
  });
});

test.each([
  [
    'that another process kills',
    ['sh', '-c', 'kill -9 $$'],
    60_000,
    'sh was ended by a signal (KILL) before its time limit',
  ],
  ['that has to be killed at its limit', ['sh', '-c', 'trap "" TERM; sleep 60'], 200, 'sh did not end within 0.2 s'],
] as const)('probe: a command %s', async (_what, argv, timeoutMs, reason) => {
  expect(await shop.ask(probe, { argv, timeoutMs, errors: true })).toMatchObject({ is: 'failed', reason });
});

test('archive: members as they are called, with what their links lead to', async () => {
  await shop.perform({
    do: 'run',
    command: { argv: ['tar', '-czPf', at('a.tgz'), '-C', shop.folder, 'd', '../../etc/hostname'], timeoutMs: 9_000 },
    expect: { exit: [0] },
  });
  const found = (await value(shop.ask(archiveListing, at('a.tgz')))) as { path: string }[];
  const byName = (a: { path: string }, b: { path: string }): number => (a.path < b.path ? -1 : 1);
  expect([...found].sort(byName)).toEqual([
    { path: '../../etc/hostname', type: 'file' },
    { path: 'd/', type: 'directory' },
    { path: 'd/b\\n', type: 'file' },
    { path: 'd/link', type: 'link', target: '../a' },
    { path: 'd/sub dir/', type: 'directory' },
    { path: "d/sub dir/it's\nnew", type: 'file' },
  ]);
  expect(await value(shop.ask(archiveListing, at('none')))).toBeNull();
  expect(await shop.ask(archiveListing, at('a'))).toMatchObject({
    is: 'failed',
    reason: expect.stringContaining('no archive'),
  });
});

test('a fact that no host knows fails by itself', async () => {
  expect(await shop.ask({ name: 'mood', key: () => '' }, '')).toMatchObject({ is: 'failed', why: 'unreadable' });
});
