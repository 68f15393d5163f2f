import { existsSync, mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Recorded } from '../terms/event.js';
import { isObject, type JsonObject } from '../terms/json.js';
import { openBlobs, type Blobs } from './blobs.js';
import { foldAll } from './fold.js';
import { inspectJournal, JournalDamaged, readJournal, type JournalRead } from './journal-file.js';
import { isEarlier } from './earlier.js';
import { isOfModel } from './kind.js';
import { endedWell } from './last-event.js';
import { seal, unseal } from '../lib/sealed.js';
import type { Reveal } from './redaction.js';
import { isUnfinished, type RunState } from './state.js';
import { MOST_OF, readFileWithin } from '../lib/bounded-file.js';

interface KeptText {
  readonly file: string;
  readonly text: string;
}

/** What the plan of a run said of times, for its resumes. */
export interface Estimate {
  /** The maintenance window binds it. */
  readonly takesDown: boolean;
  /** How long it takes from a play with a point of no return on, milliseconds, by the path of the play. */
  readonly restMs: Readonly<Record<string, number>>;
}

/** What a run keeps of what it was told, so that a resume is not misled by files edited since. */
export interface RunCopy {
  readonly version: 1;
  /** Texts by their absolute paths: the root playbook first, its platform last. */
  readonly playbook: readonly KeptText[];
  readonly inventory: readonly KeptText[];
  readonly cwd: string;
  readonly extraVars: JsonObject;
  readonly limit?: readonly string[];
  readonly tags?: readonly string[];
  readonly skipTags?: readonly string[];
  /** `--start-at-step` */
  readonly startAt?: string;
  /** `--waive`, of its start and of its resumes. */
  readonly waive?: readonly string[];
  /** `--window`; absent: that of the inventory. */
  readonly window?: string;
  /** What its plan said that counts for the window. */
  readonly estimate?: Estimate;
  /** The plan that was approved and applied (its id), and the steps that may differ from it. */
  readonly plan?: string;
  readonly allow?: readonly string[];
  /** Of a rollback: the unfinished run that it rolls back, which is closed when the rollback is done; empty when there was none. */
  readonly backFrom?: string;
  /** Of a rollback: the run that it rolls back, unfinished or done; absent where none is known. */
  readonly rollsBack?: string;
}

/** One run's folder: `.runbook/runs/ID` beside the inventory, mode 0700. */
export interface RunFolder {
  readonly id: string;
  readonly path: string;
  readonly journalFile: string;
  readonly blobs: Blobs;
}

/** The runs of one inventory. Inventories that stand side by side share the folder, never a run; nor do its hosts and those of its model. */
export interface Runs {
  readonly folder: string;
  /** The inventory's first file, absolute. */
  readonly inventory: string;
  readonly ofModel: boolean;
}

export const runsOf = (inventoryFile: string, ofModel = false): Runs => ({
  folder: join(dirname(inventoryFile), '.runbook', 'runs'),
  inventory: inventoryFile,
  ofModel,
});

/** Those of the model for real hosts, and the other way round. */
export const otherKind = (runs: Runs): Runs => ({ ...runs, ofModel: !runs.ofModel });

/** The name of a run that begins then: names are in the order of their starts. */
export const stampOf = (ms: number): string =>
  new Date(ms)
    .toISOString()
    .replace(/\.\d+Z$/, 'Z')
    .replaceAll(':', '-');

const RUN_NAME = /^(\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ)(?:-\d+)?$/;

/**
 * Makes the folder of a new run. Its name is its start, to the second, with a number when two start in one second; by a clock that is behind
 * that of the last run, the name of that one with a number: the newest is always the last by name.
 */
export function createRunFolder(runs: Runs, nowMs: number, copy: RunCopy): RunFolder {
  mkdirSync(runs.folder, { recursive: true, mode: 0o700 });
  const last = readdirSync(runs.folder)
    .flatMap((name) => RUN_NAME.exec(name)?.[1] ?? [])
    .sort()
    .at(-1);
  const now = stampOf(nowMs);
  const stamp = last === undefined || last < now ? now : last;
  for (let n = 1; ; n += 1) {
    const id = n === 1 ? stamp : `${stamp}-${n}`;
    if (existsSync(join(runs.folder, id))) continue;
    mkdirSync(join(runs.folder, id), { mode: 0o700 });
    const folder = openRunFolder(runs, id);
    writeCopy(folder, copy);
    return folder;
  }
}

/** Replaces the run's copy as a whole. */
export function writeCopy({ id, path }: RunFolder, copy: RunCopy): void {
  const file = join(path, 'copy.json');
  writeFileSync(`${file}.new`, seal(JSON.stringify({ run: id, ...copy })), { mode: 0o600, flush: true });
  renameSync(`${file}.new`, file);
}

