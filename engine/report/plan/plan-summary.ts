import type { Assessment, AssessedBackOut, AssessedComponent } from '../../terms/assessment.js';
import type { Recorded } from '../../terms/event.js';
import type { StateNow } from '../../terms/state-now.js';
import type { Warning } from '../../terms/hint.js';
import { stepOf, type Range, type StepTimes } from '../../terms/step-time.js';
import type { Window } from '../../lib/window.js';
import { defined } from '../../lib/defined.js';
import { countsOf, isQuestion, type Counts } from '../counts.js';
import { downtimes, type Downtime } from './downtime.js';
import { isDown } from '../end/stopped.js';
import { linesOf, tally, type Line, type Lost, type PlayTally, type Tally } from '../tally.js';
import { itemUpgradesOf, releasesOf, versionsOf, type ItemUpgrade, type Version } from './plan-versions.js';
import { impactOf, planWindow, rollbackMsAfter, type Impact, type PlanWindow } from './plan-window.js';
import { goesOnFromHosts, planState, type PlanState } from './plan-state.js';
import { phaseOf, timeline, type Span, type Timeline } from '../timeline.js';
import { groupTexts, type TextOnHosts } from '../text-on-hosts.js';
import { warningsOf } from '../warnings.js';

/** What a plan is judged with, beside its events. */
export interface PlanContext {
  readonly assessment: Assessment;
  readonly times: StepTimes;
  readonly forks: number;
  /** null: none is known. Absent where it was not looked for. */
  readonly rehearsal?: Rehearsal | null;
  /** The maintenance window, and how long a rollback takes. */
  readonly within?: { readonly window: Window; readonly rollbackMs: number };
  /** The window does not bind it (`--outside-window`). */
  readonly goesOutside?: boolean;
  /** The unfinished run that the plan is the rest of; of a rollback, what it takes back. */
  readonly rest?: UnfinishedRun;
  readonly takesBack?: TakenBack;
  readonly outsideLimit?: OutsideLimit;
}

/** Hosts that `--limit` leaves out: those that the plan read all the same, and those on which the run takes its lease. */
export interface OutsideLimit {
  readonly read: readonly string[];
  readonly locked: readonly string[];
}

/** A run that stopped, and how the platform is now, where that could be read in time. */
export interface UnfinishedRun {
  readonly run: string;
  readonly past: readonly Recorded[];
  readonly now?: StateNow;
}

/** What a rollback takes back: `past` is empty where no run is unfinished. */
export interface TakenBack extends Pick<UnfinishedRun, 'past' | 'now'> {
  /** The back-out of the upgrade that is reached; absent where none is known. */
  readonly backOut?: AssessedBackOut;
}

/** Another inventory on which the same playbook, platform and program succeeded. */
export interface Rehearsal {
  readonly inventory: string;
  readonly atMs: number;
  readonly by: string;
  /** The releases that it found; empty where the platform has none. */
  readonly from: readonly string[];
}

export interface Phase {
  readonly name: string;
  /** Steps that change something, or that are known after apply. */
  readonly changes: number;
  readonly takes: Range;
  /** In the longest estimate, from the start. */
  readonly span: Span;
}

export interface PointOfNoReturn {
  readonly phase: string;
  readonly text: string;
  /** How long after the start its play begins; absent where it is passed. */
  readonly startsAfter?: Range;
  /** By the run that this is the rest of. */
  readonly passed?: true;
}

/** What the operator decides: before the run, as a warning advises; or when the run asks. */
export type OpenDecision = TextOnHosts &
  ({ readonly when: 'before' } | { readonly when: 'asked'; readonly phase: string });

/** Everything that the first page of a plan says: numbers and codes; sentences are made in plan-page.ts. */
export interface PlanSummary {
  readonly rest?: UnfinishedRun;
  /** The unfinished run that the plan is the rest of, or takes back: what is down already, and what is temporarily changed. */
  readonly unfinished?: Pick<UnfinishedRun, 'past' | 'now'>;
  /** Of a rollback: the back-out of the upgrade that is reached. */
  readonly backsOut?: AssessedBackOut;
  readonly started: Tally['started'];
  readonly atMs: number;
  readonly state: PlanState;
  /** Releases that were found. */
  readonly from: readonly string[];
  readonly takes: Range;
  /** How much of `takes` earlier runs measured. */
  readonly measured: 'all' | 'some' | 'none';
  readonly rehearsal?: PlanContext['rehearsal'];
  /** Undefined where the platform names no service whose downtime matters. */
  readonly downtime?: readonly Downtime[];
  /** What counts for a maintenance window: also where there is none. */
  readonly impact: Impact;
  /** The window that binds it: none binds a plan that takes no service down. */
  readonly window?: PlanWindow;
  readonly backOut: readonly AssessedBackOut[];
  readonly versions: readonly Version[];
  readonly itemUpgrades: readonly ItemUpgrade[];
  readonly phases: readonly Phase[];
  /** Phases in which a stop completes the hosts at work. */
  readonly safePoints: readonly string[];
  readonly pointsOfNoReturn: readonly PointOfNoReturn[];
  readonly decisions: readonly OpenDecision[];
  readonly warnings: readonly TextOnHosts[];
  readonly failures: readonly TextOnHosts[];
  /** What could not be read. */
  readonly unread: readonly TextOnHosts[];
  /** Absent: it is not limited. */
  readonly outsideLimit?: OutsideLimit;
  readonly lost: ReadonlyMap<string, Lost>;
  readonly counts: Counts;
  readonly temporary: number;
  /** What they are: the titles of their steps. */
  readonly temporaryNames: readonly string[];
  /** The services whose downtime is stated, for the report of the run. */
  readonly components: readonly AssessedComponent[];
}

