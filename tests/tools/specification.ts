/**
 * `npm run docs` writes docs/specification.md and docs/specification.tests.yaml; `npm run check` (`--check`) writes nothing, and fails
 * when they are not what the items, the playbooks and the docstrings say, or what they say was not seen by tests.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parse, stringify } from 'yaml';
import { scenarios } from '../mutate/scenarios/index.js';
import { carry } from '../specification/carriers.js';
import { readProofs } from '../specification/evidence.js';
import { keysIn, readItems, type Finding } from '../specification/items.js';
import { choose, judge, onRealHosts, type Tried } from '../specification/judge.js';
import { pageOf } from '../specification/page.js';
import { readMaterial } from '../specification/project.js';
import { unknownKeys } from '../specification/used-keys.js';

const root = path.resolve(import.meta.dirname, '../..');
const ITEMS = path.join(root, 'docs/specification.items.yaml');
const PAGE = path.join(root, 'docs/specification.md');
const TESTS = path.join(root, 'docs/specification.tests.yaml');
const ASSERTED = path.join(root, 'docs/specification.asserted.yaml');
const TESTS_HEAD = '# Made by `npm run docs`: which tests tried each item of specification.items.yaml.\n';

const { sections, findings } = readItems(ITEMS);
const material = readMaterial(root);
const carried = carry(
  sections.flatMap(({ items }) => items),
  material,
);
const readKeys = (file: string): Tried =>
  existsSync(file) ? ((parse(readFileSync(file, 'utf8')) as Tried | null) ?? {}) : {};
const asserted = readKeys(ASSERTED);
const before: Tried = Object.fromEntries(
  Object.entries(readKeys(TESTS)).map(([key, files]) => [
    key,
    files.filter((file) => existsSync(path.join(root, file))),
  ]),
);
/** A scenario, or an item, that is there no more asserts nothing. */
const unasserted = (): readonly Finding[] => {
  const [names, keys] = [new Set(scenarios.map(({ name }) => name)), new Set(keysIn(sections))];
  return Object.entries(asserted).flatMap(([key, by]) => [
    ...(keys.has(key) ? [] : [{ at: 'docs/specification.asserted.yaml', says: `${key} is no item` }]),
    ...by.flatMap((name) =>
      names.has(name) ? [] : [{ at: key, says: `no scenario is called "${name}": npm run mutate -- --carriers` }],
    ),
  ]);
};
const drifted = (file: string, text: string): readonly Finding[] =>
  existsSync(file) && readFileSync(file, 'utf8') === text
    ? []
    : [{ at: path.relative(root, file), says: 'is not what it is made from: npm run docs' }];

/** Runs test files whose evidence is missing or older than a playbook. Returns those of which some tests failed. */
function runTests(files: readonly string[]): readonly string[] {
  console.log(
    `specification: nothing fresh is kept of ${files.join(', ')}; running ${files.length === 1 ? 'it' : 'them'}`,
  );
  const jest = ['--experimental-vm-modules', '--no-warnings', 'node_modules/jest/bin/jest.js'];
  const quiet = ['--silent', '--reporters=<rootDir>/tests/specification/reporter.js'];
  const { status } = spawnSync(process.execPath, [...jest, ...files, ...quiet], { cwd: root, stdio: 'ignore' });
  const failed = readProofs(root).flatMap((proof) => (proof.failed && files.includes(proof.file) ? [proof.file] : []));
  return status === 0 || failed.length > 0 ? failed : files;
}

/** Of these, the files whose evidence is missing, or older than they or a playbook are. */
function wantingOf(files: readonly string[]): readonly string[] {
  const fresh = new Set(readProofs(root).flatMap((proof) => (proof.fresh ? [proof.file] : [])));
  return files.filter((file) => !fresh.has(file) && !onRealHosts(file));
}

if (process.argv.includes('--check')) {
  const named = [...new Set(Object.values(before).flat())].sort();
  const wanting = wantingOf(named);
  const failed = wanting.length === 0 ? [] : runTests(wanting);
  const stale = wantingOf(named).filter((file) => !failed.includes(file));
  // What tests would have seen that failed, or that saw other playbooks, nobody knows.
  const seen = failed.length + stale.length === 0;
  const found = [
    ...findings,
    ...unknownKeys(root, material, keysIn(sections)),
    ...(seen ? judge(carried, readProofs(root), before) : carried.flatMap((one) => one.findings)),
    ...unasserted(),
    ...drifted(PAGE, pageOf(sections, carried, { tried: before, asserted })),
    ...failed.map((file) => ({ at: file, says: `fails: npm run jest -- ${file}` })),
    ...stale.map((file) => ({ at: file, says: 'is of other playbooks: one was altered while it ran' })),
  ];
  for (const { at, says } of found) console.error(`${at}: ${says}`);
  console.log(`specification: ${carried.length} items, ${found.length} ${found.length === 1 ? 'fault' : 'faults'}`);
  process.exitCode = found.length === 0 ? 0 : 1;
} else {
  const tried = choose(carried, readProofs(root), before);
  writeFileSync(TESTS, `${TESTS_HEAD}${stringify(tried, { lineWidth: 0 })}`);
  writeFileSync(PAGE, pageOf(sections, carried, { tried, asserted }));
  for (const { at, says } of [...findings, ...carried.flatMap((one) => one.findings)]) console.error(`${at}: ${says}`);
  console.log(`docs/specification.md: ${carried.length} items, ${Object.keys(tried).length} tried by tests`);
}
