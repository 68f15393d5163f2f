import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { execa } from 'execa';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
let project: string;
beforeAll(() => {
  project = mkdtempSync(path.join(tmpdir(), 'new-module-'));
  for (const part of ['engine/modules', 'engine/platforms', 'schemas', 'tests/tools', 'package.json'])
    cpSync(path.join(root, part), path.join(project, part), { recursive: true });
  symlinkSync(path.join(root, 'node_modules'), path.join(project, 'node_modules'));
});
afterAll(() => rmSync(project, { recursive: true }));

const make = (...args: readonly string[]) =>
  execa(process.execPath, ['tests/tools/new-module.js', ...args], { cwd: project, reject: false });
const read = (file: string): string => readFileSync(path.join(project, file), 'utf8');

test.each([
  { name: 'disk-quota', args: [], home: 'engine/modules', after: 'confirm', before: 'disk-space' },
  {
    name: 'zone',
    args: ['security-monitoring'],
    home: 'engine/platforms/security-monitoring/modules',
    after: 'unassigned-shards',
    before: undefined,
  },
])('$name: a folder, and one line in the list in its place', async ({ name, args, home, after, before }) => {
  expect(await make(name, ...args)).toMatchObject({ exitCode: 0 });
  for (const file of ['README.md', 'schema.ts', 'module.ts', 'cases.yaml'])
    expect(existsSync(path.join(project, home, name, file))).toBe(true);
  const names = [...read(`${home}/index.ts`).matchAll(/'\.\/(.+)\/module\.js'/g)].map(([, other]) => other);
  const at = names.indexOf(name);
  expect([names[at - 1], names[at + 1]]).toEqual([after, before]);
});

test.each([
  ['systemctl', 'systemctl is taken: engine/modules/systemctl'],
  ['snapshot', 'snapshot is taken: engine/platforms/security-monitoring/modules/snapshot'],
  ['when', '"when" is a key of plays or steps'],
  ['../up', '"../up" is not the name of a module'],
  ['', '"" is not the name of a module'],
])('"%s" is refused, and nothing is changed', async (name, why) => {
  const list = read('engine/modules/index.ts');
  expect(await make(name)).toMatchObject({ exitCode: 2, stderr: expect.stringContaining(why) });
  expect(read('engine/modules/index.ts')).toBe(list);
});
