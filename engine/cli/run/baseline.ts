import { keepForReport, readForReport } from '../../journal/for-report.js';
import { openJournal } from '../../journal/journal.js';
import { listRuns, openRunFolder, type RunFolder, type Runs } from '../../journal/run-folder.js';
import type { Project } from '../../language/project.js';
import { getOrCreate } from '../../lib/get-or-create.js';
import { modules } from '../platforms.js';
import {
  baselineOf,
  notAsBefore,
  waitMsOf,
  type Baseline,
  type BaselineRow,
  type Baselines,
} from '../../report/checks/baseline.js';
import { worseSentence } from '../../report/end/worse-lines.js';
import { showDuration } from '../../lib/duration.js';
import { createRun } from '../../run/run.js';
import { runAll } from '../../run/start.js';
import type { Recorded } from '../../terms/event.js';
import { inTime } from './in-time.js';
import { loadBeside } from './causes.js';
import type { Session } from './session.js';

/** What is measured; one of that name in the working directory comes before the shipped one. */
export const BASELINE = 'baseline.yaml';

/** What cannot be read by then is left out: it must not hold up a run. */
const LIMIT_MS = 30_000;

/** How long it waits between two readings after a run. */
const AGAIN_MS = 10_000;

/** A run takes it at least twice. */
const loaded = new WeakMap<Project, Promise<Project | undefined>>();

/** Reads the baseline through the connections of a run. Undefined where its platform is not the shipped one. */
export async function takeBaseline({ run, split }: Session, project: Project): Promise<Baseline | undefined> {
  const measuring = await getOrCreate(loaded, project, () => loadBeside(project, BASELINE));
  if (measuring === undefined) return undefined;
  const recorded: Recorded[] = [];
  const enough = new AbortController();
  run.signal?.addEventListener('abort', () => enough.abort(), { signal: enough.signal });
  const journal = openJournal({ nowMs: () => run.clock.nowMs(), split });
  journal.subscribe((r) => recorded.push(r));
  const { reader, clock } = run;
  const stopping = (): boolean => enough.signal.aborted || run.stopping?.() === true;
  const reading = createRun(
    measuring,
    modules,
    { reader, clock, journal, stopping, signal: enough.signal },
    { forks: run.options.forks, diagnosing: true },
  );
  const begin = { run: 'verify', verb: 'diagnose', hash: '', inventory: '' } as const;
  await inTime(runAll(reading, begin), LIMIT_MS);
  enough.abort();
  return baselineOf([...recorded], clock.nowMs());
}

/** Adds a baseline to those that the run keeps. */
export function keepBaseline(folder: RunFolder, which: keyof Baselines, taken: Baseline | undefined): void {
  if (taken !== undefined) keepForReport(folder, 'baseline.json', { ...baselinesOf(folder), [which]: taken });
}

export const baselinesOf = (folder: RunFolder): Baselines =>
  (readForReport(folder, 'baseline.json') as unknown as Baselines | undefined) ?? {};

/**
 * Reads the baseline after a run, again and again until nothing is worse than before it or what the measures may take has passed. An operator
 * who stops it keeps the last whole reading. Gives what is not as before.
 */
export async function takeBaselineAfter(
  session: Session,
  project: Project,
  folder: RunFolder,
): Promise<readonly BaselineRow[]> {
  const { before } = baselinesOf(folder);
  if (before === undefined) return [];
  const { clock, stopping, stopSignal } = session.run;
  const startMs = clock.nowMs();
  // A baseline that cannot be loaded any more has read nothing: each of its rows says so.
  const read = async (): Promise<Baselines> => ({
    before,
    after: (await takeBaseline(session, project)) ?? { atMs: clock.nowMs(), measures: [] },
  });
  let all = await read();
  let rows = notAsBefore(all);
  for (let said = false; stopping?.() !== true; said = true) {
    keepBaseline(folder, 'after', all.after);
    const restMs = startMs + waitMsOf(all, rows) - clock.nowMs();
    if (restMs <= 0) break;
    if (!said)
      session.say(
        `${worseSentence(rows)}. Reading again for at most ${showDuration(restMs)}; the run itself is done. Ctrl-C ends the wait.`,
      );
    await clock.sleep(Math.min(AGAIN_MS, restMs), stopSignal).catch(() => undefined);
    if (stopping?.() === true) break;
    const again = await read();
    if (stopping?.() === true) break;
    all = again;
    rows = notAsBefore(all);
  }
  keepBaseline(folder, 'after', all.after);
  return rows;
}

/** The newest run that has one from before its first change. */
export function newestBaseline(
  runs: Runs,
): (Baselines & { readonly run: string; readonly before: Baseline }) | undefined {
  for (const run of listRuns(runs).toReversed()) {
    const { before, ...after } = baselinesOf(openRunFolder(runs, run));
    if (before !== undefined) return { run, before, ...after };
  }
  return undefined;
}
