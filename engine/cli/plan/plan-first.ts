import { defined } from '../../lib/defined.js';
import { endView } from '../../report/end/end-view.js';
import { goesOnFromHosts } from '../../report/plan/plan-state.js';
import type { PlanSummary } from '../../report/plan/plan-summary.js';
import type { Recorded } from '../../terms/event.js';
import type { Choice } from '../run/choice.js';
import type { Doors } from '../run/doors.js';
import { EXIT, invalid } from '../options/exit.js';
import type { Flags } from '../options/flags.js';
import { terminalOf } from '../terminal/terminal.js';
import { ask, isAttended, isYes } from '../terminal/prompt.js';
import { planNow } from './plan-now.js';
import type { Planned, Rest } from './planned.js';
import { writeEvents } from '../terminal/sinks.js';
import { refuseOutside } from '../run/window.js';

/** A plan, and the question whether to go ahead. */
export interface Asked {
  readonly choice: Choice;
  readonly flags: Flags;
  /** An exit code where the plan is not the one that was approved. */
  readonly refuse?: (planned: Planned) => number | undefined;
  /** Shows what will be done, before the question. */
  readonly show: (summary: PlanSummary, events: readonly Recorded[]) => void;
  readonly question: string;
  /** The unfinished run whose rest is planned. */
  readonly rest?: Rest;
}

/** Whether a terminal is there for the questions that must be answered. */
export function mayAsk(flags: Flags): number | undefined {
  if (isAttended()) return undefined;
  if (flags.step) return invalid('--step needs a terminal');
  return flags.yes ? undefined : invalid('a confirmation is needed and there is no terminal; use -y');
}

/**
 * The plan of all hosts, and the question whether to begin, the only one that -y answers. An exit code: nothing was changed, and nothing begins.
 * What the plan refuses is not applied. The rest of a run is, after its page said so: the run stops at that step by itself, what is
 * left before it may be what helps, and a plan cannot wait for a host that restarts. What is required is no such step.
 */
export async function planFirst(
  { choice, flags, refuse: differs, show, question, rest }: Asked,
  doors: Doors,
): Promise<number | Planned> {
  const planned = await planNow(
    choice,
    { ...flags, json: false, step: false },
    { page: true, doors, ...defined({ rest }) },
  );
  if (typeof planned === 'number') return planned;
  const { events, summary, mayApply, code } = planned;
  const refuse = (exit: number): number => {
    if (flags.json) writeEvents(events, { verb: 'plan', exit, ...defined({ page: summary }) });
    return exit;
  };
  const isRest = rest !== undefined || goesOnFromHosts(events);
  const isRefused = !isRest || code === EXIT.interrupted || breaksRequirement(choice, events);
  if (!mayApply && isRefused) {
    const end = endView(events, terminalOf(process.stdout));
    if (!flags.json) process.stdout.write(`${end}\n`);
    return refuse(code);
  }
  if (summary !== undefined && !flags.json) show(summary, events);
  const outside = (): number | undefined =>
    summary === undefined ? undefined : refuseOutside(choice, summary, flags, doors.fleet.clock.nowMs());
  const refused = differs?.(planned) ?? outside() ?? mayAsk(flags);
  if (refused !== undefined) return refuse(refused);
  // The window may have closed while the question was there.
  if (flags.yes || isYes(await ask(question))) return outside() ?? planned;
  process.stderr.write(rest === undefined ? 'Nothing was changed.\n' : 'Nothing was changed; the run stays open.\n');
  return refuse(EXIT.refused);
}

/** A rule that holds in every run is broken: see `requires` in docs/language.md. */
function breaksRequirement({ project }: Choice, events: readonly Recorded[]): boolean {
  const steps = project.playbook.plays.flatMap((play) => play.steps).filter(({ required }) => required === true);
  const required = new Set(steps.map(({ path }) => path));
  return events.some(({ event: e }) => e.e === 'settled' && e.as === 'blocked' && required.has(e.task.step));
}
