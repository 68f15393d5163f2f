import { setTimeout as pause } from 'node:timers/promises';
import { stateOf, type Holder } from '../../journal/holder.js';
import { holdersAt } from '../../journal/lock.js';
import type { Runs } from '../../journal/run-folder.js';
import { showDuration } from '../../lib/duration.js';
import { EXIT, invalid, refusal } from '../options/exit.js';
import { parseFlags, type Flags } from '../options/flags.js';
import { hintsOn, nameOf } from '../run/lock.js';
import { runsFor, whereOf } from '../run/unfinished.js';
import type { Team } from '../team/team.js';
import { withTeam } from '../team/with-team.js';

const POLL_MS = 200;

/** `runbook stop`: asks the process that works with the inventory to stop at its next safe point, and waits until it has. */
export async function run(argv: readonly string[]): Promise<number> {
  const flags = parseFlags('stop', argv);
  if (flags.positionals.length > 0) throw invalid('stop takes no argument; another inventory: -i');
  const runs = runsFor(flags);
  const [holder] = holdersAt(runs);
  if (holder === undefined) {
    process.stdout.write(`no process works with ${runs.inventory}\n`);
    return EXIT.done;
  }
  const where = whereOf(flags);
  // A process of another user on this machine takes no signal from this one.
  if (stateOf(holder) !== 'alive' || !askToStop(holder))
    return withTeam(runs, (team) => stopElsewhere(team, runs, holder, flags));
  sayStopping(holder);
  while (holdersAt(runs).some(({ token }) => token === holder.token)) await pause(POLL_MS);
  return sayStopped(where);
}

const sayStopping = (holder: Holder): void =>
  void process.stderr.write(`Stopping at its next safe point: ${nameOf(holder)}. Ctrl-C ends only this wait.\n`);

function sayStopped(where: string): number {
  process.stdout.write(`Stopped. What was done, and what to type next: runbook show${where}\n`);
  return EXIT.done;
}

/** Through the store of the team. */
async function stopElsewhere(team: Team | undefined, runs: Runs, holder: Holder, flags: Flags): Promise<number> {
  const where = whereOf(flags);
  const { ANSWER_MS, requestStop } = await import('../team/stop-request.js');
  const name = nameOf(holder);
  const request = team === undefined ? undefined : await requestStop(team.store, runs, holder);
  if (request === undefined)
    throw refusal(
      EXIT.refused,
      `${name} cannot be asked to stop from here`,
      ...(holder.file?.is === 'damaged'
        ? hintsOn(holder, flags)
        : [`on ${holder.machine}, as ${holder.user}: runbook stop${where}`]),
    );
  process.stderr.write(`Asked to stop: ${name}. It answers within seconds where it works.\n`);
  if (!(await request.isHeard(ANSWER_MS)))
    throw refusal(
      EXIT.unreachable,
      `${name} has not answered for ${showDuration(ANSWER_MS)}: it is frozen, was killed, or does not reach the store`,
      'it will stop if it answers again',
      `runbook resume --take-over${where}   takes the run from it, which can then do nothing more`,
    );
  sayStopping(holder);
  await request.isOver();
  return sayStopped(where);
}

/** By the signal that a lost terminal sends: however often it comes, it never stops a step in the middle. False: it may not be sent. */
function askToStop({ pid }: Holder): boolean {
  try {
    process.kill(pid, 'SIGHUP');
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}
