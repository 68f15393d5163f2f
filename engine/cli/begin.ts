import { rmSync } from 'node:fs';
import type { Lock } from '../journal/lock.js';
import { keepPlanned } from '../journal/planned.js';
import { createRunFolder, type RunCopy, type RunFolder, type Runs } from '../journal/run-folder.js';
import { plannedRun } from '../report/document/differences.js';
import { endView } from '../report/end-view.js';
import type { PlanSummary } from '../report/plan-summary.js';
import type { Recorded } from '../terms/event.js';
import { carryOut } from './carry-out.js';
import { hashOf, type Choice } from './choice.js';
import { openDoors, type Doors } from './doors.js';
import { EXIT, invalid } from './exit.js';
import type { Flags } from './flags.js';
import { paperOf } from './paper.js';
import { ask, isAttended, isYes } from './person.js';
import { planNow, type Planned } from './plan.js';
import { writeEvents } from './sinks.js';

export interface Begin {
  readonly choice: Choice;
  readonly flags: Flags;
  readonly runs: Runs;
  readonly lock: Lock;
  readonly copy: RunCopy;
  /** An exit code where the plan is not the one that was approved. */
  readonly refuse?: (planned: Planned) => number | undefined;
  /** Shows what will be done, before the question. */
  readonly show: (summary: PlanSummary, events: readonly Recorded[]) => void;
  readonly question: string;
}

/** A new run: its plan, the question whether to begin, and the run itself, through the same connections and with the same secrets. */
export async function begin(request: Begin): Promise<number> {
  const { choice, flags, lock, copy } = request;
  const folder = createRunFolder(request.runs, Date.now(), copy);
  const doors = await openDoors({ ...choice, flags, folder });
  if (typeof doors === 'number') return doors;
  try {
    const stop = await planFirst(request, doors, folder);
    if (stop === undefined)
      return await carryOut({ ...choice, flags, lock, doors, verb: 'apply', folder, hash: hashOf(copy) });
    // A run that was refused or declined did not begin.
    rmSync(folder.path, { recursive: true, force: true });
    return stop;
  } finally {
    await doors.close();
  }
}

/** Whether a terminal is there for the questions that must be answered. */
export function mayAsk(flags: Flags): number | undefined {
  if (isAttended()) return undefined;
  if (flags.step) return invalid('--step needs a terminal');
  return flags.yes ? undefined : invalid('a confirmation is needed and there is no terminal; use -y');
}

/**
 * The plan of all hosts, and the question whether to begin, the only one that -y answers. Undefined: begin; else an exit code, with nothing
 * changed. What the plan refuses is not applied.
 */
async function planFirst(
  { choice, flags, refuse, show, question }: Begin,
  doors: Doors,
  folder: RunFolder,
): Promise<number | undefined> {
  const planned = await planNow(choice, { ...flags, json: false, step: false }, { page: true, doors });
  if (typeof planned === 'number') return planned;
  const { events, summary, mayApply, code } = planned;
  if (!mayApply) {
    const end = endView(events, paperOf(process.stdout));
    if (flags.json) writeEvents('plan', events);
    else process.stdout.write(`${end}\n`);
    return code;
  }
  if (summary !== undefined && !flags.json) show(summary, events);
  const refused = refuse?.(planned) ?? mayAsk(flags);
  if (refused !== undefined) return refused;
  if (flags.yes || isYes(await ask(question))) {
    if (summary !== undefined) keepPlanned(folder, plannedRun(events, summary));
    return undefined;
  }
  process.stderr.write('Nothing was changed.\n');
  return EXIT.refused;
}
