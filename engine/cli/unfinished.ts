import { resolve } from 'node:path';
import { findUnfinished, listRuns, openRunFolder, readCopy, runsOf, type RunCopy, type RunFolder } from '../journal/run-folder.js';
import type { Project } from '../language/project.js';
import type { Recorded } from '../terms/event.js';
import { EXIT, invalid } from './exit.js';
import type { Flags } from './flags.js';
import { loadCopy } from './project.js';

/** The folder of runs that belongs to the inventory that the flags, the environment or the working directory name. */
export const runsFor = (flags: Flags): string => runsOf(resolve(flags.inventory?.[0] ?? process.env['RUNBOOK_INVENTORY'] ?? 'inventory.yaml'));

export interface Unfinished {
  readonly folder: RunFolder;
  readonly past: readonly Recorded[];
  readonly copy: RunCopy;
  readonly project: Project;
  /** The flags, with what the run was limited to when it began. */
  readonly flags: Flags;
  readonly limit?: ReadonlySet<string>;
}

/** The unfinished run with its own copies of playbook and inventory, or an exit code. */
export async function openUnfinished(flags: Flags): Promise<Unfinished | number> {
  if (flags.positionals.length > 0) return invalid('resume and release take no playbook: a run keeps its own copy');
  const found = findUnfinished(runsFor(flags));
  if (found === undefined) return invalid(`there is no unfinished run in ${runsFor(flags)} (name the inventory with -i)`);
  const copy = readCopy(found.folder);
  const project = await loadCopy(copy);
  if (typeof project === 'number') return project;
  return {
    folder: found.folder,
    past: found.past,
    copy,
    project,
    flags: { ...flags, ...(copy.tags === undefined ? {} : { tags: new Set(copy.tags) }), ...(copy.skipTags === undefined ? {} : { skipTags: new Set(copy.skipTags) }) },
    ...(copy.limit === undefined ? {} : { limit: new Set(copy.limit) }),
  };
}

/** The run named, or the newest one; undefined after saying that there is none. */
export function pickRun(flags: Flags): RunFolder | undefined {
  const runs = runsFor(flags);
  const ids = listRuns(runs);
  const id = flags.positionals[0] ?? ids.at(-1);
  if (id !== undefined && ids.includes(id)) return openRunFolder(runs, id);
  process.stderr.write(`runbook: there is no run${id === undefined ? '' : ` ${id}`} in ${runs}\n`);
  return undefined;
}

export const NONE = EXIT.invalid;
