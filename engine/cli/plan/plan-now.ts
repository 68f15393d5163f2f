import { defined } from '../../lib/defined.js';
import { runAll } from '../../run/start.js';
import type { Recorded, RunEnd } from '../../terms/event.js';
import { EXIT, exitOf, exitOfPlan } from '../options/exit.js';
import type { Flags } from '../options/flags.js';
import { copyOf, hashOf, leadingTo, type Choice } from '../run/choice.js';
import type { Doors } from '../run/doors.js';
import { olderRefusal } from '../run/older-journal.js';
import { openSession } from '../run/session.js';
import { summaryNow } from '../run/summary-now.js';
import { who } from '../run/who.js';
import type { Planned, Rest } from './planned.js';

interface PlanOptions {
  /** A page is wanted: what the platform says of the plan is read, too. */
  readonly page: boolean;
  /** What the caller has open, and closes. */
  readonly doors?: Doors;
  readonly rest?: Rest;
}

/** Plans and prints nothing. */
export async function planNow(
  { project, limit, window, told, takesBack }: Choice,
  flags: Flags,
  { page, doors, rest }: PlanOptions,
): Promise<Planned> {
  const choice = defined({ project, limit, window, told });
  const from = rest === undefined ? {} : { past: rest.past, reads: rest.folder };
  const session = await openSession({ ...choice, ...from, ...defined({ doors, takesBack }), flags, verb: 'plan' });
  try {
    const hash = rest?.hash ?? hashOf(copyOf(project, flags, limit));
    const inventory = project.inventory.files[0]?.file ?? '';
    const name = {
      run: rest?.folder.id ?? `plan-${hash.slice(0, 8)}`,
      verb: rest === undefined ? 'plan' : 'resume',
    } as const;
    const waived = rest?.copy.waive ?? flags.waive;
    const waives = waived.length === 0 ? {} : { waived, ...defined({ reason: flags.reason }) };
    const end = await runAll(session.run, { ...name, hash, inventory, ...who(), ...waives, ...leadingTo(project) });
    const off = session.hostLeases.keptOff();
    if (off !== undefined && 'older' in off) throw olderRefusal(off.older, flags);
    const events = rest === undefined ? session.events : restOf(session.events, rest.past.length);
    const mayApply = (end === 'done' || isThroughout(events)) && !hasDefect(events);
    const { outsideWindow: goesOutside } = flags;
    const summary = page
      ? await summaryNow({ ...session, events, mayApply }, { ...choice, goesOutside }, rest)
      : undefined;
    const code = summary === undefined ? exitOfEnd(end, events) : exitOfPlan(summary.state);
    return { events, code, mayApply, ...defined({ summary }) };
  } finally {
    await session.close();
  }
}

/** Of a plan that has no page: `--why`. */
const exitOfEnd = (end: RunEnd, events: readonly Recorded[]): number =>
  hasDefect(events) ? EXIT.unreachable : end === 'failed' ? EXIT.refused : exitOf(end);

/** Of a run that goes on: what is still to do, and the versions that it began with. */
const restOf = (events: readonly Recorded[], begun: number): readonly Recorded[] =>
  events.filter(({ event }, i) => i >= begun || event.e === 'from');

/** An error of this program itself: something could not be judged. */
const hasDefect = (events: readonly Recorded[]): boolean => endIn(events)?.defect === true;

/** It told of all plays, if without hosts that cannot be reached: an apply does without them too. */
const isThroughout = (events: readonly Recorded[]): boolean => {
  const end = endIn(events);
  return end?.as === 'unreachable' && end.throughout === true;
};

function endIn(events: readonly Recorded[]) {
  const last = events.at(-1)?.event;
  return last?.e === 'run-ended' ? last : undefined;
}
