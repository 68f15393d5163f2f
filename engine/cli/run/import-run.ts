import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isEarlier } from '../../journal/earlier.js';
import {
  copyDamage,
  findAllUnfinished,
  findCopy,
  inspectEvents,
  listRuns,
  openRunFolder,
  otherKind,
  type Runs,
} from '../../journal/run-folder.js';
import { count } from '../../lib/count.js';
import { MOST_BYTES, openArchive, type ArchivedRun } from '../../store/archive.js';
import { copyRun } from '../../store/copy.js';
import { EXIT, invalid, refusal } from '../options/exit.js';
import type { Flags } from '../options/flags.js';
import { localRuns } from '../team/exchange.js';
import { withLock } from './lock.js';
import { nextForUnfinished } from './rollback-options.js';
import { runsFor } from './unfinished.js';
import { readFileWithin, whyNotRead } from '../../lib/bounded-file.js';

/**
 * `runbook runs --import FILE`: a run from an export, to the runs of this inventory, and to the store of its team. It is unpacked beside them
 * and checked as a whole first. A run that is here already gets the records that it lacks.
 */
export async function importRun(file: string, flags: Flags): Promise<number> {
  const archived = await readArchive(file);
  if ('mistake' in archived) throw invalid(`${file} ${archived.mistake}`);
  const runs = runsFor(flags);
  return withLock('runs', runs, flags, async ({ shared }) => {
    const beside = makeFolderBeside(runs);
    try {
      await take(archived, file, runs, { ...runs, folder: beside });
    } finally {
      rmSync(beside, { recursive: true });
    }
    await shared?.sendFiles(openRunFolder(runs, archived.run));
    warnOfLater(runs, archived.run);
    const next = await nextForUnfinished(flags);
    if (next !== undefined) process.stdout.write(`\n${next}\n`);
    return EXIT.done;
  });
}

/** The hosts may no longer be as an unfinished run left them. */
function warnOfLater(runs: Runs, run: string): void {
  const later = listRuns(runs).at(-1);
  if (later === run || findAllUnfinished(runs).every(({ folder }) => folder.id !== run)) return;
  process.stderr.write(
    `The run ${run} is unfinished, and the later run ${later ?? ''} is here, too. Compare what it did (runbook show) before you resume.\n`,
  );
}

async function readArchive(file: string): Promise<ArchivedRun | { readonly mistake: string }> {
  try {
    return await openArchive(readFileWithin(file, MOST_BYTES));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    return { mistake: whyNotRead(error) };
  }
}

/** On the same disk, so that a whole run is moved at once. */
function makeFolderBeside({ folder }: Runs): string {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return mkdtempSync(join(dirname(folder), 'import-'));
}

async function take({ run, program, source }: ArchivedRun, file: string, runs: Runs, beside: Runs): Promise<void> {
  const unpacked = localRuns(beside);
  await copyRun(source, unpacked, run).finally(() => unpacked.close());
  const folder = openRunFolder(beside, run);
  const { events, damage = copyDamage(folder) } = inspectEvents(folder);
  if (isEarlier(folder.journalFile))
    throw refusal(EXIT.refused, `the run in ${file} is of another version of runbook (${program})`);
  if (damage !== undefined) throw invalid(`the run in ${file} cannot be read: ${basename(damage)}`);
  const other = otherInventory(beside, run);
  if (other !== undefined)
    throw refusal(EXIT.refused, `the run in ${file} is of ${other}`, 'name its own inventory: -i');
  if (!existsSync(openRunFolder(runs, run).path)) {
    renameSync(folder.path, openRunFolder(runs, run).path);
    process.stdout.write(`Imported the run ${run}: ${count(events.length, 'record')}\n`);
    return;
  }
  const local = localRuns(runs);
  const copied = await copyRun(source, local, run).finally(() => local.close());
  if (copied.is === 'differs')
    throw refusal(
      EXIT.refused,
      `the run ${run} is here already and was continued otherwise: record ${copied.line} differs. Nothing was imported`,
      `to take the one of ${file}, move the other away first: ${openRunFolder(runs, run).path}`,
    );
  process.stdout.write(
    copied.lines === 0
      ? `The run ${run} is here already; nothing was imported\n`
      : `Imported ${count(copied.lines, 'record')} that the run ${run} lacked\n`,
  );
}

/** Whose the run is, unless it is of this inventory: a run stays with the file of that name, and with real hosts or with the model. */
function otherInventory(beside: Runs, run: string): string | undefined {
  if (listRuns(beside).includes(run)) return undefined;
  if (listRuns(otherKind(beside)).includes(run))
    return beside.ofModel ? 'real hosts; the inventory is of the model' : 'the model; the inventory is of real hosts';
  const name = basename(findCopy(openRunFolder(beside, run))?.inventory[0]?.file ?? '');
  return `another inventory: ${name}, not ${basename(beside.inventory)}`;
}
