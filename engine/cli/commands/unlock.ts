import { setTimeout as pause } from 'node:timers/promises';
import { isSameProcess, stateOf, thisHolder, type Holder } from '../../journal/holder.js';
import { holdersAt, keepTeamHolder, lockFolder, removeHolders, takeLock } from '../../journal/lock.js';
import { listRuns, openRunFolder, readCopy, type Runs } from '../../journal/run-folder.js';
import type { Project } from '../../language/project.js';
import { DIAGNOSIS } from '../run/causes.js';
import { EXIT, refusal, type Refusal } from '../options/exit.js';
import { parseFlags, type Flags } from '../options/flags.js';
import { nameOf } from '../run/lock.js';
import { confirm } from '../terminal/confirm.js';
import { loadCopy, loadProject } from '../options/project.js';
import type { Leases } from '../../run/lease.js';
import { openSession } from '../run/session.js';
import { runsFor } from '../run/unfinished.js';
import { withTeam } from '../team/with-team.js';

/**
 * `runbook unlock [PLAYBOOK]`: takes the lock on the inventory and the leases on its hosts away from a process that cannot give them back,
 * after a confirmation. The playbook says by its platform which hosts have leases; without one the newest run does.
 */
export async function run(argv: readonly string[]): Promise<number> {
  const flags = parseFlags('unlock', argv);
  const runs = runsFor(flags);
  const project = await projectOf(runs, flags);
  const session = await openSession({ project, flags, verb: 'diagnose' });
  try {
    return await unlock(runs, flags, session.hostLeases.leases);
  } finally {
    await session.close();
  }
}

async function projectOf(runs: Runs, flags: Flags): Promise<Project> {
  const newest = listRuns(runs).at(-1);
  if (flags.positionals.length === 0 && newest !== undefined) return loadCopy(readCopy(openRunFolder(runs, newest)));
  return loadProject({ ...flags, positionals: flags.positionals.length === 0 ? [DIAGNOSIS] : flags.positionals });
}

async function unlock(runs: Runs, flags: Flags, leases: Leases): Promise<number> {
  const holders = holdersAt(runs);
  const { leases: found, unknown } = await leases.find();
  for (const reason of unknown) process.stderr.write(`runbook: not checked: ${reason}\n`);
  if (holders.length === 0 && found.length === 0) {
    process.stdout.write(`${runs.inventory} and its hosts are not locked\n`);
    return unknown.length === 0 ? EXIT.done : EXIT.unreachable;
  }
  for (const holder of holders) sayHolder(runs.inventory, holder);
  for (const { host, holder } of found) sayHolder(host, holder);
  await confirm(flags, { question: 'Remove the lock? [y/N]', declined: 'Nothing was changed.' });
  removeHolders(lockFolder(runs), holders);
  await removeTeamHolder(runs, holders);
  await leases.remove(found);
  process.stdout.write('Unlocked.\n');
  return unknown.length === 0 ? EXIT.done : EXIT.unreachable;
}

/** Whoever has the lock in the team's store can record nothing more in its run, and so not act. */
async function removeTeamHolder(runs: Runs, seen: readonly Holder[]): Promise<void> {
  await withTeam(runs, async (team) => {
    keepTeamHolder(runs, undefined);
    if (team === undefined) return;
    const { share } = await import('../team/shared.js');
    const lock = await takeLock(lockFolder(runs), thisHolder('unlock', runs.inventory, Date.now()), pause);
    const taken = (by: Holder): Refusal =>
      refusal(EXIT.locked, `${nameOf(by)} has taken the lock meanwhile; nothing was unlocked`);
    if ('takenBy' in lock) throw taken(lock.takenBy);
    try {
      // Only who was shown: another process may have begun since.
      const shared = await share(team, runs, lock, (by) => seen.some((one) => isSameProcess(one, by)));
      if ('takenBy' in shared) throw taken(shared.takenBy);
      await shared.release();
    } finally {
      lock.release();
    }
  });
}

const sayHolder = (what: string, holder: Holder): void =>
  void process.stderr.write(`${what}: ${nameOf(holder)}${inventoryOf(holder)}\n  ${ADVICE[stateOf(holder)](holder)}\n`);

const inventoryOf = ({ file, inventory }: Holder): string => (file?.is === 'damaged' ? '' : ` (${inventory})`);

const ADVICE: Readonly<Record<ReturnType<typeof stateOf>, (holder: Holder) => string>> = {
  alive: ({ pid }) =>
    `This process exists. End it first (kill ${pid}); a frozen one stops by itself when it wakes up and finds the lock gone.`,
  ended: () => 'This process has ended. The next run removes the lock by itself.',
  elsewhere: () =>
    'Whether this process still works is not known here. Make sure that it has ended: two at a time can lose data.',
};
