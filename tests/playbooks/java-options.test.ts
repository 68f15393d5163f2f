import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';

/** The script of the shipped fact, and a Java 21 that knows no option with `Bad` in its name. */
const platform = readFileSync(new URL('../../playbooks/platform.yaml', import.meta.url), 'utf8');
const { command } = (parse(platform) as { facts: Record<string, { command: string[] }> }).facts[
  'jvm_options_wrong'
] ?? {
  command: [],
};
const JAVA = `#!/bin/sh
if [ "$#" = 1 ]; then echo 'openjdk version "21.0.4" 2024-07-16' >&2; exit; fi
for option; do case $option in *Bad*) echo "Unrecognized VM option '$option'"; exit 1 ;; esac; done
`;
let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'runbook-java-'));
  mkdirSync(join(folder, 'jvm.options.d'));
  writeFileSync(join(folder, 'java'), JAVA, { mode: 0o755 });
});
afterAll(() => rmSync(folder, { recursive: true }));

function said(options: string, more = '', nodes = '3'): string {
  writeFileSync(join(folder, 'jvm.options'), options);
  writeFileSync(join(folder, 'jvm.options.d/ours.options'), more);
  writeFileSync(
    join(folder, 'meminfo'),
    'MemTotal:       16326428 kB\nMemFree:         1024 kB\nSwapTotal:       1000000 kB\n',
  );
  const script = command[command.indexOf('-c') + 1] ?? '';
  const files = ['meminfo', 'jvm.options', 'jvm.options.d'].map((file) => join(folder, file));
  return spawnSync('sh', ['-c', script, 'sh', join(folder, 'java'), nodes, ...files], { encoding: 'utf8' }).stdout;
}

test.each(['-', '21:-', '17-:-', '21-:-', '8-21:-', '21-25:-'])('Java 21 takes the option %sXX:…', (prefix) => {
  expect(said(`# ours\n${prefix}XX:+Bad \r\n`)).toMatch(/Unrecognized VM option '-XX:\+Bad'/);
});

test.each(['#-', '20:-', '22:-', '22-:-', '8-13:-'])('Java 21 does not take the option %sXX:…', (prefix) => {
  expect(said(`${prefix}XX:+Bad\n-XX:+Good\n`)).toBe('');
});

test('the last sizes of the heap must be the same, where several nodes are a cluster', () => {
  expect(said('-Xms8g\n-Xmx8g\n', '-Xms4g')).toBe('heap sizes -Xms4g and -Xmx8g differ\n');
  expect(said('-Xms8g\n-Xmx8g\n', '-Xms4g', '1')).toBe('');
  expect(said('-Xms4g\n-Xms8g\n-Xmx8192m\n', '8-13:-Xms4g\n# -Xms4g\n')).toBe('');
  expect(said('-Xmx8g\n')).toBe('');
  expect(said('-Xms8g\n-Xmx4g\n-XX:MaxRAMPercentage=50\n')).toBe('');
});

test('the initial heap is not more than the memory of the host, with what it can swap', () => {
  const more = (size: string): string => `initial heap -Xms${size} is more than the memory of the host\n`;
  expect([said('-Xms17g\n-Xmx17g\n'), said('-Xms18000000000\n', '', '1')]).toEqual([more('17g'), more('18000000000')]);
  for (const fits of ['-Xms16g\n-Xmx16g\n', '-Xmx64g\n']) expect(said(fits)).toBe('');
  expect(said('-Xms1g\n-Xmx64g\n', '', '1')).toBe('');
  for (const other of ['-XX:-AlwaysPreTouch', '-XX:InitialHeapSize=8g', '-XX:InitialRAMPercentage=50'])
    expect(said(`-Xms64g\n-Xmx64g\n${other}\n`)).toBe('');
});
