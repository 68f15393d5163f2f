import { setTimeout as pause } from 'node:timers/promises';
import { stateOf, type Holder } from '../../journal/holder.js';
import { holdersAt } from '../../journal/lock.js';
import { EXIT, invalid, sorry } from '../options/exit.js';
import { parseFlags } from '../options/flags.js';
import { nameOf } from '../run/lock.js';
import { runsFor, whereOf } from '../run/unfinished.js';

const POLL_MS = 200;

/** `runbook stop`: asks the process that works with the inventory to stop at its next safe point, and waits until it has. */
export async function run(argv: readonly string[]): Promise<number> {
  const flags = parseFlags('stop', argv);
  if ('mistake' in flags) return invalid(flags.mistake);
  if (flags.positionals.length > 0) return invalid('stop takes no argument; another inventory: -i');
  const runs = runsFor(flags);
  const [holder] = holdersAt(runs);
  if (holder === undefined) {
    process.stdout.write(`no process works with ${runs.inventory}\n`);
    return EXIT.done;
  }
  const refused = askToStop(holder, whereOf(flags));
  if (refused !== undefined) return refused;
  process.stderr.write(`Stopping at its next safe point: ${nameOf(holder)}. Ctrl-C ends only this wait.\n`);
  while (holdersAt(runs).some(({ token }) => token === holder.token)) await pause(POLL_MS);
  process.stdout.write(`Stopped. What was done, and what to type next: runbook show${whereOf(flags)}\n`);
  return EXIT.done;
}

/** By the signal that a lost terminal sends: however often it comes, it never stops a step in the middle. */
function askToStop(holder: Holder, where: string): number | undefined {
  const name = nameOf(holder);
  if (stateOf(holder) !== 'alive')
    return sorry(EXIT.refused, `${name} cannot be reached from here`, `on ${holder.machine}: runbook stop${where}`);
  try {
    process.kill(holder.pid, 'SIGHUP');
    return undefined;
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (code === 'ESRCH') return undefined;
    return sorry(
      EXIT.refused,
      `${name} cannot be stopped by this user (${code})`,
      `as ${holder.user}: runbook stop${where}`,
    );
  }
}
