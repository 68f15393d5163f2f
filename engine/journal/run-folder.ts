import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Recorded } from '../terms/event.js';
import type { JsonObject } from '../terms/json.js';
import { openBlobs, type Blobs } from './blobs.js';
import { foldAll } from './fold.js';
import { JournalDamaged, readJournal } from './journal.js';
import { endedWell } from './last-event.js';
import type { RunState } from './state.js';

interface KeptText {
  readonly file: string;
  readonly text: string;
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
}

/** One run's folder: `.runbook/runs/ID` beside the inventory, mode 0700. */
export interface RunFolder {
  readonly id: string;
  readonly path: string;
  readonly journalFile: string;
  readonly blobs: Blobs;
}

export const runsOf = (inventoryFile: string): string => join(dirname(inventoryFile), '.runbook', 'runs');

/** Makes the folder of a new run. Its name is its start, to the second, with a number when two start in one second. */
export function createRunFolder(runs: string, nowMs: number, copy: RunCopy): RunFolder {
  const stamp = new Date(nowMs)
    .toISOString()
    .replace(/\.\d+Z$/, 'Z')
    .replaceAll(':', '-');
  mkdirSync(runs, { recursive: true, mode: 0o700 });
  for (let n = 1; ; n += 1) {
    const id = n === 1 ? stamp : `${stamp}-${n}`;
    if (existsSync(join(runs, id))) continue;
    mkdirSync(join(runs, id), { mode: 0o700 });
    writeFileSync(join(runs, id, 'copy.json'), JSON.stringify(copy), { mode: 0o600, flush: true });
    return openRunFolder(runs, id);
  }
}

export function openRunFolder(runs: string, id: string): RunFolder {
  const path = join(runs, id);
  return { id, path, journalFile: join(path, 'journal.ndjson'), blobs: openBlobs(join(path, 'blobs')) };
}

/** Throws JournalDamaged when the copy is gone or no longer what was written. */
export function readCopy(folder: RunFolder): RunCopy {
  const file = join(folder.path, 'copy.json');
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as RunCopy;
  } catch (cause) {
    throw new JournalDamaged(`${file}: the run's copy of its playbook and inventory is damaged`, { cause });
  }
}

export const readEvents = (folder: RunFolder): readonly Recorded[] =>
  existsSync(folder.journalFile) ? readJournal(folder.journalFile, folder.blobs) : [];

/** Run ids, oldest first. */
export const listRuns = (runs: string): readonly string[] =>
  existsSync(runs)
    ? readdirSync(runs, { withFileTypes: true })
        .filter((e) => e.isDirectory())
        .map((e) => e.name)
        .sort()
    : [];

/** A run that another must not overtake: begun, and neither done, refused before any change, nor released. */
export const isUnfinished = (state: RunState): boolean =>
  state.run !== undefined &&
  state.ended?.as !== 'done' &&
  state.ended?.as !== 'released' &&
  !(state.ended !== undefined && state.debts.size === 0 && ![...state.tasks.values()].some((t) => t.acted === true));

/** The newest unfinished run, with what its journal holds. */
export function findUnfinished(
  runs: string,
): { readonly folder: RunFolder; readonly past: readonly Recorded[]; readonly state: RunState } | undefined {
  for (const id of listRuns(runs).toReversed()) {
    const folder = openRunFolder(runs, id);
    if (endedWell(folder.journalFile)) continue;
    const past = readEvents(folder);
    const state = foldAll(past.map((r) => r.event));
    if (isUnfinished(state)) return { folder, past, state };
  }
  return undefined;
}