const isWork = ({ is }: Line): boolean => is === 'change' || is === 'undecided' || is === 'waiting';

export function summaryOf(
  events: readonly Recorded[],
  { assessment, times, forks, rehearsal, within, goesOutside = false, rest, takesBack, outsideLimit }: PlanContext,
): PlanSummary {
  const t = takesBack?.now === undefined ? tally(events) : withInstalled(tally(events), takesBack.now);
  const lines = linesOf(t);
  const busy = new Set(t.plays.filter((play) => play.lines.some(isWork)).flatMap(({ lines: all }) => all));
  const timeOf = (end: 'minMs' | 'maxMs') => (line: Line) => {
    const time = times.get(stepOf(line.step));
    return time !== undefined && (isWork(line) || (time.waits && line.is === 'ok' && busy.has(line))) ? time[end] : 0;
  };
  const [shortest, longest] = [timeline(t, timeOf('minMs'), forks), timeline(t, timeOf('maxMs'), forks)];
  // A host that the run does without is named as that, whichever step found it away.
  const leftOut = lines.filter(({ is, host }) => is === 'unreachable' && t.lost.get(host)?.leftOut === true);
  const all = countsOf(t);
  const counts = { ...all, failed: all.failed - leftOut.length };
  const unread = lines.filter(({ is }) => is === 'unread');
  const warned = lines.flatMap((line) => (line.warnings ?? []).map((one) => [line, one] as const));
  // Of the rest of a run the events that come first are of its start.
  const atMs = events.find(({ event }) => event.e === 'run-started')?.atMs ?? 0;
  const unfinished = rest ?? takesBack;
  const down = unfinished?.now?.components.filter(isDown) ?? [];
  const downtime = downtimes(t, assessment.components, { shortest, longest, down });
  const hasServices = assessment.components.some(({ title }) => title !== undefined);
  const points = t.plays.filter((play) => play.pointOfNoReturn !== undefined && play.lines.some(isWork));
  const passed = passedIn(rest?.past ?? []);
  const itemUpgrades = itemUpgradesOf(t, assessment);
  const isFree = hasServices && downtime.length + points.length + itemUpgrades.length === 0;
  const impact = impactOf(isFree, downtime, points, longest);
  const isBound = within !== undefined && impact.takesDown;
  const window = isBound ? { window: windowOfPlan(within, assessment, atMs, longest.totalMs) } : {};
  const decisions = decisionsOf(t, warned);
  const warnings = [
    ...groupTexts(warned.flatMap(([line, one]) => (typeof one === 'string' ? [[line, one]] : []))),
    ...warningsOf(events).flatMap(({ event, hosts }) =>
      event.task === undefined ? [{ text: event.text, hosts }] : [],
    ),
  ];
  return {
    ...defined({ rest, unfinished, backsOut: takesBack?.backOut, outsideLimit }),
    started: t.started,
    atMs,
    state: planState(t, {
      ...{ counts, unread: unread.length, decisions: decisions.length, warnings: warnings.length },
      ...{ isRest: rest !== undefined || goesOnFromHosts(events), goesOutside },
      ...window,
    }),
    from: releasesOf(t),
    takes: { minMs: shortest.totalMs, maxMs: longest.totalMs },
    ...(rehearsal === undefined ? {} : { rehearsal }),
    measured: howMeasured(lines.filter(isWork), times),
    ...(hasServices ? { downtime } : {}),
    impact,
    ...window,
    backOut: assessment.backOut,
    versions: versionsOf(t, assessment),
    itemUpgrades,
    phases: [...new Set(t.plays.map(phaseOf))].map((name) => ({
      name,
      changes: t.plays.reduce((sum, p) => (phaseOf(p) === name ? sum + p.lines.filter(isChange).length : sum), 0),
      takes: { minMs: shortest.phases.get(name) ?? 0, maxMs: longest.phases.get(name) ?? 0 },
      span: longest.phaseSpans.get(name) ?? { fromMs: 0, toMs: 0 },
    })),
    safePoints: [...new Set(t.plays.filter((p) => p.safePoint === true && p.lines.some(isWork)).map(phaseOf))],
    pointsOfNoReturn: [
      ...passed,
      ...points
        .filter((play) => !passed.some(({ text }) => text === play.pointOfNoReturn))
        .map((play) => ({ ...pointOf(play), startsAfter: startOf(play, shortest, longest) })),
    ],
    decisions,
    warnings,
    failures: [
      ...groupTexts(
        lines
          .filter((line) => isFailure(line) && !t.lost.has(line.host))
          .map((line) => [line, `${line.name}: ${line.because}`]),
      ),
      ...failuresOfNoStep(t, lines),
    ],
    unread: groupTexts(unread.map((line) => [line, `${line.name}: cannot be read: ${line.because}`])),
    lost: new Map([...awayNow(unfinished), ...t.lost]),
    counts,
    temporary: t.temporary.length,
    temporaryNames: [...new Set(t.temporary.map(({ name }) => name))],
    components: assessment.components,
  };
}

