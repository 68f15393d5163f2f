import type { AssessedBackOut } from '../../terms/assessment.js';
import type { Change } from '../../terms/change.js';
import type { Json } from '../../terms/json.js';
import type { BaselineRow } from '../checks/baseline.js';
import type { Counts } from '../counts.js';
import type { Part } from '../audit-lines.js';
import type { LostHost } from '../lost-hosts.js';
import type { RunOutcome } from '../run-outcome.js';
import type { ComponentNow } from '../../terms/state-now.js';
import type { Range } from '../../terms/step-time.js';
import type { DoneBefore } from '../plan/done-before.js';
import type { PlanOutcome } from '../plan/plan-outcome.js';
import type { Stop } from '../../terms/event.js';
import type { FirstFailure } from '../end/failure-view.js';
import type { LatestStart } from '../plan/latest-starts.js';
import type { PlanState } from '../plan/plan-state.js';
import type { OpenDecision, OutsideLimit, Phase, PlanSummary, Rehearsal } from '../plan/plan-summary.js';
import type { PlanWindow } from '../plan/plan-window.js';
import type { DownSpan, LongerBackOut } from '../plan/window-lines.js';
import type { Version } from '../plan/plan-versions.js';
import type { Line } from '../tally.js';
import type { Span } from '../timeline.js';
import type { TextOnHosts } from '../text-on-hosts.js';
import type { Took } from '../end/took.js';

/**
 * What a change ticket is given, as one JSON value: codes and data, no sentences of ours. `words.ts` makes the sentences, `markdown.ts`
 * and `html.ts` the texts. Texts in it may come from hosts; they are not escaped here.
 */
export interface Document {
  readonly format: 'runbook-document';
  readonly version: 1;
  readonly of: 'plan' | 'run';
  readonly title: string;
  readonly state: DocumentState;
  /** Of a plan: its state with all numbers. */
  readonly plan?: PlanState;
  readonly sections: readonly Section[];
}

/** Of a plan, of a run that ended, of one under way; `cut`: the controller ended before the run did. */
export type DocumentState = PlanState['is'] | RunOutcome | 'running' | 'cut' | 'not-started';

export type Section =
  | Summary
  | Failures
  | StateOf
  | Impact
  | TimelineOf
  | { readonly is: 'outages'; readonly outages: readonly Outage[] }
  | Phases
  | BackOut
  | Next
  | { readonly is: 'versions'; readonly versions: readonly DoneVersion[]; readonly itemUpgrades: readonly string[] }
  | { readonly is: 'decisions'; readonly decisions: readonly Decision[] }
  | { readonly is: 'warnings'; readonly warnings: readonly TextOnHosts[] }
  | { readonly is: 'approvals'; readonly roles: readonly ('requester' | 'operator' | 'approver')[] }
  | Differences
  | { readonly is: 'baseline'; readonly rows: readonly BaselineRow[] }
  | Closing
  | { readonly is: 'temporary'; readonly changes: readonly TemporaryChange[] }
  | { readonly is: 'changes'; readonly plays: readonly PlayOutcomes[] }
  | { readonly is: 'checks'; readonly plays: readonly PlayOutcomes[] }
  | Origin;

/** Of an unfinished run: what runs and what is down as its plan is made, or as it had stopped. */
export interface StateOf {
  readonly is: 'state';
  /** Of a run: when it had stopped. */
  readonly asOfMs?: number;
  /** Of a run that stopped inside its window. */
  readonly latestStarts?: readonly LatestStart[];
  readonly components: readonly {
    readonly component: string;
    readonly installed: string;
    readonly hosts: readonly string[];
    readonly isDown: boolean;
    /** When the run stopped it, milliseconds since the epoch; absent where it did not. */
    readonly downSinceMs?: number;
  }[];
  /** Hosts that did not answer. */
  readonly away: readonly string[];
  /** The platform's own words, and what waiting means. */
  readonly status?: string;
  readonly wait?: readonly string[];
  /** Of a plan: temporary changes of the run that are in effect. */
  readonly inEffect?: readonly { readonly name: string; readonly hosts: readonly string[] }[];
}

