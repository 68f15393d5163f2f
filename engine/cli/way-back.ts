import { basename, dirname, relative } from 'node:path';
import { foldAll } from '../journal/fold.js';
import { JournalDamaged } from '../journal/journal-file.js';
import { inspectEvents, listRuns, openRunFolder, readCopy, type RunFolder, type Runs } from '../journal/run-folder.js';
import { loadTexts } from '../language/load.js';
import type { Project } from '../language/project.js';
import { quote } from '../lib/quote.js';
import { compareByPrefix } from '../lib/version.js';
import type { Ways } from '../report/next-commands.js';
import { packagesPut } from '../report/packages-put.js';
import type { Recorded } from '../terms/event.js';
import { cameFrom } from './came-from.js';
import type { Flags } from './flags.js';
import { shippedDir } from './project.js';
import { runsFor, whereOf } from './unfinished.js';

/** What can be typed after this run, as it is in its folder; the project is read from the run's own copy where it is not at hand. */
export async function waysOf(folder: RunFolder, flags: Flags, project?: Project): Promise<Ways> {
  const where = whereOf(flags);
  const { backFrom, ...copy } = readCopy(folder);
  const told = project ?? (await projectOf(copy));
  const runs = runsFor(flags);
  // A rollback is resumed or closed, not rolled back.
  if (told === undefined || backFrom !== undefined) return { where, backTo: [] };
  const by = takenBackBy(runs, folder.id);
  const isNewest = listRuns(runs).at(-1) === folder.id;
  return {
    where,
    backTo: releasesBack(runs, folder, told.platform),
    ...(isNewest ? { playbook: asTyped(told) } : {}),
    ...(by === undefined ? {} : { takenBackBy: by }),
  };
}

/** A rollback of this run that installed older packages: a resume would skip what the rollback removed. */
export const takenBackBy = (runs: Runs, id: string): string | undefined =>
  listRuns(runs).find((later) => later > id && hasUndone(openRunFolder(runs, later), id));

function hasUndone(folder: RunFolder, id: string): boolean {
  try {
    if (readCopy(folder).backFrom !== id) return false;
    const { events, damage } = inspectEvents(folder);
    // Of a damaged one it cannot be excluded.
    return damage !== undefined || hasBrought(events);
  } catch (error) {
    // It does not say which run it belongs to.
    if (error instanceof JournalDamaged) return false;
    throw error;
  }
}

/** The playbook as one types it: a shipped one by its name, another by its path from here. */
const asTyped = ({ playbook }: Project): string => {
  const file = playbook.files[0]?.file ?? '';
  return quote([dirname(file) === shippedDir().replace(/\/$/, '') ? basename(file) : relative(process.cwd(), file)]);
};

/** The project as the run has it; undefined where it no longer loads. */
export async function projectOf(copy: Omit<ReturnType<typeof readCopy>, 'backFrom'>): Promise<Project | undefined> {
  const { playbook, inventory, extraVars, cwd } = copy;
  const loaded = await loadTexts({ playbook, inventory, extraVars, cwd, env: process.env });
  return loaded.ok ? loaded.value : undefined;
}

/** Where the platform says how far back one can go, and this run, or one before it that it went on from, brought a package. */
function releasesBack(runs: Runs, folder: RunFolder, { components, vars }: Project['platform']): readonly string[] {
  const floor = vars['rollback_minimum'];
  if (typeof floor !== 'string') return [];
  const found = recordedFrom(runs, components);
  if (found === undefined || (found.run === folder.id && !hasBrought(inspectEvents(folder).events))) return [];
  const releases = 'release' in found ? [found.release] : Object.keys(found.releases);
  return releases.filter((release) => (compareByPrefix(release, floor) ?? -1) >= 0);
}

function recordedFrom(runs: Runs, components: readonly string[]): ReturnType<typeof cameFrom> {
  try {
    return cameFrom(runs, components);
  } catch (error) {
    // The record of an older run must not hide how this one ended: `rollback` tells of it.
    if (error instanceof JournalDamaged) return undefined;
    throw error;
  }
}

const hasBrought = (past: readonly Recorded[]): boolean =>
  packagesPut(past, foldAll(past.map((r) => r.event))).size > 0;
