import { stateOf, type Holder } from '../journal/holder.js';
import { holdersOf, lockFolder, removeHolders } from '../journal/lock.js';
import { EXIT, invalid } from './exit.js';
import { parseFlags, type Flags } from './flags.js';
import { nameOf } from './lock.js';
import { ask, isAttended, isYes } from './person.js';
import { runsFor } from './unfinished.js';

/** `runbook unlock`: takes the lock away from a process that cannot give it back, after a confirmation. */
export async function run(argv: readonly string[]): Promise<number> {
  const flags = parseFlags('unlock', argv);
  if ('mistake' in flags) return invalid(flags.mistake);
  const runs = runsFor(flags);
  const holders = holdersOf(lockFolder(runs));
  if (holders.length === 0) {
    process.stdout.write(`${runs.inventory} is not locked\n`);
    return EXIT.done;
  }
  for (const holder of holders) process.stderr.write(`${runs.inventory}: ${nameOf(holder)}\n  ${adviceOn(holder)}\n`);
  const refused = await mayUnlock(flags);
  if (refused !== undefined) return refused;
  removeHolders(lockFolder(runs), holders);
  process.stdout.write('Unlocked.\n');
  return EXIT.done;
}

const adviceOn = (holder: Holder): string =>
  stateOf(holder) === 'alive'
    ? `This process exists. End it first (kill ${holder.pid}); a frozen one stops by itself when it wakes up and finds the lock gone.`
    : 'Whether this process still works is not known here. Make sure that it has ended: two at a time can lose data.';

async function mayUnlock(flags: Flags): Promise<number | undefined> {
  if (flags.yes) return undefined;
  if (!isAttended()) return invalid('unlock needs a confirmation, and there is no terminal; use -y');
  if (isYes(await ask('Remove the lock? [y/N]'))) return undefined;
  process.stderr.write('Nothing was changed.\n');
  return EXIT.refused;
}
