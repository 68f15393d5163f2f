import { keepForReport, readForReport } from '../../journal/for-report.js';
import { openJournal } from '../../journal/journal.js';
import type { RunFolder } from '../../journal/run-folder.js';
import { load } from '../../language/load.js';
import type { Project } from '../../language/project.js';
import { shippedDir } from '../options/project.js';
import { modules } from '../platforms.js';
import { createRun } from '../../run/run.js';
import { runAll } from '../../run/start.js';
import type { Recorded } from '../../terms/event.js';
import type { StateNow } from '../../terms/state-now.js';
import { hostsThatFailed } from '../../report/end/causes.js';
import { failedComponents } from '../../report/end/failed-components.js';
import type { Flags } from '../options/flags.js';
import type { Session } from './session.js';

/** The playbook of known failures; one of that name in the working directory comes before the shipped one. */
export const DIAGNOSIS = 'diagnose.yaml';

const LIMIT_MS = 20_000;

/**
 * What the checks for known failures find on the hosts that failed, through the doors that the run has open still. It looks for 20 seconds at
 * most, all hosts side by side, and gives what was found by then; whatever goes wrong with it must not hide the failure.
 */
export async function findCauses(
  session: Pick<Session, 'run' | 'events' | 'split'>,
  project: Project,
  flags: Pick<Flags, 'forks'>,
  now?: StateNow,
  limitMs = LIMIT_MS,
): Promise<readonly Recorded[]> {
  const hosts = new Set(hostsThatFailed(session.events));
  if (hosts.size === 0) return [];
  const recorded: Recorded[] = [];
  const enough = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const { run } = session;
  run.signal?.addEventListener('abort', () => enough.abort());
  try {
    const diagnosis = await loadBeside(project, DIAGNOSIS);
    if (diagnosis === undefined) return [];
    timer = setTimeout(() => enough.abort(), limitMs);
    const journal = openJournal({ nowMs: () => run.clock.nowMs(), split: session.split });
    journal.subscribe((r) => {
      if (!enough.signal.aborted) recorded.push(r);
    });
    const stopping = (): boolean => enough.signal.aborted || run.stopping?.() === true;
    const looking = createRun(
      diagnosis,
      modules,
      { reader: run.reader, clock: run.clock, journal, stopping, signal: enough.signal },
      { forks: flags.forks, limit: hosts, ...concerning(session.events, now), diagnosing: true },
    );
    const begin = { run: 'diagnose', verb: 'diagnose', hash: '', inventory: '' } as const;
    await Promise.race([runAll(looking, begin), aborted(enough.signal)]);
    return recorded;
  } catch {
    return recorded;
  } finally {
    clearTimeout(timer);
    enough.abort();
  }
}

/** Keeps what was found for `show`, `attach` and reports: hosts answer otherwise after the first repair. */
export function keepCauses(folder: RunFolder, events: readonly Recorded[], causes: readonly Recorded[]): void {
  if (causes.length > 0) keepForReport(folder, 'causes.json', { after: failureIn(events), causes });
}

/** What was found after the failure that ended the run; nothing where it was resumed since. */
export function causesOf(folder: RunFolder, events: readonly Recorded[]): readonly Recorded[] {
  const kept = readForReport(folder, 'causes.json') as unknown as KeptCauses | undefined;
  const failure = failureIn(events);
  return failure === undefined || kept?.after !== failure ? [] : kept.causes;
}

interface KeptCauses {
  /** The number of the record that ended the run. */
  readonly after: number;
  readonly causes: readonly Recorded[];
}

function failureIn(events: readonly Recorded[]): number | undefined {
  const last = events.findLast(
    ({ event }) => event.e === 'run-started' || (event.e === 'run-ended' && event.as === 'failed'),
  );
  return last?.event.e === 'run-ended' ? last.seq : undefined;
}

/**
 * The plays of the diagnosis that concern the failure, by their tags: those of the components that failed, else those of the whole
 * cluster. What an upgrade under way alters on purpose is skipped, and whether a service runs that the run itself had stopped.
 */
function concerning(
  events: readonly Recorded[],
  now: StateNow | undefined,
): { readonly tags?: ReadonlySet<string>; readonly skipTags: ReadonlySet<string> } {
  if (now === undefined) return { skipTags: new Set(['at-rest']) };
  const failed = failedComponents(events, now.components);
  const tags = failed.length === 0 ? ['cluster'] : ['component', ...failed.map((f) => f.component)];
  const stopped = failed.some((f) => f.stoppedByRun);
  return { tags: new Set(tags), skipTags: new Set(['at-rest', ...(stopped ? ['running'] : [])]) };
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve());
  });

/** A shipped playbook with the inventory as the run has it. Undefined where the shipped platform is not what the inventory is of. */
export async function loadBeside({ inventory, extraVars }: Project, playbook: string): Promise<Project | undefined> {
  const loaded = await load({
    playbook,
    inventory: inventory.files.map(({ file }) => file),
    kept: inventory.files,
    extraVars,
    cwd: process.cwd(),
    env: process.env,
    shippedDir: shippedDir(),
  });
  return loaded.ok ? { ...loaded.value, inventory } : undefined;
}
