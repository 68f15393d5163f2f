import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Written } from './project.js';
import { filesBelow, partOf, stampOf } from './stamp.js';

/** Which steps had events in the tests of one file: `KIND KEY PATH`, each with the names of a few tests that saw it. */
export interface Kept {
  /** Of the playbooks and the test file as they were. */
  readonly stamp: string;
  readonly events: Readonly<Record<string, readonly string[]>>;
}

/** Which tests of one file passed. */
interface Passed {
  readonly stamp: string;
  /** Some of its last run did not. */
  readonly failed: boolean;
  readonly passed: readonly string[];
}

/** What passed tests of one file saw. `fresh`: neither it nor a playbook was altered since. */
export interface Proof {
  readonly file: string;
  readonly fresh: boolean;
  /** Some of its tests failed when it last ran. */
  readonly failed: boolean;
  readonly tests: readonly string[];
  readonly seen: readonly Seen[];
}

/** A step settled, a play began, an invariant was waited for: that, and as what. */
export interface Seen {
  readonly as: string;
  readonly spec: string;
  readonly path: string;
}

/** Writes what the tests of a file saw, in one step: others may be reading. */
export function keepEvents(root: string, testFile: string, kept: Kept): void {
  const file = partOf(root, 'events', testFile);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(`${file}.new`, JSON.stringify(kept, null, 1));
  renameSync(`${file}.new`, file);
}

/** What the tests of a file saw; undefined when nothing was kept, or cannot be read. */
export const readEvents = (root: string, testFile: string): Kept | undefined =>
  readJson(partOf(root, 'events', testFile)) as Kept | undefined;

/** What every test file's passed tests saw, sorted by file. */
export function readProofs(root: string): readonly Proof[] {
  const files = filesBelow(root, path.join('.evidence', 'passed'), '.json').map((f) =>
    path.basename(f, '.json').replaceAll('__', '/'),
  );
  return files.flatMap((file): Proof[] => {
    const passed = readJson(partOf(root, 'passed', file)) as Passed | undefined;
    if (passed === undefined || !existsSync(path.join(root, file))) return [];
    const kept = readEvents(root, file);
    return [
      {
        file,
        fresh: passed.stamp === stampOf(root, file),
        failed: passed.failed,
        tests: passed.passed,
        seen: kept?.stamp === passed.stamp ? seenIn(kept, passed) : [],
      },
    ];
  });
}

/** Events of tests that passed; what belongs to no single test counts when any did. */
const seenIn = (kept: Kept, { passed }: Passed): readonly Seen[] =>
  Object.entries(kept.events)
    .filter(([, tests]) => tests.some((test) => (test === '' ? passed.length > 0 : passed.includes(test))))
    .map(([line]) => {
      const [as = '', spec = '', ...rest] = line.split(' ');
      return { as, spec: spec === '-' ? '' : spec, path: rest.join(' ') };
    });

/** Is this an event of that step (or an element of its loop), play or invariant, under the key that it has now? */
export const isOf = (seen: Seen, one: Written): boolean =>
  one.paths.includes(seen.path.replace(/ \[.*\]$/, '')) && (one.spec === undefined || seen.spec === one.spec);

function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as unknown;
  } catch {
    return undefined;
  }
}
