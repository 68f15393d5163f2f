import { groupBy } from '../../lib/group-by.js';
import type { AssessedBackOut } from '../../terms/assessment.js';
import type { Recorded } from '../../terms/event.js';
import type { StateNow } from '../../terms/state-now.js';
import { defined } from '../../lib/defined.js';
import { foldAll } from '../../journal/fold.js';
import { platformState } from './platform-state.js';
import { hintText } from '../../terms/hint.js';
import { taskKey } from '../../terms/task.js';
import { baselineRows, type Baselines } from '../checks/baseline.js';
import { diagnosisOf } from '../checks/diagnosis-view.js';
import { countsOf } from '../counts.js';
import { firstFailure } from '../end/failure-view.js';
import { nextRows, type Ways } from '../end/next-commands.js';
import { packagesPut } from '../plan/packages-put.js';
import type { PlanComparison } from '../plan/plan-outcome.js';
import { releasesOf } from '../plan/plan-versions.js';
import { linesOf, tally, type Line, type Tally } from '../tally.js';
import { groupTexts, type TextOnHosts } from '../text-on-hosts.js';
import { tookOf } from '../end/took.js';
import { untouched } from '../plan/untouched.js';
import { warningsOf } from '../warnings.js';
import { differencesOf, type PlannedRun } from './differences.js';
import type {
  BackOut,
  Cause,
  Decision,
  Document,
  DocumentState,
  DoneVersion,
  Failures,
  Impact,
  Next,
  Section,
  Service,
  Summary,
  TimelineOf,
} from './document.js';
import { measuredPhases, measuredServices, outagesIn, type MeasuredService } from './measured.js';
import { originOf } from './origin.js';
import { changesOf, checksOf, roundsOf } from './outcomes.js';
import { lostIn } from '../lost-hosts.js';
import { outcomeOf } from '../run-outcome.js';
import { joined, measuredRows } from './rows.js';
import { temporaryOf } from './temporary.js';
import { phaseOf } from '../timeline.js';

/** How to go back from where a run ended. */
export interface KeptBackOut {
  readonly atMs: number;
  readonly stages: readonly AssessedBackOut[];
}

/** What is known of a run beside its events. */
export interface RunContext {
  readonly run: string;
  /** Its process is alive. */
  readonly isRunning: boolean;
  /** Why the events end where they do, where the journal is damaged. */
  readonly damage?: string;
  readonly rollsBack?: string;
  readonly rolledBackBy?: readonly string[];
  /** The plan file that it applied. */
  readonly approved?: string;
  /** The plan that it began with, and what the run did otherwise; absent where none was kept. */
  readonly planned?: PlannedRun;
  readonly comparison?: PlanComparison;
  /** How to go back, as the platform was when it ended. */
  readonly backOut?: KeptBackOut;
  readonly baselines?: Baselines;
  /** The platform after the failure that ended the run. */
  readonly now?: StateNow;
  /** What can be typed after it. */
  readonly ways: Ways;
  /** What was found on the hosts that failed. */
  readonly causes?: readonly Recorded[];
}

/** A run as a document for the change ticket: one that ended, was interrupted, or is under way. */
export function runDocument(events: readonly Recorded[], context: RunContext): Document {
  const t = tally(events);
  const { planned, run, approved } = context;
  const services = measuredServices(events, planned?.components ?? []);
  const plan = planned?.document.sections ?? [];
  const rounds = roundsOf(events);
  const sections: readonly Section[] = [
    summaryOf(t, events, context),
    { ...failuresOf(t, events, context.causes ?? []), causes: foundCauses(context.causes ?? []) },
    ...(context.now === undefined
      ? []
      : [{ ...platformState(events, context.now, 'run'), asOfMs: events.at(-1)?.atMs ?? 0 }]),
    nextOf(events, t, context),
    impactOf(services, plan),
    timelineOf(events, services, plan, t),
    { is: 'outages', outages: outagesIn(services, events[0]?.atMs ?? 0) },
    backOutOf(events, plan, t, context.backOut),
    { is: 'versions', versions: versionsOf(events, t), itemUpgrades: [] },
    baselineSection(context.baselines),
    differencesOf(t, context.comparison),
    { is: 'decisions', decisions: decisionsOf(events, t) },
    {
      is: 'warnings',
      warnings: warningsOf(events).map(({ event: { text, hint, spec }, hosts }) => ({
        text,
        hosts,
        ...(hint === undefined ? {} : { hint: hintText(hint) }),
        ...(spec === undefined ? {} : { spec }),
      })),
    },
    { is: 'temporary', changes: temporaryOf(t, events, 'run') },
    { is: 'changes', plays: changesOf(t, rounds) },
    { is: 'checks', plays: checksOf(t) },
    originOf(events, { run, ...(approved === undefined ? {} : { approved }) }),
  ];
  return {
    format: 'runbook-document',
    version: 1,
    of: 'run',
    title: t.started?.playbook ?? run,
    state: stateOf(t, context),
    sections,
  };
}

