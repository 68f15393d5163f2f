import { basename, dirname, relative } from 'node:path';
import { JournalDamaged } from '../../journal/journal-file.js';
import {
  findCopy,
  findUnfinished,
  inspectEvents,
  listRuns,
  type RunCopy,
  type RunFolder,
  type Runs,
} from '../../journal/run-folder.js';
import { loadTexts } from '../../language/load.js';
import type { Project } from '../../language/project.js';
import { quote } from '../../lib/quote.js';
import { compareByPrefix } from '../../lib/version.js';
import { nextForOpen, type Ways } from '../../report/end/next-commands.js';
import { previousVersions } from './previous-version.js';
import type { Flags } from '../options/flags.js';
import { hasInstalled, rollbacksOf } from '../terminal/links.js';
import { shippedDir } from '../options/project.js';
import { hasRollback } from '../options/rollback-playbooks.js';
import { runsFor, whereOfRun } from './unfinished.js';

/** What can be typed after this run, as it is in its folder; the project is read from the run's own copy where it is not at hand. */
export async function waysOf(folder: RunFolder, flags: Flags, project?: Project): Promise<Ways> {
  const copy = findCopy(folder);
  const where = whereOfRun(copy, flags);
  const known = project ?? (copy === undefined ? undefined : await projectOf(copy));
  const runs = runsFor(flags);
  // A rollback is resumed or closed, not rolled back.
  if (known === undefined || copy?.backFrom !== undefined) return { where, backTo: [] };
  const [by] = rollbacksOf(runs, folder.id);
  const isNewest = listRuns(runs).at(-1) === folder.id;
  return {
    where,
    backTo: releasesBack(runs, folder, known),
    ...(isNewest ? { playbook: asTyped(known) } : {}),
    ...(by === undefined ? {} : { takenBackBy: by }),
  };
}

/** What to type for the unfinished run of the inventory; undefined where there is none. */
export async function nextForUnfinished(flags: Flags): Promise<string | undefined> {
  const open = findUnfinished(runsFor(flags));
  return open === undefined ? undefined : nextForOpen(open.state, await waysOf(open.folder, flags)).join('\n');
}

/** The playbook as one types it: a shipped one by its name, another by its path from here. */
const asTyped = ({ playbook }: Project): string => {
  const file = playbook.files[0]?.file ?? '';
  return quote([dirname(file) === shippedDir().replace(/\/$/, '') ? basename(file) : relative(process.cwd(), file)]);
};

/** The project as the run has it; undefined where it no longer loads. */
export async function projectOf(copy: RunCopy): Promise<Project | undefined> {
  const { playbook, inventory, extraVars, cwd } = copy;
  const loaded = await loadTexts({ playbook, inventory, extraVars, cwd, env: process.env });
  return loaded.ok ? loaded.value : undefined;
}

/** Where this run, or one before it that it went on from, brought a package; a platform may say how far back one can go. */
function releasesBack(runs: Runs, folder: RunFolder, { platform, playbook }: Project): readonly string[] {
  const { components, rollback } = platform;
  const floor = rollback?.minimum;
  if (floor === undefined && !hasRollback(playbook.files.at(-1)?.file ?? '')) return [];
  const found = recordedFrom(runs, components);
  if (found === undefined || (found.run === folder.id && !hasInstalled(inspectEvents(folder).events))) return [];
  const releases = 'release' in found ? [found.release] : Object.keys(found.releases);
  return releases.filter((release) => floor === undefined || (compareByPrefix(release, floor) ?? -1) >= 0);
}

function recordedFrom(runs: Runs, components: readonly string[]): ReturnType<typeof previousVersions> {
  try {
    return previousVersions(runs, components);
  } catch (error) {
    // The record of an older run must not hide how this one ended: `rollback` tells of it.
    if (error instanceof JournalDamaged) return undefined;
    throw error;
  }
}
