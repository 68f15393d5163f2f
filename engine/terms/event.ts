import type { Outcome } from './action.js';
import type { Change, Touch, Wanted } from './change.js';
import type { FactRef } from './fact.js';
import type { Hint } from './hint.js';
import type { Json } from './json.js';
import type { Restoring } from './restoring.js';
import type { Subject } from './subject.js';
import type { StepPath, TaskId } from './task.js';

export type Verb = 'plan' | 'apply' | 'resume' | 'close' | 'diagnose';

/** How a run ended. */
/** A condition that holds, and the values that it read. */
export interface Due {
  readonly of: 'play' | 'block' | 'step';
  readonly because: string;
}

export type RunEnd = 'done' | 'failed' | 'refused' | 'unreachable' | 'interrupted' | 'closed';

/** What made a run stop before it was through. */
export type Stop =
  /** Ctrl-C, a signal, `runbook stop`. */
  | { readonly by: 'operator' }
  /** No yes came where a pause was wanted. */
  | { readonly by: 'pause' }
  /** The maintenance window closed. */
  | { readonly by: 'window'; readonly closesMs: number; readonly zone: string }
  /** What is left from this play on, and a rollback, do not fit into the window. */
  | {
      readonly by: 'no room';
      readonly play: string;
      readonly pointOfNoReturn: string;
      readonly closesMs: number;
      readonly zone: string;
      readonly takesMs: number;
      readonly rollbackMs: number;
    };

/** Where a run pauses: before a play, by its whole name, or after a host. */
export type PausedAt = { readonly before: string } | { readonly after: string };

/** What the operator says became of an act whose outcome is not known. */
export type Was = 'done' | 'not done';

/** How a task ended. */
export type Settled = 'done' | 'ok' | 'failed' | 'blocked' | 'unreachable';

/** Who begins a part of a run, and why. */
export interface Audit {
  /** Who on which machine: `ops@bastion`; and the version of the engine. */
  readonly by?: string;
  readonly version?: string;
  /** Who became that user by sudo. */
  readonly sudoUser?: string;
  /** The address from which that user is signed in over ssh. */
  readonly client?: string;
  /** `--reason` and `--ticket`. */
  readonly reason?: string;
  readonly ticket?: string;
  /** Requirements that this part of the run waived, for its `reason`. */
  readonly waived?: readonly string[];
  /** One person waived them alone, where the inventory asks for approvals, and fewer persons than it asks for have approved that since. */
  readonly awaitsApproval?: true;
  /** How many persons the inventory asked for then. */
  readonly approvalsNeeded?: number;
  /** Who approved that since. The journal has none of it: the store has, because approvals are given whatever became of the run. */
  readonly waiverApprovals?: readonly { readonly by: string; readonly atMs: number }[];
  /** Where the inventory asks for approvals: who approved the plan, on which machine. */
  readonly approvedBy?: readonly string[];
}

