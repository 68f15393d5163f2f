import { existsSync, statSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { tailJournal } from '../../journal/journal-tail.js';
import { holdersAt } from '../../journal/lock.js';
import { copyDamage, findCopy, inspectEvents, listRuns, type RunFolder } from '../../journal/run-folder.js';
import type { Progress } from '../../report/live/live.js';
import type { Recorded } from '../../terms/event.js';
import { EXIT } from '../options/exit.js';
import { parseFlags, type Flags } from '../options/flags.js';
import { plannedOf } from '../plan/plan-of-run.js';
import { watchKeys } from '../terminal/keys.js';
import { isAttended } from '../terminal/prompt.js';
import { unreadableRefusal } from '../terminal/io-errors.js';
import { exitOfRun, pickRun, show, summaryContext } from './show.js';
import { openProgress, writeEvent, writeSummary, writeVersion } from '../terminal/sinks.js';
import { runsFor, whereOf } from '../run/unfinished.js';
import { projectOf } from '../run/rollback-options.js';
import { withTeam } from '../team/with-team.js';

const POLL_MS = 200;
const HELP = 'q or Ctrl-C detaches; the run continues.';

/** `runbook attach [RUN]`: follows a run of another process to its end, and ends as that does. `q` and Ctrl-C end only the following. */
export async function run(argv: readonly string[]): Promise<number> {
  const flags = parseFlags('attach', argv);
  const folder = pickRun('attach', flags);
  if ((await followShared(folder, flags)) === 'detached') {
    process.stderr.write(
      `Detached; the run ${folder.id} continues.\n  runbook attach${whereOf(flags)}   follow it again\n`,
    );
    return EXIT.interrupted;
  }
  const { events, damage = copyDamage(folder) } = inspectEvents(folder);
  if (!flags.json) {
    await show(folder, flags);
    return exitOfRun(events);
  }
  writeSummary(events, summaryContext(folder, events));
  if (damage !== undefined) throw unreadableRefusal(EXIT.refused, { folder, damage });
  return exitOfRun(events);
}

/** A run of another machine of the team is read from its store meanwhile. */
async function followShared(folder: RunFolder, flags: Flags): Promise<'ended' | 'detached'> {
  let end: 'ended' | 'detached' = 'ended';
  const runs = runsFor(flags);
  await withTeam(runs, async (team) => {
    if (team === undefined) {
      end = await follow(folder, flags, () => Promise.resolve());
      return EXIT.done;
    }
    const { keepReading, readTeam } = await import('../team/team.js');
    const stop = new AbortController();
    const reading = keepReading(team, runs, stop.signal, (text) => void process.stderr.write(`${text}\n`));
    // What a process wrote last may be in the store only, when it is seen here that it has ended.
    const readLast = async (): Promise<void> => {
      stop.abort();
      await reading;
      await readTeam(team, runs);
    };
    end = await follow(folder, flags, readLast).finally(() => stop.abort());
    await reading;
    return EXIT.done;
  });
  return end;
}

/** Its live view, for as long as a process works with the inventory. */
async function follow(
  folder: RunFolder,
  flags: Flags,
  readLast: () => Promise<unknown>,
): Promise<'ended' | 'detached'> {
  const runs = runsFor(flags);
  const isNewest = listRuns(runs).at(-1) === folder.id;
  const isWorking = (): boolean => isNewest && holdersAt(runs).length > 0;
  while (!existsSync(folder.journalFile) && isWorking()) await pause(POLL_MS);
  const next = tailJournal(folder);
  const past = next();
  const hear = flags.json ? writeEvent : () => undefined;
  if (flags.json) writeVersion('runbook-events', { verb: 'show' });
  past.forEach(hear);
  const wasWorking = isWorking();
  const clock = clockOf(folder, past);
  const detach = new AbortController();
  const onDetach = (): void => detach.abort();
  if (wasWorking) process.on('SIGINT', onDetach);
  const progress = await openView(folder, flags, past, () => clock.nowMs());
  const keys = wasWorking && isAttended() ? watchKeys({ q: onDetach, '?': () => progress?.say(HELP) }) : undefined;
  keys?.on();
  if (keys !== undefined) progress?.say(`Following the run ${folder.id}. ${HELP}`);
  try {
    for (let goesOn = wasWorking; goesOn && !detach.signal.aborted;) {
      await pause(POLL_MS, undefined, { signal: detach.signal }).catch(() => undefined);
      // Asked before the rest is read: what is written until then is not missed.
      goesOn = isWorking();
      if (!goesOn) await readLast();
      for (const recorded of next()) {
        clock.hear(recorded);
        progress?.on(recorded);
        hear(recorded);
      }
    }
    return detach.signal.aborted ? 'detached' : 'ended';
  } finally {
    keys?.off();
    process.off('SIGINT', onDetach);
    progress?.end();
  }
}

/** Absent where the run's copy of its playbook cannot be read: `show` says so. */
async function openView(
  folder: RunFolder,
  flags: Flags,
  past: readonly Recorded[],
  nowMs: () => number,
): Promise<Progress | undefined> {
  const copy = findCopy(folder);
  const project = copy && (await projectOf(copy));
  return project && openProgress(project, flags, 'apply', nowMs, { past, phases: plannedOf(folder)?.phases ?? [] });
}

/** The clock of the run, which may be a model's: the time of its last record and what has passed since that was written. */
function clockOf({ journalFile }: RunFolder, past: readonly Recorded[]) {
  let atMs = past.at(-1)?.atMs ?? Date.now();
  let heardMs = statSync(journalFile, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
  return {
    nowMs: () => atMs + Math.max(0, Date.now() - heardMs),
    hear(recorded: Recorded) {
      atMs = recorded.atMs;
      heardMs = Date.now();
    },
  };
}