/** What closing a run leaves as it is. */
export interface Closing {
  readonly is: 'closing';
  /** Steps by play; none: all of a play that was not begun. */
  readonly notRun: readonly {
    readonly play: readonly string[];
    readonly hosts: readonly string[];
    readonly steps: readonly string[];
  }[];
  readonly staysStopped: readonly { readonly component: string; readonly hosts: readonly string[] }[];
}

export interface Summary {
  readonly is: 'summary';
  readonly from: readonly string[];
  readonly target?: string;
  readonly hosts: number;
  /** How many of them are of the embedded model. */
  readonly model?: number;
  readonly atMs: number;
  /** Of a run: its last event, and how long it took. */
  readonly endMs?: number;
  readonly took?: Took;
  readonly reason?: string;
  readonly hint?: string;
  readonly estimate?: Range & { readonly measured: PlanSummary['measured'] };
  /** Where the plan succeeded before; null: nowhere that is known. */
  readonly rehearsal?: Rehearsal | null;
  /** Of the rest of a run: that run. */
  readonly restOf?: string;
  /** Of a plan: hosts that `--limit` leaves out, and that are read or locked all the same. Absent where it is not limited. */
  readonly outsideLimit?: OutsideLimit;
  /** Of a plan: in the longest estimate, milliseconds from the start. */
  readonly down?: DownSpan;
  /** Of a plan that a maintenance window binds; back-outs that take longer than the time that it leaves for a rollback. */
  readonly window?: PlanWindow & { readonly notIncluded: readonly LongerBackOut[] };
  readonly counts: Counts;
  readonly temporary: number;
  /** Temporary changes of a run that are not restored. */
  readonly notRestored?: number;
  /** Where the journal cannot be read any further. */
  readonly damage?: string;
  /** The run that this one rolls back, and the one that rolled this one back. */
  readonly rollsBack?: string;
  /** Of the plan of a rollback: which data it may lose. */
  readonly dataLoss?: string;
  readonly rolledBackBy?: readonly string[];
}

export interface Failures {
  readonly is: 'failures';
  readonly failures: readonly TextOnHosts[];
  readonly lost: readonly LostHost[];
  readonly notStarted: readonly string[];
  /** Steps begun by a controller that ended before they did. */
  readonly notFinished: readonly TextOnHosts[];
  /** Of a run: the step that stopped it, and what else did. */
  readonly first?: FirstFailure;
  readonly stop?: Stop;
  /** Of a run: what the checks for known failures found on the hosts that failed. */
  readonly causes?: readonly Cause[];
}

export interface Cause extends TextOnHosts {
  /** What was seen there: a log line, a difference of two files. */
  readonly evidence: readonly string[];
}

/** A service that its users miss while it is down: as planned, as it was, or both. */
export interface Service {
  readonly title: string;
  readonly note?: string;
  readonly is: 'down' | 'in turn' | 'restart';
  readonly hosts: readonly string[];
  readonly estimate?: Range;
  /** On the host where it took longest. */
  readonly measuredMs?: number;
  /** Of a plan: it does not start the service again there. Of a run: down when it ended. */
  readonly staysDown: readonly string[];
  /** Of a plan: where it is down already, and since when the run has stopped it, milliseconds since the epoch. */
  readonly downNow?: readonly ComponentNow[];
  readonly downSinceMs?: number;
  /** Of a plan: from the first stop to the last start, in the longest estimate, milliseconds from the start. */
  readonly span?: Span;
}

export interface Impact {
  readonly is: 'impact';
  readonly services: readonly Service[];
}

/** A service that was down on a host. Milliseconds since the epoch. */
export interface Outage {
  readonly title: string;
  readonly note?: string;
  readonly host: string;
  readonly fromMs: number;
  readonly toMs: number;
  /** It is down at the last event. */
  readonly isOpen: boolean;
}

