import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';

/** The script of the shipped fact, as a user whom modes bind. */
const platform = readFileSync(new URL('../../playbooks/platform.yaml', import.meta.url), 'utf8');
const { command = [] } =
  (parse(platform) as { facts: Record<string, { command: string[] }> }).facts['agent_files_wrong'] ?? {};
const isRoot = userInfo().uid === 0;
let folder = '';
const at = (name: string): string => join(folder, name);
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'runbook-agent-'));
  chmodSync(folder, 0o755);
  writeFileSync(at('platform.conf'), '');
  writeFileSync(at('client.keys'), '');
  mkdirSync(at('rids'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function wrong(config = 'platform.conf', keys = 'client.keys', counters = 'rids'): readonly string[] {
  const script = command[command.indexOf('-c') + 1] ?? '';
  const shell = ['sh', '-c', script, 'sh', at(config), at(keys), at(counters)];
  const argv = isRoot ? ['runuser', '-u', 'nobody', '--', ...shell] : shell;
  const { status, stdout } = spawnSync(argv[0] ?? '', argv.slice(1), { encoding: 'utf8' });
  expect(status).toBe(0);
  return stdout.split('\n').filter((line) => line !== '');
}

test('an agent needs its configuration, keys that it can read, and counters that it can write', () => {
  chmodSync(at('rids'), 0o777);
  expect(wrong()).toEqual([]);
  expect(wrong('other.conf', 'other.keys', 'other')).toEqual([at('other.conf'), at('other.keys')]);
  chmodSync(at('rids'), 0o555);
  chmodSync(at('client.keys'), 0o000);
  expect(wrong()).toEqual([at('client.keys'), at('rids')]);
});