function stateOf({ started, ended }: Tally, { isRunning, damage }: RunContext): DocumentState {
  if (ended !== undefined) return outcomeOf(ended);
  if (isRunning && damage === undefined) return 'running';
  return started === undefined ? 'not-started' : 'cut';
}

function summaryOf(
  t: Tally,
  events: readonly Recorded[],
  { damage, rollsBack, rolledBackBy, planned }: RunContext,
): Summary {
  const { started, ended } = t;
  const { estimate, rehearsal } = summaryIn(planned) ?? {};
  return {
    is: 'summary',
    from: releasesOf(t),
    ...(started?.target === undefined ? {} : { target: started.target }),
    hosts: started?.hosts ?? 0,
    ...(started?.model === undefined ? {} : { model: started.model }),
    atMs: events[0]?.atMs ?? 0,
    endMs: events.at(-1)?.atMs ?? 0,
    took: tookOf(events),
    ...(ended?.reason === undefined ? {} : { reason: ended.reason }),
    ...(ended?.hint === undefined ? {} : { hint: ended.hint }),
    ...(estimate === undefined ? {} : { estimate }),
    ...(rehearsal === undefined ? {} : { rehearsal }),
    counts: countsOf(t),
    temporary: t.temporary.length,
    notRestored: t.inPlace,
    ...(damage === undefined ? {} : { damage }),
    ...(rollsBack === undefined ? {} : { rollsBack }),
    ...(rolledBackBy === undefined ? {} : { rolledBackBy }),
  };
}

const summaryIn = (planned: PlannedRun | undefined): Summary | undefined =>
  planned?.document.sections.find((section) => section.is === 'summary');

function failuresOf(t: Tally, events: readonly Recorded[], causes: readonly Recorded[]): Failures {
  const lines = linesOf(t);
  const withName = (all: readonly Line[]): readonly TextOnHosts[] =>
    groupTexts(all.map((line) => [line, `${line.name}: ${line.because}`]));
  return {
    is: 'failures',
    ...(t.ended === undefined || t.ended.as === 'done' ? {} : defined({ first: firstFailure(t, events, causes) })),
    ...defined({ stop: t.ended?.stop }),
    failures: withName(
      lines.filter(
        ({ is, host }) => is === 'failed' || is === 'blocked' || (is === 'unreachable' && !t.lost.has(host)),
      ),
    ),
    lost: lostIn(t.lost),
    notStarted: t.ended === undefined ? [] : untouched(t, t.ended),
    notFinished: withName(lines.filter(({ is }) => is === 'begun')),
  };
}

/** As the last screen of the run says it. */
function nextOf(events: readonly Recorded[], t: Tally, { ways, now, isRunning, damage }: RunContext): Next {
  const state = foldAll(events.map(({ event }) => event));
  const installed = packagesPut(events, t).size > 0;
  const rows =
    damage === undefined ? nextRows(state, ways, { isRunning, installed, ...defined({ outlook: now?.outlook }) }) : [];
  return { is: 'next', where: ways.where, commands: rows.map(([command, what]) => ({ command, what })) };
}

