import type { Estimate, RunFolder } from '../../journal/run-folder.js';
import { findCopy } from '../../journal/run-folder.js';
import { defined } from '../../lib/defined.js';
import type { Window } from '../../lib/window.js';
import type { Project } from '../../language/project.js';
import type { PlannedPhase } from '../../report/live/phase-bars.js';
import type { RunOptions } from '../../run/run.js';
import type { Recorded, Verb } from '../../terms/event.js';
import type { Flags } from '../options/flags.js';
import type { Doors } from './doors.js';
import type { HeldLock } from './lock.js';
import type { Told } from './told.js';

/** What a session is opened for. */
export interface SessionRequest {
  readonly project: Project;
  readonly flags: Flags;
  readonly verb: Verb;
  readonly limit?: ReadonlySet<string>;
  readonly told?: Told;
  /** Where an acting run keeps its journal; a plan has none and cannot act. */
  readonly folder?: RunFolder;
  readonly past?: readonly Recorded[];
  /** The run that a plan goes on from: it is read, and nothing is written there. */
  readonly reads?: RunFolder;
  /** Of a rollback: the unfinished run whose journal its plan compares with the markers of the hosts; null: none is unfinished. */
  readonly takesBack?: RunFolder | null;
  /** What an acting run needs before each record and each effect. */
  readonly lock?: HeldLock;
  /** Of the plan that this run began with. */
  readonly phases?: readonly PlannedPhase[];
  /** What a plan used before; the caller closes them. */
  readonly doors?: Doors;
  /** The maintenance window, and what is known of the run's times. */
  readonly window?: Window;
  readonly estimate?: Estimate;
}

/** Not of a rollback: it takes back whatever it finds. */
export const isNewRun = ({ verb, folder, past, reads, takesBack }: SessionRequest): boolean =>
  folder === undefined
    ? verb === 'plan' && reads === undefined && takesBack === undefined
    : verb === 'apply' && past === undefined && findCopy(folder)?.backFrom === undefined;

export const runOptions = ({ flags, limit, told, verb }: SessionRequest): RunOptions => ({
  forks: flags.forks,
  ...(verb === 'diagnose' ? { diagnosing: true as const } : {}),
  ...(flags.why === undefined ? {} : { explains: true as const }),
  ...defined({ limit, told, without: flags.without, tags: flags.tags, skipTags: flags.skipTags }),
});
