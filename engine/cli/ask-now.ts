import { setTimeout as pause } from 'node:timers/promises';
import { foldAll } from '../journal/fold.js';
import { readCopy, type RunFolder } from '../journal/run-folder.js';
import { isUnfinished } from '../journal/state.js';
import type { Run } from '../run/run.js';
import { stateNow } from '../run/state-now.js';
import type { Recorded } from '../terms/event.js';
import type { StateNow } from '../terms/state-now.js';
import { openDoors } from './doors.js';
import type { Flags } from './flags.js';
import { openSession } from './session.js';
import { projectOf } from './way-back.js';

/** What cannot be read by then is left out: it must not hide what is known. */
export const LIMIT_MS = 15_000;

/** What runs on these hosts now; undefined where it cannot be read in time. */
export const stateInTime = (run: Run, hosts: readonly string[]): Promise<StateNow | undefined> =>
  Promise.race([stateNow(run, hosts).catch(() => undefined), pause(LIMIT_MS, undefined, { ref: false })]);

/** What runs where now, of an unfinished run. Asks the operator nothing and changes nothing; undefined where it cannot be had. */
export async function askNow(
  folder: RunFolder,
  flags: Flags,
  past: readonly Recorded[],
): Promise<StateNow | undefined> {
  const state = foldAll(past.map(({ event }) => event));
  const project = isUnfinished(state) && state.from.size > 0 ? await projectOf(readCopy(folder)) : undefined;
  // Where the platform has no component to ask for, no host is contacted.
  if (project === undefined || project.platform.components.length === 0) return undefined;
  const doors = await openDoors({ project, flags, asks: false });
  if (typeof doors === 'number') return undefined;
  try {
    const session = await openSession({ project, flags, verb: 'diagnose', doors });
    if (typeof session === 'number') return undefined;
    try {
      return await stateInTime(session.run, [...state.from.keys()]);
    } finally {
      await session.close();
    }
  } finally {
    await doors.close();
  }
}
