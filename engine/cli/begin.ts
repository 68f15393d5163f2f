import { rmSync } from 'node:fs';
import type { Lock } from '../journal/lock.js';
import { createRunFolder, writeCopy, type Estimate, type RunCopy, type Runs } from '../journal/run-folder.js';
import { keepForReport } from '../journal/for-report.js';
import { plannedRun, type PlannedRun } from '../report/document/differences.js';
import { endView } from '../report/end-view.js';
import type { PlannedPhase } from '../report/phase-bars.js';
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
import { refuseOutside } from './window.js';

export interface Begin {
  readonly choice: Choice;
  readonly flags: Flags;
  readonly runs: Runs;
  readonly lock: Lock;
  readonly copy: RunCopy;
  /** The plan that was approved. */
  readonly approved?: Pick<PlannedRun, 'steps' | 'atMs'>;
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
    const planned = await planFirst(request, doors);
    if (typeof planned === 'number') {
      // A run that was refused or declined did not begin.
      rmSync(folder.path, { recursive: true, force: true });
      return planned;
    }
    if (planned.summary !== undefined)
      keepForReport(folder, 'plan.json', plannedRun(planned.events, planned.summary, request.approved));
    const estimate = planned.summary?.impact;
    if (estimate !== undefined) writeCopy(folder, { ...copy, estimate: kept(estimate) });
    return await carryOut({
      ...choice,
      ...{ flags, lock, doors, folder, verb: 'apply', hash: hashOf(copy) },
      ...(estimate === undefined ? {} : { estimate }),
      phases: phasesOf(planned.summary),
    });
  } finally {
    await doors.close();
  }
}

const phasesOf = (summary: PlanSummary | undefined): readonly PlannedPhase[] =>
  (summary?.phases ?? []).map(({ name, changes, takes }) => ({ name, changes, takesMs: takes.maxMs }));

/** Whether a terminal is there for the questions that must be answered. */
export function mayAsk(flags: Flags): number | undefined {
  if (isAttended()) return undefined;
  if (flags.step) return invalid('--step needs a terminal');
  return flags.yes ? undefined : invalid('a confirmation is needed and there is no terminal; use -y');
}

/**
 * The plan of all hosts, and the question whether to begin, the only one that -y answers. An exit code: nothing was changed, and nothing begins. What the plan refuses is not applied.
 */
async function planFirst({ choice, flags, refuse, show, question }: Begin, doors: Doors): Promise<number | Planned> {
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
  const outside = (): number | undefined =>
    summary === undefined ? undefined : refuseOutside(choice, summary, flags, doors.fleet.clock.nowMs());
  const refused = refuse?.(planned) ?? outside() ?? mayAsk(flags);
  if (refused !== undefined) return refused;
  // The window may have closed while the question was there.
  if (flags.yes || isYes(await ask(question))) return outside() ?? planned;
  process.stderr.write('Nothing was changed.\n');
  return EXIT.refused;
}

const kept = ({ takesDown, restMs }: Estimate): Estimate => ({ takesDown, restMs });