export function openRunFolder(runs: Runs, id: string): RunFolder {
  const path = join(runs.folder, id);
  return { id, path, journalFile: join(path, 'journal.ndjson'), blobs: openBlobs(join(path, 'blobs')) };
}

/** Throws JournalDamaged when the copy is gone or no longer what was written. */
export function readCopy(folder: RunFolder): RunCopy {
  const copy = findCopy(folder);
  if (copy !== undefined) return copy;
  throw new JournalDamaged(damagedCopy(folder));
}

const damagedCopy = ({ path }: RunFolder): string =>
  `${join(path, 'copy.json')}: the run's copy of its playbook and inventory is damaged`;

/** What is wrong with a run's copy: for commands that show the rest of the run. */
export const copyDamage = (folder: RunFolder): string | undefined =>
  findCopy(folder) === undefined ? damagedCopy(folder) : undefined;

/** A run's copy; undefined when it is gone or damaged. */
export const findCopy = ({ path }: RunFolder): RunCopy | undefined => copyIn(path);

/** The copy of another run is none of this one; one of an earlier build does not say whose it is. */
function copyIn(folder: string): RunCopy | undefined {
  try {
    const read = unseal(readFileWithin(join(folder, 'copy.json'), MOST_OF.own));
    if (!isObject(read)) return undefined;
    const { run = basename(folder), ...copy } = read;
    return run === basename(folder) ? (copy as unknown as RunCopy) : undefined;
  } catch {
    return undefined;
  }
}

/** The events of a run as people see them, as far as they can be read. */
export const inspectEvents = (folder: RunFolder): JournalRead => inspectJournal(folder.journalFile, folder.blobs);

/** The events of a run as they happened, for a process that goes on with it. Throws JournalDamaged. */
export const eventsFor = (folder: RunFolder, reveal: Reveal): readonly Recorded[] =>
  readJournal(folder.journalFile, folder.blobs, reveal);

/** Run ids of this inventory, oldest first. A run whose copy cannot be read is listed too: better told than lost. */
export const listRuns = (runs: Runs): readonly string[] =>
  existsSync(runs.folder)
    ? readdirSync(runs.folder, { withFileTypes: true })
        .filter((e) => e.isDirectory())
        .map((e) => e.name)
        .filter((id) => isOf(runs, id))
        .sort()
    : [];

function isOf(runs: Runs, id: string): boolean {
  const folder = join(runs.folder, id);
  const files = (copyIn(folder) ?? earlierCopyIn(folder))?.inventory ?? [];
  const [first] = files;
  if (first === undefined) return true;
  return first.file === runs.inventory && isOfModel(files.map(({ text }) => text)) === runs.ofModel;
}

/** The copy of a run of an earlier version, only to know whose it is. */
function earlierCopyIn(folder: string): Partial<RunCopy> | undefined {
  if (!isEarlier(join(folder, 'journal.ndjson'))) return undefined;
  try {
    return JSON.parse(readFileWithin(join(folder, 'copy.json'), MOST_OF.own).toString('utf8')) as Partial<RunCopy>;
  } catch {
    return undefined;
  }
}

/** A run that did not end well, with what its journal holds. */
export interface OpenRun {
  readonly folder: RunFolder;
  readonly past: readonly Recorded[];
  readonly state: RunState;
}

/** The newest unfinished run that can be read. A damaged one hides no other; `findDamaged` has it. */
export function findUnfinished(runs: Runs): OpenRun | undefined {
  for (const run of unfinished(runs)) return run;
  return undefined;
}

/** All of them, newest first: a rollback, and the run that it rolls back. */
export const findAllUnfinished = (runs: Runs): readonly OpenRun[] => [...unfinished(runs)];

function* unfinished(runs: Runs): Generator<OpenRun> {
  for (const folder of openFolders(runs)) {
    const { events: past, damage } = inspectEvents(folder);
    const state = foldAll(past.map((r) => r.event));
    if (damage === undefined && isUnfinished(state)) yield { folder, past, state };
  }
}

/** A run that cannot be read. */
export interface Unreadable {
  readonly folder: RunFolder;
  /** Where it is damaged. */
  readonly damage: string;
}

/** The newest run that cannot be read, of those that may be unfinished. */
export function findDamaged(runs: Runs): Unreadable | undefined {
  for (const folder of openFolders(runs)) {
    const { damage } = inspectEvents(folder);
    if (damage !== undefined) return { folder, damage };
  }
  return undefined;
}

/** The runs that did not end well, newest first. */
const openFolders = (runs: Runs): readonly RunFolder[] =>
  listRuns(runs)
    .toReversed()
    .map((id) => openRunFolder(runs, id))
    .filter(({ journalFile }) => !endedWell(journalFile));
