import { existsSync, mkdirSync, renameSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { inspectEvents, listRuns, openRunFolder, type RunFolder, type Runs } from '../../journal/run-folder.js';
import { defined } from '../../lib/defined.js';
import { isWaiverName } from '../../store/approvals.js';
import { copyRun } from '../../store/copy.js';
import { openFileStore } from '../../store/files.js';
import { InvalidName, StoreUnavailable, type RunStore, type StoredRun } from '../../store/run-store.js';
import type { Event } from '../../terms/event.js';
import { withPortableCopies } from './portable.js';

/** The runs of the folder, as the team's store has them. */
export const localRuns = (runs: Runs): RunStore =>
  withPortableCopies(openFileStore(runs.folder), dirname(runs.inventory));

/** A run of this machine that another machine continued, and where this machine's own record of it is kept. */
export interface SetAside {
  readonly run: string;
  readonly folder: string;
  /** The number of the first record that the other machine has and this one had not. */
  readonly from: number;
  /** Who continued it there, where a record says so. */
  readonly by?: string;
}

/**
 * Copies down what the team's store has of runs. Only who has the lock on the inventory also sends what the store lacks of its runs: any
 * other process of this machine sends its own lines itself. A run that both have differently was continued elsewhere.
 */
export async function exchange(team: RunStore, runs: Runs, sends: boolean): Promise<readonly SetAside[]> {
  const local = localRuns(runs);
  const aside: SetAside[] = [];
  try {
    const [there, here] = await Promise.all([team.list(), local.list()]);
    const linesHere = new Map(here.map(({ run, lines }) => [run, lines]));
    const newest = newestOf(there);
    for (const { run, lines } of there) {
      const own = linesHere.get(run) ?? 0;
      // What belongs to a run is written to its end; of those before the newest everything is there with the last line.
      if (own === lines && run !== newest) continue;
      await unlessDamaged(`run ${JSON.stringify(run)}`, async () => {
        const copied = await copyRun(team, local, run);
        if (copied.is !== 'differs') return;
        const folder = setAside(runs, run);
        try {
          await copyRun(team, local, run);
        } finally {
          // Also where the store's own cannot be read: where this machine's is must be said.
          aside.push({ run, folder, from: copied.line, ...continuedBy(openRunFolder(runs, run), copied.line) });
        }
      });
    }
    if (sends) await sendOwn(local, team, runs, new Map(there.map(({ run, lines }) => [run, lines])));
  } finally {
    await local.close();
  }
  return aside;
}

/** Who began the first part of a run from this record on; where none begins there, the part that has it. */
function continuedBy(folder: RunFolder, from: number): Pick<SetAside, 'by'> {
  const begun = inspectEvents(folder).events.filter(({ event }) => isBegun(event));
  const part = begun.find(({ seq }) => seq >= from) ?? begun.at(-1);
  return part === undefined || !isBegun(part.event) ? {} : defined({ by: part.event.by });
}

const isBegun = (event: Event): event is Extract<Event, { e: 'run-started' | 'close-started' }> =>
  event.e === 'run-started' || event.e === 'close-started';

async function sendOwn(
  local: RunStore,
  team: RunStore,
  runs: Runs,
  linesThere: ReadonlyMap<string, number>,
): Promise<void> {
  const own = new Set(listRuns(runs));
  const all = (await local.list()).filter(({ run }) => own.has(run));
  const newest = newestOf(all);
  for (const { run, lines } of all)
    if (lines > (linesThere.get(run) ?? 0) || run === newest)
      await unlessDamaged(`run ${JSON.stringify(run)}`, () => copyRun(local, team, run, 'always'));
}

/** Copies down the approvals of waivers. They are no part of a run, so a process that works with the run does not mind. */
export async function copyApprovals({ approvals: there }: RunStore, runs: Runs): Promise<void> {
  const local = localRuns(runs);
  const here = local.approvals;
  try {
    const had = new Map((await here.list()).map(({ run: name, lines }) => [name, lines]));
    for (const { run: name, lines } of await there.list()) {
      const last = had.get(name) ?? 0;
      if (!isWaiverName(name) || lines <= last) continue;
      await unlessDamaged(`waiver ${JSON.stringify(name)}`, async () => {
        // Where the last line is another one by now, another process of this machine copied them.
        await here.append(name, last, await there.read(name, last));
      });
    }
  } finally {
    await local.close();
  }
}

/** Runs are named in the order of their starts. */
const newestOf = (runs: readonly StoredRun[]): string | undefined =>
  runs
    .map(({ run }) => run)
    .toSorted()
    .at(-1);

/** What is wrong with one run does not keep the others away. */
async function unlessDamaged(what: string, act: () => Promise<unknown>): Promise<void> {
  try {
    await act();
  } catch (error) {
    if (!(error instanceof InvalidName) && !(error instanceof StoreUnavailable && error.code === 'damaged'))
      throw error;
    process.stderr.write(`The ${what} of the team's store cannot be read and is left out: ${error.message}\n`);
  }
}

/** Moves a run's folder out of the runs. */
function setAside(runs: Runs, run: string): string {
  const to = join(dirname(runs.folder), 'superseded');
  mkdirSync(to, { recursive: true, mode: 0o700 });
  for (let n = 1; ; n += 1) {
    const folder = join(to, n === 1 ? run : `${run}-${n}`);
    if (existsSync(folder)) continue;
    renameSync(openRunFolder(runs, run).path, folder);
    return folder;
  }
}