/** What failed outside of any step: the condition of a play, what must hold before a host. */
const failuresOfNoStep = ({ ended }: Tally, lines: readonly Line[]): readonly TextOnHosts[] =>
  ended?.reason === undefined || (ended.as !== 'refused' && ended.as !== 'failed') || lines.some(isFailure)
    ? []
    : [{ text: ended.reason, hosts: [] }];

const windowOfPlan = (
  { window, rollbackMs }: NonNullable<PlanContext['within']>,
  { backOut }: Assessment,
  atMs: number,
  takesMs: number,
): PlanWindow => planWindow({ window, rollbackMs: rollbackMsAfter(rollbackMs, backOut) }, atMs, takesMs);

/** A warning that names what to do about it is decided before; a question is asked by the run. */
const decisionsOf = (t: Tally, warned: readonly (readonly [Line, Warning])[]): readonly OpenDecision[] => [
  ...groupTexts(
    warned.flatMap(([line, one]) => (typeof one === 'string' ? [] : [[{ ...line, ...one }, one.text]])),
  ).map((decision) => ({ ...decision, when: 'before' as const })),
  ...t.plays.flatMap((play) =>
    questionsOf(play.lines.filter(isQuestion)).map((decision) => ({
      ...decision,
      when: 'asked' as const,
      phase: phaseOf(play),
    })),
  ),
];

/** Hosts that the plan did not need, and that did not answer either. */
const awayNow = (unfinished: PlanSummary['unfinished']): readonly (readonly [string, Lost])[] =>
  (unfinished?.now?.away ?? []).map((host) => [host, { reason: 'does not answer' }]);

/** A rollback goes from what is installed now; the record of an upgrade that is not complete has what that one began with. */
const withInstalled = (t: Tally, { components }: StateNow): Tally => {
  const from = new Map(t.from);
  for (const { host, component, installed } of components)
    from.set(host, { ...from.get(host), [component]: installed });
  return { ...t, from };
};

const pointOf = (play: Pick<PlayTally, 'within' | 'name' | 'pointOfNoReturn'>): PointOfNoReturn => ({
  phase: phaseOf(play),
  text: play.pointOfNoReturn ?? '',
});

const startOf = ({ path }: PlayTally, shortest: Timeline, longest: Timeline): Range => ({
  minMs: shortest.plays.get(path) ?? 0,
  maxMs: longest.plays.get(path) ?? 0,
});

/** Those in whose plays the run began a change, each once: as the report of the run says it. */
function passedIn(past: readonly Recorded[]): readonly PointOfNoReturn[] {
  const begun = past.flatMap(({ event }) => (event.e === 'intent' ? [event.task.step] : []));
  const all = past.flatMap(({ event }) =>
    event.e === 'play-started' &&
    event.pointOfNoReturn !== undefined &&
    begun.some((step) => step.startsWith(`${event.play}/`))
      ? [[event.pointOfNoReturn, { ...pointOf(event), passed: true as const }] as const]
      : [],
  );
  return [...new Map(all).values()];
}

/** One that is asked once is no matter of the host on which its step runs. */
const questionsOf = (lines: readonly Line[]): readonly TextOnHosts[] => {
  const asked = (some: readonly Line[]): readonly TextOnHosts[] =>
    groupTexts(some.map((line) => [line, line.change?.summary ?? line.name]));
  return [
    ...asked(lines.filter(({ once }) => once !== true)),
    ...asked(lines.filter(({ once }) => once === true)).map((decision) => ({ ...decision, hosts: [] })),
  ];
};

const isChange = (line: Line): boolean => (line.is === 'change' || line.is === 'undecided') && !isQuestion(line);
const isFailure = ({ is }: Line): boolean => is === 'failed' || is === 'blocked' || is === 'unreachable';

function howMeasured(lines: readonly Line[], times: StepTimes): PlanSummary['measured'] {
  const measured = lines.filter((line) => times.get(stepOf(line.step))?.measured === true).length;
  return measured === 0 ? 'none' : measured === lines.length ? 'all' : 'some';
}
