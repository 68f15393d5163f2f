import { foldAll } from '../journal/fold.js';
import { defined } from '../lib/defined.js';
import type { AssessedComponent } from '../terms/assessment.js';
import type { Outcome } from '../terms/action.js';
import type { Recorded, Stop, Verb } from '../terms/event.js';
import type { Range } from '../terms/step-time.js';
import { taskKey, type StepPath, type TaskId } from '../terms/task.js';
import { countsOf, type Counts } from './counts.js';
import { measuredServices } from './document/measured.js';
import type { Downtime } from './plan/downtime.js';
import type { PlanState } from './plan/plan-state.js';
import type { OutsideLimit, PlanSummary } from './plan/plan-summary.js';
import { outcomeOf, type RunOutcome } from './run-outcome.js';
import { linesOf, tally, type Line, type Tally } from './tally.js';

/** The last line of `--json`: what a program needs to know of a command, in codes and numbers. */
export interface RunSummary {
  readonly e: 'summary';
  readonly verb: Verb | 'show';
  readonly run: string;
  /** `open`: the run has no end yet, because its process works or was killed. */
  readonly state: RunOutcome | 'open';
  /** The exit code of the command; of `show`, that of the run. */
  readonly exit: number;
  readonly counts: Counts;
  /** Findings of a diagnosis. */
  readonly findings: number;
  readonly failures: readonly SummaryFailure[];
  /** Hosts that could not be reached. */
  readonly lost: readonly string[];
  /** What made an interrupted run stop. */
  readonly stop?: Stop;
  /** Temporary changes that are in effect at the end. */
  readonly notRestored: readonly TaskId[];
  readonly downtime: readonly SummaryDowntime[];
  /** Of a plan. */
  readonly plan?: SummaryPlan;
  readonly tookMs: number;
}

export interface SummaryPlan {
  readonly is: PlanState['is'];
  readonly estimate: Range;
  readonly temporary: number;
  /** Hosts that `--limit` leaves out, and that are read or locked all the same. */
  readonly outsideLimit?: OutsideLimit;
}

export interface SummaryFailure {
  readonly code: 'failed' | 'blocked' | 'unreachable';
  readonly step: StepPath;
  readonly host: string;
  /** The section of the platform's specification. */
  readonly spec?: string;
  /** What became of the last action of the step. */
  readonly outcome?: SummaryOutcome;
}

export type SummaryOutcome =
  | Pick<Extract<Outcome, { is: 'ended' }>, 'is' | 'exit'>
  | Pick<Extract<Outcome, { is: 'answered' }>, 'is' | 'status'>
  | Pick<Extract<Outcome, { is: 'refused' }>, 'is' | 'by'>
  | Pick<Extract<Outcome, { is: 'unknown' }>, 'is' | 'why'>
  | Pick<Extract<Outcome, { is: 'applied' | 'said' }>, 'is'>;

export interface SummaryDowntime {
  /** As the platform calls it. */
  readonly component: string;
  /** Everywhere at once, on some of its hosts at a time, or restarted only. */
  readonly is: Downtime['is'];
  readonly hosts: readonly string[];
  /** Where it is not started again. */
  readonly staysDown: readonly string[];
  /** Of a run: on the host where it was down longest. */
  readonly measuredMs?: number;
  /** Of a plan: the same, estimated. */
  readonly estimate?: Range;
}

export interface SummaryContext {
  readonly verb: RunSummary['verb'];
  readonly exit: number;
  /** The page of a plan. */
  readonly page?: PlanSummary;
  /** The services whose downtime the plan of a run stated. */
  readonly components?: readonly AssessedComponent[];
}

export function runSummary(events: readonly Recorded[], context: SummaryContext): RunSummary {
  const { verb, exit, page, components = [] } = context;
  const t = tally(events);
  const ended = t.ended;
  return {
    e: 'summary',
    verb,
    run: t.started?.run ?? '',
    state: ended === undefined ? 'open' : outcomeOf(ended),
    exit,
    counts: countsOf(t),
    findings: events.filter(({ event }) => event.e === 'found').length,
    failures: failuresOf(t, events),
    lost: [...t.lost.keys()],
    ...(ended?.stop === undefined ? {} : { stop: ended.stop }),
    notRestored:
      verb === 'plan'
        ? []
        : [...foldAll(events.map(({ event }) => event)).temporaryChanges.values()].map((d) => d.task),
    downtime: page === undefined ? measured(events, components) : estimated(page),
    ...(page === undefined ? {} : { plan: planned(page) }),
    tookMs: (events.at(-1)?.atMs ?? 0) - (events[0]?.atMs ?? 0),
  };
}

const planned = ({ state, takes, temporary, outsideLimit }: PlanSummary): SummaryPlan => ({
  is: state.is,
  estimate: takes,
  temporary,
  ...defined({ outsideLimit }),
});

const isFailure = (line: Line): line is Line & { readonly is: SummaryFailure['code'] } =>
  line.is === 'failed' || line.is === 'blocked' || line.is === 'unreachable';

function failuresOf(t: Tally, events: readonly Recorded[]): readonly SummaryFailure[] {
  const last = new Map<string, Outcome>();
  for (const { event } of events) if (event.e === 'effect') last.set(taskKey(event.task), event.outcome);
  return linesOf(t)
    .filter(isFailure)
    .map(({ is, key, step, host, spec }) => {
      const outcome = last.get(key);
      return {
        ...{ code: is, step, host },
        ...(spec === undefined ? {} : { spec }),
        ...(outcome === undefined ? {} : { outcome: codesOf(outcome) }),
      };
    });
}

/** Without its texts. */
function codesOf(outcome: Outcome): SummaryOutcome {
  switch (outcome.is) {
    case 'ended':
      return { is: 'ended', exit: outcome.exit };
    case 'answered':
      return { is: 'answered', status: outcome.status };
    case 'refused':
      return { is: 'refused', by: outcome.by };
    case 'unknown':
      return { is: 'unknown', why: outcome.why };
    case 'applied':
    case 'said':
      return { is: outcome.is };
  }
}

const measured = (events: readonly Recorded[], components: readonly AssessedComponent[]): readonly SummaryDowntime[] =>
  components.flatMap((component) =>
    measuredServices(events, [component]).map(({ is, hosts, staysDown, measuredMs }) => ({
      component: component.name,
      ...{ is, hosts, staysDown },
      ...(measuredMs === undefined ? {} : { measuredMs }),
    })),
  );

const estimated = ({ components, downtime = [] }: PlanSummary): readonly SummaryDowntime[] =>
  downtime.flatMap(({ title, is, hosts, staysDown, takes }) => {
    const component = components.find((c) => c.title === title)?.name;
    return component === undefined ? [] : [{ component, is, hosts, staysDown, estimate: takes }];
  });
