import { setTimeout as pause } from 'node:timers/promises';
import { stateOf, thisHolder, type Holder } from '../../journal/holder.js';
import {
  holdersAt,
  holdersOf,
  keepTeamHolder,
  lockFolder,
  takeLock,
  teamLockFolder,
  type Lock,
} from '../../journal/lock.js';
import type { Runs } from '../../journal/run-folder.js';
import { showDuration } from '../../lib/duration.js';
import type { InUse } from '../../report/end/next-commands.js';
import type { Lease } from '../../run/lease.js';
import { EXIT, refusal, type Refusal } from '../options/exit.js';
import type { Flags } from '../options/flags.js';
import { mustBeAttended } from '../terminal/confirm.js';
import { ask, isYes } from '../terminal/prompt.js';
import type { Shared } from '../team/shared.js';
import type { Team } from '../team/team.js';
import { withTeam } from '../team/with-team.js';
import { mustHavePlace, runsFor, whereOf } from './unfinished.js';

const WAIT_MS = 500;

/** The lock on an inventory; where a team shares its runs, with what the process has of its store. */
export interface HeldLock extends Lock {
  readonly shared?: Shared;
}

/** Does what only one process at a time may do with an inventory and its runs; with another one at it, says which. */
export async function withLock(
  verb: string,
  runs: Runs,
  flags: Flags,
  act: (lock: HeldLock) => Promise<number>,
): Promise<number> {
  if (flags.takeOver) mustBeAttended(flags);
  mustHavePlace(runs);
  const lock = await takeOrWait(verb, runs, flags);
  if ('takenBy' in lock) throw takenRefusal(runs, lock.takenBy, flags);
  try {
    return await withTeam(runs, (team) => (team === undefined ? act(lock) : actShared(team, runs, flags, lock, act)));
  } finally {
    lock.release();
  }
}

/** Asks before a run is taken over: the other process may be at work, and another operator may have taken it over a moment ago. */
async function mayReplace(by: Holder, { takeOver, yes }: Flags): Promise<boolean> {
  if (stateOf(by) === 'ended') return true;
  if (!takeOver) return false;
  if (!yes && !isYes(await ask(`${nameOf(by)} can do nothing more once it is taken over. Take over? [y/N]`)))
    return false;
  process.stderr.write(`Taking over from ${nameOf(by)}\n`);
  return true;
}

async function actShared(
  team: Team,
  runs: Runs,
  flags: Flags,
  lock: Lock,
  act: (lock: HeldLock) => Promise<number>,
): Promise<number> {
  const { share } = await import('../team/shared.js');
  const shared = await orWait(flags, () => share(team, runs, lock, (by) => mayReplace(by, flags)));
  if ('takenBy' in shared)
    throw takenRefusal(
      runs,
      shared.takenBy,
      flags,
      ...(stateOf(shared.takenBy) === 'elsewhere' ? [stopHint(flags)] : []),
      `runbook resume --take-over${whereOf(flags)}   takes the run from that process, which can then do nothing more`,
    );
  keepTeamHolder(runs, undefined);
  // As the signal of a local `runbook stop`; without a listener it would end the process, with the lock in the store.
  const endHearing = shared.hearStops(() => process.emit('SIGHUP'));
  try {
    return await act({ ...lock, shared });
  } finally {
    await Promise.all([endHearing(), shared.release()]);
  }
}

/** Looks at the unfinished run of an inventory, and takes no lock: refused while a process works with it. */
export async function unlocked(flags: Flags, look: () => Promise<number>): Promise<number> {
  const runs = runsFor(flags);
  const [holder] = holdersAt(runs);
  if (holder !== undefined) throw takenRefusal(runs, holder, flags);
  return look();
}

const takeOrWait = (verb: string, runs: Runs, flags: Flags): Promise<Lock | { takenBy: Holder }> =>
  orWait(flags, () => takeLock(lockFolder(runs), thisHolder(verb, runs.inventory, Date.now()), pause));

/** Takes a lock, with another process at it again and again for as long as `--lock-wait` says. */
async function orWait<L extends object>(
  { lockWaitMs }: Flags,
  take: () => Promise<L | { readonly takenBy: Holder }>,
): Promise<L | { readonly takenBy: Holder }> {
  const untilMs = Date.now() + lockWaitMs;
  let announced = '';
  for (;;) {
    const lock = await take();
    if (!('takenBy' in lock) || Date.now() >= untilMs) return lock;
    const { takenBy } = lock;
    if (announced !== takenBy.token)
      process.stderr.write(`Waiting up to ${showDuration(untilMs - Date.now())} for ${nameOf(takenBy)}\n`);
    announced = takenBy.token;
    await pause(Math.min(WAIT_MS, untilMs - Date.now()));
  }
}

const takenRefusal = (runs: Runs, holder: Holder, flags: Flags, ...ways: readonly string[]): Refusal =>
  refusal(
    EXIT.locked,
    `${runs.inventory} is in use by ${nameOf(holder)}`,
    '--lock-wait 10m   waits for it',
    ...ways,
    ...hintsOn(holder, flags),
  );

const stopHint = (flags: Flags): string => `runbook stop${whereOf(flags)}   stops that process at its next safe point`;

/** What can be done about another process. */
export const hintsOn = (holder: Holder, flags: Flags): readonly string[] => [
  ...(stateOf(holder) === 'alive' ? [stopHint(flags)] : []),
  `runbook unlock${whereOf(flags)}   ${
    holder.file?.is === 'damaged'
      ? 'removes that lock, once no process works with this inventory'
      : 'removes the lock of a process that is frozen or ended on another machine'
  }`,
];

/** `runbook apply of ops on ctl-1 (process 4242), since 2026-11-22T02:10:04Z, 5 min ago` */
export function nameOf({ verb, user, machine, pid, sinceMs, file }: Holder): string {
  if (file?.is === 'damaged') return `a process that is not known: its lock ${file.path} is damaged`;
  const since = new Date(sinceMs).toISOString().replace(/\.\d+Z$/, 'Z');
  const age = showDuration(Math.max(0, Date.now() - sinceMs));
  const unsummed = file?.is === 'unsummed' ? ' (an earlier version wrote its lock, without a checksum)' : '';
  return `runbook ${verb} of ${user} on ${machine} (process ${pid}), since ${since}, ${age} ago${unsummed}`;
}

/** `db-1 is in use by runbook apply of … (/home/kim/inventory.yaml)` */
export const leaseText = ({ host, holder }: Lease): string =>
  `${host} is in use by ${nameOf(holder)} (${holder.inventory})`;

/** Who works with this inventory at the moment; `lastMs`: when the run was last heard of. */
export function inUse(runs: Runs, lastMs = Date.now()): InUse | undefined {
  const [holder] = holdersAt(runs);
  if (holder === undefined) return undefined;
  const by = `In use now by ${nameOf(holder)}`;
  if (stateOf(holder) !== 'elsewhere') return { by };
  const inStore = holdersOf(teamLockFolder(runs)).length > 0;
  return { by, silentMs: Math.max(0, Date.now() - lastMs), ...(inStore ? { takeOver: true as const } : {}) };
}