const foundCauses = (causes: readonly Recorded[]): readonly Cause[] =>
  diagnosisOf(causes).conditions.flatMap(({ found, spec }) =>
    found.map(({ found: { text, evidence, remedy }, hosts }) => ({
      text,
      evidence,
      hint: remedy,
      hosts,
      ...(spec === undefined ? {} : { spec }),
    })),
  );

/** Services as they were down, with the estimates of the plan; what the plan had and the run did not come to is left out. */
function impactOf(services: readonly MeasuredService[], plan: readonly Section[]): Impact {
  const planned = plan.find((section) => section.is === 'impact')?.services ?? [];
  return {
    is: 'impact',
    services: services.map(({ spans: _spans, ...service }): Service => {
      const estimate = planned.find(({ title }) => title === service.title)?.estimate;
      return { ...service, ...(estimate === undefined ? {} : { estimate }) };
    }),
  };
}

function timelineOf(
  events: readonly Recorded[],
  services: readonly MeasuredService[],
  plan: readonly Section[],
  t: Tally,
): TimelineOf {
  const planned = plan.find((section) => section.is === 'timeline');
  const startMs = events[0]?.atMs ?? 0;
  return {
    is: 'timeline',
    startMs,
    ...(planned?.estimateMs === undefined ? {} : { estimateMs: planned.estimateMs }),
    measuredMs: (events.at(-1)?.atMs ?? startMs) - startMs,
    rows: joined(planned?.rows ?? [], measuredRows(measuredPhases(events), services)),
    marks: pointsPassed(events, t).map(({ phase, passedMs }) => ({ phase, atMs: passedMs - startMs })),
  };
}

/** As the platform was when the run ended, where that was read; else as it was planned. */
function backOutOf(
  events: readonly Recorded[],
  plan: readonly Section[],
  t: Tally,
  atEnd: RunContext['backOut'],
): BackOut {
  const planned = plan.find((section) => section.is === 'back-out');
  const passed = pointsPassed(events, t);
  const ahead = (planned?.pointsOfNoReturn ?? []).filter(({ text }) => !passed.some((point) => point.text === text));
  return {
    is: 'back-out',
    ...(atEnd === undefined ? {} : { asOfMs: atEnd.atMs }),
    stages: atEnd?.stages ?? planned?.stages ?? [],
    pointsOfNoReturn: [...passed, ...ahead],
  };
}

const pointsPassed = (events: readonly Recorded[], t: Tally) =>
  t.plays.flatMap((play) => {
    const { pointOfNoReturn: text, path } = play;
    const at = events.find(({ event }) => event.e === 'play-started' && event.play === path);
    const isPassed = play.lines.some(({ is }) => is === 'change' || is === 'begun' || is === 'failed');
    return text === undefined || at === undefined || !isPassed
      ? []
      : [{ phase: phaseOf(play), text, passedMs: at.atMs }];
  });

/** Packages that the run installed or began to install, each with its hosts. */
function versionsOf(events: readonly Recorded[], t: Tally): readonly DoneVersion[] {
  const all = [...packagesPut(events, t)].flatMap(([host, put]) =>
    [...put].map(([name, { version: to, from, finished }]) => ({ package: name, from, to, finished, host })),
  );
  return groupBy(all, ({ host: _host, ...rest }) => JSON.stringify(rest)).map((group) => {
    const [{ host: _host, ...rest }] = group;
    return { ...rest, hosts: group.map(({ host }) => host) };
  });
}

/** What the platform did for its users before and after. */
const baselineSection = ({ before, after }: Baselines = {}): Section => ({
  is: 'baseline',
  rows: before === undefined ? [] : baselineRows(after === undefined ? [before] : [before, after]),
});

/** Questions that were answered, and those that a run under way waits for. */
function decisionsOf(events: readonly Recorded[], t: Tally): readonly Decision[] {
  const lines = new Map(linesOf(t).map((line) => [line.key, line]));
  return events.flatMap(({ event }) => {
    if (event.e !== 'answered') return [];
    const line = lines.get(taskKey(event.task));
    return [
      {
        text: event.question,
        answer: event.answer,
        hosts: line === undefined ? [] : [line.host],
        ...(line?.spec === undefined ? {} : { spec: line.spec }),
      },
    ];
  });
}
