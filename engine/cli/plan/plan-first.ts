import { defined } from '../../lib/defined.js';
import { endView } from '../../report/end/end-view.js';
import { goesOnFromHosts } from '../../report/plan/plan-state.js';
import type { PlanSummary } from '../../report/plan/plan-summary.js';
import type { Recorded } from '../../terms/event.js';
import type { Choice } from '../run/choice.js';
import type { Doors } from '../run/doors.js';
import { EXIT, invalid, Refusal } from '../options/exit.js';
import type { Flags } from '../options/flags.js';
import { terminalOf } from '../terminal/terminal.js';
import { confirm, mustBeAttended } from '../terminal/confirm.js';
import { isAttended } from '../terminal/prompt.js';
import { planNow } from './plan-now.js';
import type { Planned, Rest } from './planned.js';
import { writeEvents } from '../terminal/sinks.js';
import { refuseOutside } from '../run/window.js';

/** A plan, and the question whether to go ahead. */
export interface Asked {
  readonly choice: Choice;
  readonly flags: Flags;
  /** Throws where the plan is not the one that was approved. */
  readonly refuse?: (planned: Planned) => void;
  /** Shows what will be done, before the question. */
  readonly show: (summary: PlanSummary, events: readonly Recorded[]) => void;
  readonly question: string;
  /** The unfinished run whose rest is planned. */
  readonly rest?: Rest;
}

/** Refuses where no terminal is there for the questions that must be answered. */
export function mustBeAnswered(flags: Flags): void {
  if (flags.step && !isAttended()) throw invalid('--step needs a terminal');
  mustBeAttended(flags);
}

/**
 * The plan of all hosts, and the question whether to begin, the only one that -y answers. A refusal: nothing was changed, and nothing begins.
 * What the plan refuses is not applied. The rest of a run is, after its page said so: the run stops at that step by itself, what is
 * left before it may be what helps, and a plan cannot wait for a host that restarts. What is required is no such step.
 */
export async function planFirst(request: Asked, doors: Doors): Promise<Planned> {
  const { choice, flags, rest } = request;
  const planned = await planNow(
    choice,
    { ...flags, json: false, step: false },
    { page: true, doors, ...defined({ rest }) },
  );
  try {
    await mustGoAhead(planned, request, doors);
    return planned;
  } catch (error) {
    const { events, summary } = planned;
    if (error instanceof Refusal && request.flags.json)
      writeEvents(events, { verb: 'plan', exit: error.exit, ...defined({ page: summary }) });
    throw error;
  }
}

async function mustGoAhead(
  planned: Planned,
  { choice, flags, refuse, show, question, rest }: Asked,
  doors: Doors,
): Promise<void> {
  const { events, summary, mayApply, code } = planned;
  const isRest = rest !== undefined || goesOnFromHosts(events);
  const isRefused = !isRest || code === EXIT.interrupted || breaksRequirement(choice, events);
  if (!mayApply && isRefused) {
    const end = endView(events, terminalOf(process.stdout));
    if (!flags.json) process.stdout.write(`${end}\n`);
    throw new Refusal(code);
  }
  if (summary !== undefined && !flags.json) show(summary, events);
  const mustBeInside = (): void => {
    if (summary !== undefined) refuseOutside(choice, summary, flags, doors.fleet.clock.nowMs());
  };
  refuse?.(planned);
  mustBeInside();
  mustBeAnswered(flags);
  const declined = rest === undefined ? 'Nothing was changed.' : 'Nothing was changed; the run stays open.';
  await confirm(flags, { question, declined });
  // The window may have closed while the question was there.
  mustBeInside();
}

/** A rule that holds in every run is broken: see `requires` in docs/language.md. */
function breaksRequirement({ project }: Choice, events: readonly Recorded[]): boolean {
  const steps = project.playbook.plays.flatMap((play) => play.steps).filter(({ required }) => required === true);
  const required = new Set(steps.map(({ path }) => path));
  return events.some(({ event: e }) => e.e === 'settled' && e.as === 'blocked' && required.has(e.task.step));
}
