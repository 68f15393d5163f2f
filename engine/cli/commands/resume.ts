import { carryOut } from '../run/carry-out.js';
import { readCopy, writeCopy } from '../../journal/run-folder.js';
import { EXIT, invalid, refusal } from '../options/exit.js';
import { parseFlags, type Flags } from '../options/flags.js';
import { rollbacksOf } from '../terminal/links.js';
import { unlocked, withLock, type HeldLock } from '../run/lock.js';
import { estimateToKeep } from '../run/begin.js';
import { keepPhasesOfRest } from '../plan/plan-of-run.js';
import { mustBeAnswered, planFirst } from '../plan/plan-first.js';
import { planRest } from '../plan/plan-rest.js';
import { closeWhatWasTakenBack } from './close.js';
import { openUnfinished, runsFor, whereOfRun, type Unfinished } from '../run/unfinished.js';
import { refuseUnknownWithout, refuseWithout } from '../run/without.js';
import { openDoors } from '../run/doors.js';
import { showFirstPage } from './plan.js';

/** `runbook resume`: shows what is left of the unfinished run, asks, and goes on with it, from its own copies. What is settled is not decided again. */
export async function run(argv: readonly string[]): Promise<number> {
  const flags = parseFlags('resume', argv);
  if (flags.format !== undefined && !flags.dryRun)
    throw invalid('--format needs --dry-run; of the run afterwards: runbook report');
  if (flags.dryRun) return unlocked(flags, () => resume(flags, argv));
  return withLock('resume', runsFor(flags), flags, (lock) => resume(flags, argv, lock));
}

/** Without the lock: what it would do. */
async function resume(flags: Flags, argv: readonly string[], lock?: HeldLock): Promise<number> {
  const unfinished = await openUnfinished('resume', flags);
  const { id } = unfinished.folder;
  const [by] = rollbacksOf(runsFor(flags), id);
  const where = whereOfRun(unfinished.copy, flags);
  if (by !== undefined)
    throw refusal(
      EXIT.refused,
      `the run ${id} was partly rolled back by ${by} and cannot be resumed`,
      `runbook rollback${where}   continues the rollback`,
      `runbook close${where}      closes the run; a new apply then checks each host again`,
    );
  refuseUnknownWithout(unfinished.project, flags);
  refuseWithout(unfinished, flags);
  if (lock === undefined) return planRest(unfinished, argv);
  const code = await goOn(unfinished, flags, lock);
  return code === EXIT.done ? closeWhatWasTakenBack(readCopy(unfinished.folder).backFrom, flags, lock) : code;
}

async function goOn(unfinished: Unfinished, flags: Flags, lock: HeldLock): Promise<number> {
  mustBeAnswered(flags);
  const doors = await openDoors(unfinished);
  try {
    const planned = await planFirst(
      {
        choice: unfinished,
        flags: unfinished.flags,
        show: showFirstPage(flags),
        question: 'Continue the run? [y/N]',
        rest: unfinished,
      },
      doors,
    );
    // What a plan that stops early says of times is not the whole.
    const whole = planned.mayApply ? planned.summary : undefined;
    keepPhasesOfRest(unfinished.folder, whole);
    const estimate = whole?.impact;
    const copy = { ...unfinished.copy, ...(estimate === undefined ? {} : { estimate: estimateToKeep(estimate) }) };
    writeCopy(unfinished.folder, copy);
    return await carryOut({
      ...unfinished,
      ...(estimate === undefined ? {} : { estimate }),
      ...{ copy, lock, doors, verb: 'resume' },
    });
  } finally {
    await doors.close();
  }
}
