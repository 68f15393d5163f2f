import { keepForReport, readForReport } from '../../journal/for-report.js';
import { openJournal } from '../../journal/journal.js';
import { listRuns, openRunFolder, type RunFolder, type Runs } from '../../journal/run-folder.js';
import type { Project } from '../../language/project.js';
import { getOrCreate } from '../../lib/get-or-create.js';
import { modules } from '../platforms.js';
import { baselineOf, type Baseline, type Baselines } from '../../report/checks/baseline.js';
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

/** A run takes it twice. */
const loaded = new WeakMap<Project, Promise<Project | undefined>>();

/** Reads the baseline through the connections of a run. Undefined where its platform is not the shipped one. */
export async function takeBaseline({ run, split }: Session, project: Project): Promise<Baseline | undefined> {
  const measuring = await getOrCreate(loaded, project, () => loadBeside(project, BASELINE));
  if (measuring === undefined) return undefined;
  const recorded: Recorded[] = [];
  const enough = new AbortController();
  run.signal?.addEventListener('abort', () => enough.abort());
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