/** One row of the picture: a phase, or a service on some hosts. From the start of the run. */
export interface Row {
  readonly kind: 'phase' | Service['is'];
  readonly title: string;
  readonly hosts: readonly string[];
  readonly estimate: readonly Span[];
  readonly measured: readonly Span[];
}

export interface TimelineOf {
  readonly is: 'timeline';
  /** Milliseconds since the epoch; absent in a plan. */
  readonly startMs?: number;
  readonly estimateMs?: number;
  readonly measuredMs?: number;
  readonly rows: readonly Row[];
  /** Points of no return, by phase. */
  readonly marks: readonly { readonly atMs: number; readonly phase: string }[];
}

/** Of a run: what to type next, recommended first, with the flags that lead to the run. */
export interface Next {
  readonly is: 'next';
  readonly where: string;
  readonly commands: readonly { readonly command: string; readonly what: string }[];
}

/** Of a plan: what each phase takes, and in which of them a stop completes the hosts at work. */
export interface Phases {
  readonly is: 'phases';
  readonly phases: readonly Pick<Phase, 'name' | 'changes' | 'takes'>[];
  readonly safeStops: readonly string[];
}

export interface BackOut {
  readonly is: 'back-out';
  /** Of a run: when the stages were assessed, at its end. The first that has no `because` is the one that was reached. */
  readonly asOfMs?: number;
  readonly stages: readonly AssessedBackOut[];
  readonly pointsOfNoReturn: readonly {
    readonly phase: string;
    readonly text: string;
    /** Of a plan: how long after the start. */
    readonly startsAfter?: Range;
    /** When the run passed it, milliseconds since the epoch. */
    readonly passedMs?: number;
  }[];
}

/** `finished` is absent in a plan; false: whether it is installed is not known. */
export type DoneVersion = Version & { readonly finished?: boolean };

export interface Decision extends TextOnHosts {
  /** Of a plan. */
  readonly when?: OpenDecision['when'];
  /** In which a run asks. */
  readonly phase?: string;
  readonly answer?: string;
}

export interface Differences {
  readonly is: 'differences';
  /** Absent: the plan of this run was not kept. */
  readonly plannedSteps?: number;
  /** The plan file that was approved. */
  readonly approved?: string;
  /** Steps, each on one host, that differ: with those that were not started. */
  readonly total: number;
  readonly notStarted: number;
  /** What other runs did between the plan and this run, as expected. Absent: nothing. */
  readonly before?: DoneBefore;
  readonly steps: readonly StepDifference[];
  readonly facts: readonly {
    readonly name: string;
    readonly host: string;
    readonly fact: string;
    readonly key: string;
    readonly predicted: Json;
    readonly observed: Json;
  }[];
}

export interface StepDifference extends Omit<PlanOutcome, 'host'> {
  readonly hosts: readonly string[];
  readonly isAllowed?: true;
}

export interface TemporaryChange {
  readonly name: string;
  readonly hosts: readonly string[];
  readonly is: 'planned' | 'restored' | 'not-restored';
  readonly restoredBy?: 'step' | 'end' | 'close';
  /** Once one of these steps has begun, a failure does not restore it. */
  readonly keptAfter: readonly string[];
}

/** What one step came to, once for all hosts on which it came to the same. */
export interface Outcome {
  readonly is: Line['is'];
  readonly name: string;
  readonly spec?: string;
  readonly hosts: readonly string[];
  readonly text: string;
  readonly sign?: Change['sign'];
  readonly diff?: string;
  readonly diffLater?: string;
  readonly hint?: string;
  readonly warnings?: readonly string[];
}

export interface PlayOutcomes {
  readonly name: readonly string[];
  readonly spec?: string;
  readonly hosts: readonly string[];
  readonly serial: boolean;
  readonly skipped?: string;
  readonly pointOfNoReturn?: string;
  readonly outcomes: readonly Outcome[];
}

/** Who made it, from where, with what. */
export interface Origin {
  readonly is: 'origin';
  readonly run?: string;
  /** The plan that was approved and applied. */
  readonly approved?: string;
  readonly inventory: string;
  readonly hash: string;
  readonly sessions: readonly Part[];
}
