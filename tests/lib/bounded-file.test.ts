import { afterAll, expect, test } from '@jest/globals';
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { headOf, readFileWithin, whyNotRead } from '../../engine/lib/bounded-file.js';

const folder = mkdtempSync(join(tmpdir(), 'runbook-bounded-'));
afterAll(() => rmSync(folder, { recursive: true }));

const whyNot = (file: string, most: number): string => {
  try {
    return `read: ${readFileWithin(file, most).length}`;
  } catch (error) {
    return whyNotRead(error);
  }
};

test.each([
  ['just as large', 1024, 'read: 1024'],
  ['a byte more', 1025, 'is larger than 1 KiB, the most that is read'],
  ['empty', 0, 'read: 0'],
])('a file that is %s', (_what, bytes, why) => {
  const file = join(folder, `of-${bytes}`);
  writeFileSync(file, Buffer.alloc(bytes));
  expect(whyNot(file, 1024)).toBe(why);
});

test.each([
  ['/dev/zero', 'is a device'],
  ['/dev/null', 'is a device'],
  [folder, 'is a directory'],
  [join(folder, 'none'), 'cannot be read (ENOENT)'],
])('%s', (file, why) => {
  expect([whyNot(file, 1024), headOf(file, 10)]).toEqual([why, '']);
});

test('a pipe is read to its end, by each who asks', () => {
  const pipe = join(folder, 'pipe');
  execFileSync('mkfifo', [pipe]);
  const writer = spawn('sh', ['-c', 'printf abc >"$0"', pipe]);
  expect([1, 2].map(() => readFileWithin(pipe, 1024).toString())).toEqual(['abc', 'abc']);
  writer.unref();
});

test('a pipe is not read beyond the limit, and not waited for without a writer', () => {
  const [endless, idle] = ['endless', 'idle'].map((name) => join(folder, name)) as [string, string];
  execFileSync('mkfifo', [endless, idle]);
  const writer = spawn('sh', ['-c', 'cat /dev/zero >"$0" 2>/dev/null', endless]);
  expect([whyNot(endless, 1024), whyNot(idle, 1024)]).toEqual([
    'is larger than 1 KiB, the most that is read',
    'is a pipe that nothing is written to',
  ]);
  writer.unref();
});

test('the head of a file, and no more', () => {
  writeFileSync(join(folder, 'long'), 'abcdefghij'.repeat(1000));
  expect([headOf(join(folder, 'long'), 5), headOf(join(folder, 'of-0'), 5)]).toEqual(['abcde', '']);
});
