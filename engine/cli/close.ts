import { endView } from '../report/end-view.js';
import type { Lock } from '../journal/lock.js';
import { findUnfinished } from '../journal/run-folder.js';
import { closeView } from '../report/close-view.js';
import { isTagged } from '../run/chosen.js';
import { stateNow } from '../run/state-now.js';
import type { RunOptions } from '../run/run.js';
import { releaseRun } from '../run/start.js';
import { exitAt } from './carry-out.js';
import { EXIT, invalid } from './exit.js';
import { parseFlags, type Flags } from './flags.js';
import { withLock } from './lock.js';
import { paperOf } from './paper.js';
import { ask, isAttended, isYes } from './person.js';
import { openSession, type Session } from './session.js';
import { openUnfinished, runsFor, type Unfinished } from './unfinished.js';
import { unknownWithout, withoutLines } from './without.js';
import { waysOf } from './way-back.js';

/** `runbook close`: gives the temporary changes back and closes the run, after saying what is no longer possible then. */
export async function run(argv: readonly string[]): Promise<number> {
  const flags = parseFlags('close', argv);
  if ('mistake' in flags) return invalid(flags.mistake);
  return withLock('close', runsFor(flags), flags, async (lock) => {
    const unfinished = await openUnfinished('close', flags);
    if (typeof unfinished === 'number') return unfinished;
    return unknownWithout(unfinished.project, flags) ?? releaseNow(unfinished, flags, lock, mayRelease);
  });
}

/** A completed rollback closes the upgrade that it rolled back, and restores the temporary changes of that run. */
export async function closeWhatWasTakenBack(id: string | undefined, flags: Flags, lock: Lock): Promise<number> {
  if (id === undefined || id === '' || findUnfinished(runsFor(flags))?.folder.id !== id) return EXIT.done;
  const unfinished = await openUnfinished('close', { ...flags, positionals: [] });
  if (typeof unfinished === 'number') return unfinished;
  process.stderr.write(`The run ${id} was rolled back. Its temporary changes are restored and it is closed.\n`);
  return releaseNow(unfinished, flags, lock);
}

/** `first` may say what is to come and ask: an exit code of it ends the verb with nothing done. */
async function releaseNow(
  unfinished: Unfinished,
  flags: Flags,
  lock: Lock,
  first?: typeof mayRelease,
): Promise<number> {
  const session = await openSession({ ...unfinished, lock, verb: 'close' });
  if (typeof session === 'number') return session;
  try {
    const refused = await first?.(unfinished, flags, session);
    if (refused !== undefined) return refused;
    const end = await releaseRun(session.run);
    await session.close();
    const view = endView(session.events, {
      ...paperOf(process.stdout),
      folder: unfinished.folder.path,
      ways: await waysOf(unfinished.folder, flags, unfinished.project),
    });
    if (!flags.json) process.stdout.write(`${view}\n`);
    return exitAt(session, end, flags);
  } finally {
    await session.close();
  }
}

async function mayRelease(unfinished: Unfinished, flags: Flags, { run: now }: Session): Promise<number | undefined> {
  const { past, state, project, folder } = unfinished;
  // The run's own choice of steps: what it would not have made anyway is not missed.
  const options = { forks: flags.forks, ...chosenTags(unfinished.flags) };
  const plays = project.playbook.plays.flatMap((play) => {
    const steps = play.steps.filter((step) => isTagged({ options }, play, step));
    return steps.length === 0 ? [] : [{ ...play, steps }];
  });
  const hosts = [...state.from.keys()].filter((host) => flags.without?.has(host) !== true);
  const means = {
    past,
    state,
    plays,
    now: await stateNow(now, hosts),
    ways: await waysOf(folder, flags, project),
  };
  if (now.stopping?.() === true) return EXIT.interrupted;
  process.stderr.write(`${closeView(means, paperOf(process.stderr))}\n`);
  const without = withoutLines(past, state, project, flags);
  if (without.length > 0) process.stderr.write(`${without.join('\n')}\n`);
  if (flags.yes) return undefined;
  if (!isAttended()) return invalid('a confirmation is needed and there is no terminal; use -y');
  if (isYes(await ask('Close the run? [y/N]'))) return undefined;
  process.stderr.write('Nothing was changed; the run stays open.\n');
  return EXIT.refused;
}

const chosenTags = ({ tags, skipTags }: Flags): Pick<RunOptions, 'tags' | 'skipTags'> => ({
  ...(tags === undefined ? {} : { tags }),
  ...(skipTags === undefined ? {} : { skipTags }),
});