/** Everything that the engine knows leaves it as one of these; the terminal, the log, the ticket and a resume read the same. */
export type Event =
  | (Audit & {
      readonly e: 'run-started';
      readonly run: string;
      readonly verb: Verb;
      readonly playbook: string;
      readonly spec?: string;
      readonly inventory: string;
      readonly hosts: number;
      /** How many of the hosts are of the embedded model; absent: the inventory has no model. */
      readonly model?: number;
      /** Whose workers reach some of the hosts; absent: the inventory has no zone. */
      readonly zones?: readonly string[];
      readonly target?: string;
      /** Components that have releases of their own, not those of the platform. */
      readonly ownReleases?: readonly string[];
      readonly hash: string;
    })
  | (Audit & { readonly e: 'close-started' })
  | { readonly e: 'from'; readonly host: string; readonly versions: Readonly<Record<string, string | null>> }
  | {
      readonly e: 'play-started';
      readonly play: string;
      readonly name: string;
      readonly within: readonly string[];
      readonly spec?: string;
      readonly hosts: readonly string[];
      readonly serial: boolean;
      /** What cannot be taken back from here on. */
      readonly pointOfNoReturn?: string;
      /** A stop lets it complete the hosts at work. */
      readonly safePoint?: true;
      /** Hosts of it that were lost before: it is gone through without them, and for them once they are back. */
      readonly without?: readonly string[];
    }
  | {
      readonly e: 'play-skipped';
      readonly play: string;
      readonly name: string;
      readonly within: readonly string[];
      readonly because: string;
      readonly without?: readonly string[];
    }
  | { readonly e: 'play-ended'; readonly play: string }
  | { readonly e: 'host-chosen'; readonly play: string; readonly host: string }
  | { readonly e: 'host-left'; readonly play: string; readonly host: string }
  | {
      readonly e: 'host-lost';
      readonly host: string;
      /** As the inventory has it. */
      readonly address?: string;
      readonly reason: string;
      readonly hint?: string;
      /** The run can do without it (docs/reference.md, "Hosts that cannot be reached"): it goes on with the others. */
      readonly leftOut?: true;
    }
  /** The condition of a block, asked as its first step began here. */
  | {
      readonly e: 'block';
      readonly block: string;
      readonly on: Subject;
      readonly members: readonly StepPath[];
      readonly is: boolean;
      readonly because: string;
    }
  /** The list of a loop that was read from facts, as its step began here: a resume goes over the same elements. */
  | { readonly e: 'loop-started'; readonly task: TaskId; readonly list: readonly Json[] }
  | { readonly e: 'task-skipped'; readonly task: TaskId; readonly name: string; readonly because: string }
  /** A decision. In a plan `change` is what would be done; in an apply an intent follows. */
  | {
      readonly e: 'checked';
      readonly task: TaskId;
      readonly name: string;
      readonly spec?: string;
      readonly verdict: 'ok' | 'change' | 'waiting' | 'blocked';
      readonly because: string;
      readonly hint?: Hint;
      readonly change?: Change;
      /** Why the conditions of its play, of the blocks around it and of its own hold, with the values they read; only where that was asked for. */
      readonly due?: readonly Due[];
      /** On this host for all of its play. */
      readonly once?: true;
      readonly value?: Json;
    }
  /** Known after apply. */
  | {
      readonly e: 'undecided';
      readonly task: TaskId;
      readonly name: string;
      readonly spec?: string;
      readonly because: string;
      readonly dependsOn: readonly StepPath[];
      readonly touches: readonly Touch[];
      /** It cannot be read now, and no step of the plan is the reason: the run would stop here, or go on without this host (`continues`). */
      readonly unread?: 'stops' | 'continues';
      /** Whether units are active afterwards. */
      readonly leavesActive?: Readonly<Record<string, boolean>>;
    }
  | {
      readonly e: 'temporary-made';
      readonly task: TaskId;
      readonly name: string;
      readonly restoredBy: Wanted;
      readonly restoring: Restoring;
      /** What must hold until it is restored. */
      readonly made?: Wanted;
      readonly was?: string;
    }
  | {
      readonly e: 'intent';
      readonly task: TaskId;
      readonly name: string;
      readonly spec?: string;
      readonly attempt: number;
      readonly change: Change;
      readonly marks: Readonly<Record<string, Json>>;
    }
  | {
      readonly e: 'effect';
      readonly task: TaskId;
      readonly attempt: number;
      readonly index: number;
      readonly outcome: Outcome;
      /** It met its `expect` and was judged done. */ readonly met: boolean;
      readonly reason?: string;
    }
  | {
      readonly e: 'observed';
      readonly task: TaskId;
      readonly differs: readonly { readonly ref: FactRef; readonly predicted: Json; readonly observed: Json }[];
    }
  | {
      /** What one item came to: said once. */
      readonly e: 'item';
      readonly task: TaskId;
      readonly item: string;
      readonly is: 'done' | 'failed' | 'left';
      readonly reason?: string;
      readonly batch?: string;
      readonly value?: Json;
    }
  | {
      /** Items that are under way, or due again, all at once: by their names, with what is kept of each. */
      readonly e: 'items';
      readonly task: TaskId;
      readonly is: 'due' | 'asked' | 'pending';
      readonly sinceMs: number;
      readonly reason?: string;
      readonly items: Readonly<Record<string, Json>>;
    }
  | {
      readonly e: 'settled';
      readonly task: TaskId;
      readonly name: string;
      readonly spec?: string;
      readonly as: Settled;
      readonly changed: boolean;
      readonly reason?: string;
      readonly hint?: Hint;
      /** The operator is asked whether its act was done; once its own command has ended it, it is asked no more. */
      readonly unsure?: true;
      readonly value?: Json;
      readonly tookMs: number;
    }
  /** About to be restored. `again`: the run has not ended, so a resume makes the change again, and decides again what depends on it. */
  | { readonly e: 'temporary-restoring'; readonly task: TaskId; readonly again: boolean }
  /** A temporary change that is not restored yet was reverted outside the run: a resume makes it again, and repeats what depends on it. */
  | { readonly e: 'temporary-reverted'; readonly task: TaskId; readonly because: string }
  | { readonly e: 'temporary-restored'; readonly task: TaskId; readonly by: 'step' | 'end' | 'close' }
  | {
      readonly e: 'waiting';
      readonly task?: TaskId;
      readonly host?: string;
      readonly for: string;
      readonly forMs: number;
      readonly limitMs: number;
    }
  | {
      readonly e: 'warned';
      readonly task?: TaskId;
      readonly text: string;
      readonly spec?: string;
      readonly hint?: Hint;
    }
  /** A step with a `remedy` found something that is not as wanted. Evidence is masked; it may have several lines. */
  | {
      readonly e: 'found';
      readonly task: TaskId;
      /** Of its step and play. */
      readonly tags?: readonly string[];
      readonly name: string;
      readonly spec?: string;
      readonly text: string;
      readonly evidence: readonly string[];
      readonly remedy: string;
    }
  | {
      readonly e: 'answered';
      readonly task: TaskId;
      readonly question: string;
      readonly answer: string;
      /** The question was what became of the task's last act. */
      readonly was?: Was;
    }
  /** Another machine of the team took the run over (`--take-over`); who had it can record nothing after this. */
  | { readonly e: 'taken-over'; readonly by: string; /** The token of its lock. */ readonly from: string }
  /**
   * The journal is older than hosts (`resume --from-hosts`): it lacks the records that their markers name. Steps that can be read from the
   * hosts are; whether the others of these were done is not known.
   */
  | {
      readonly e: 'journal-older';
      readonly markers: readonly { readonly host: string; readonly record: number; readonly sum: string }[];
      readonly steps: readonly StepPath[];
    }
  /** The operator wanted a pause here, and is asked whether the run goes on; the next event says what came of it. */
  | ({ readonly e: 'paused' } & PausedAt)
  | {
      readonly e: 'run-ended';
      readonly as: RunEnd;
      readonly reason?: string;
      /** Of an interrupted run. */
      readonly stop?: Stop;
      readonly hint?: string;
      readonly untouched: readonly string[];
      /** The hosts of each of these, as far as they are known without asking. */
      readonly untouchedOn?: Readonly<Record<string, readonly string[]>>;
      /** Every play was gone through, if not with every host. */
      readonly throughout?: true;
      /** An error of this program itself was met: of a plan, something in it could not be judged. */
      readonly defect?: true;
      readonly notRestored: readonly NotRestored[];
      /** Of a run that is over: hosts that did not answer, where its marker stays. */
      readonly markersOn?: readonly string[];
      readonly tookMs: number;
    };

export interface NotRestored {
  readonly task: TaskId;
  readonly name: string;
  readonly restoring: Restoring;
}

/** An event with its number in the journal and its time (milliseconds since the epoch). */
export interface Recorded {
  readonly seq: number;
  readonly atMs: number;
  readonly event: Event;
}
