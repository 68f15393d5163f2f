import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';

/** The script by which platform.yaml follows the manager's log, asked of a real shell. */
const root = join(dirname(fileURLToPath(import.meta.url)), '../../../..');
const { facts } = parse(readFileSync(join(root, 'playbooks/platform.yaml'), 'utf8'), { merge: true }) as {
  readonly facts: Readonly<Record<string, { readonly command: readonly string[] }>>;
};
const [, , script = ''] = facts['connector_started']?.command ?? [];

let folder = '';
let log = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'runbook-log-'));
  log = join(folder, 'platform.log');
  writeFileSync(log, 'before the start\n');
});
afterEach(() => rmSync(folder, { recursive: true }));

const rotated = (): string => join(folder, 'platform-21.log');
const position = (): string => `${statSync(log).ino} ${statSync(log).size}`;
const since = (from: string): string =>
  execFileSync('sh', ['-c', script, 'sh', log, rotated(), from], { encoding: 'utf8' }).trim();
const rotate = (): void => {
  renameSync(log, rotated());
  writeFileSync(log, 'the new day\n');
};

test.each([
  ['it is as it was', () => undefined, 'started'],
  ['rotated', rotate, 'started\nthe new day'],
  [
    'rotated and compressed',
    () => {
      rotate();
      execFileSync('gzip', [rotated()]);
    },
    'started\nthe new day',
  ],
  [
    'rotated to somewhere else',
    () => {
      renameSync(log, `${rotated()}.old`);
      writeFileSync(log, 'the new day\n');
    },
    'runbook: no ROTATED\nthe new day',
  ],
  ['emptied in its place', () => writeFileSync(log, 'new\n'), 'runbook: no ROTATED\nnew'],
])('the lines since the start of a log when %s', (_, happens, lines) => {
  const from = position();
  appendFileSync(log, 'started\n');
  happens();
  expect(since(from)).toBe(lines.replace('ROTATED', rotated()));
});
