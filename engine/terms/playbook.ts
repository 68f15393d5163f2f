import type { Condition } from './condition.js';
import type { Hint } from './hint.js';
import type { Json, JsonObject } from './json.js';
import type { DowntimeOf, PermissionOf, WaitEntry } from './schemas/platform/effects.js';
import type { FactEntry } from './schemas/platform/fact.js';
import type { FileFormat } from './schemas/platform/fact-sources.js';
import type { Lease } from './schemas/platform/roles.js';
import type { DeclaredType } from './schemas/platform/variables.js';
import type { Rollback } from './schemas/platform/versions.js';
import type { StepPath } from './task.js';

/** Where a thing is written, for messages. */
export interface Position {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** A number of hosts, or a share of them as `"25%"`. */
export type Serial = number | string;

/** A temporary change: restored when the run ends, or as soon as it fails. */
export interface Temporary {
  /** The `id`s of steps: once one of them has begun, a failure does not restore the change, because it would do harm. */
  readonly noRestoreAfter?: string;
  /** The `id` of the step that restores it in the course of the run. */
  readonly restoredBy?: string;
  /** The state that is restored. */
  readonly module: string;
  readonly args: Json;
}

/**
 * What a step with a remedy reports beside its finding; templates in all its texts. A text, the last lines of one (those that match), or
 * what differs between two.
 */
export type Evidence =
  | string
  | { readonly title?: string; readonly of: string; readonly lines?: string; readonly last?: number }
  | { readonly title?: string; readonly differs: readonly [was: string, is: string] };

/** Steps under one condition: asked once on each host, when its first step begins there. */
export interface Block {
  /** "upgrade/database/Upgrade each node/Replace the package" */
  readonly path: string;
  readonly name: string;
  readonly when?: Condition;
  readonly at: Position;
}

export interface Step {
  readonly path: StepPath;
  readonly name: string;
  /** By which other steps name it; unique in the playbook and its imports. */
  readonly id?: string;
  /** The blocks around it, from the outside in. */
  readonly blocks: readonly Block[];
  readonly module: string;
  /** Templates at its leaves. */
  readonly args: Json;
  readonly when?: Condition;
  /** A list, or a template of one: the step is done for each element, which is `item`. */
  readonly loop?: Json;
  /** The name of the check that it evaluates, where `check` or `wait_for` names one. */
  readonly check?: string;
  readonly register?: string;
  readonly tags: readonly string[];
  readonly vars: JsonObject;
  readonly timeoutMs?: number;
  readonly retries?: number;
  readonly runOnce: boolean;
  /** A requirement: no option leaves it out, and a resume asks again. */
  readonly required?: true;
  /** Its failure is a warning, and the run continues. A `check` has this in its arguments. */
  readonly failureWarns?: true;
  /** It is decided and not performed: a later step does it, and must be possible. */
  readonly dryRun?: boolean;
  /** The step only reads. What is not as wanted is a finding: it is reported with this text and the evidence, and stops nothing. */
  readonly remedy?: string;
  readonly evidence?: readonly Evidence[];
  readonly temporary?: Temporary;
  readonly spec?: string;
  readonly at: Position;
}

/**
 * The hosts of a play: `controller` (its steps run on no host), or words, as `--limit` takes them: `all`, a role, a group, a host, a glob
 * of hosts; `!word` takes away, `&word` keeps what is also that.
 */
export type Hosts = 'controller' | readonly string[];

export interface Play {
  /** "upgrade/database/Upgrade each node" */
  readonly path: string;
  readonly name: string;
  readonly hosts: Hosts;
  /** Facts of the platform: the hosts that they name come last, those of the last fact at the very end. Read again before each host. */
  readonly last?: readonly string[];
  /** Only the first of them. */
  readonly runOnce?: true;
  readonly serial?: readonly Serial[];
  /** Asked once, before the play. */
  readonly when?: Condition;
  /** `stop`: after a failed host no further batch or play begins. `continue`: it drops out, the rest go on, the run ends failed. */
  readonly onHostFailure: 'stop' | 'continue';
  /** What cannot be taken back once the play has begun. */
  readonly pointOfNoReturn?: string;
  /** A stop lets it complete the hosts at work; else it stops after the current step. */
  readonly safePoint?: true;
  readonly vars: JsonObject;
  readonly tags: readonly string[];
  /** The steps that install another version, by component: what `next.COMPONENT` is on its hosts. */
  readonly leadsTo?: Readonly<Record<string, Step>>;
  readonly spec?: string;
  /** Names of the imported playbooks from the outside in, for headings: ["Database"]. */
  readonly within: readonly string[];
  readonly steps: readonly Step[];
  readonly at: Position;
}

/** A playbook with its imports taken in: plays in order. */
export interface Playbook {
  readonly name: string;
  readonly file: string;
  readonly spec?: string;
  readonly plays: readonly Play[];
  /** How to go back from each stage of a run. */
  readonly backOut?: readonly BackOutStage[];
  /** Every file that went in, with its text: what a run keeps as its own copy. */
  readonly files: readonly { readonly file: string; readonly text: string }[];
}

/** playbooks/platform.yaml: what the engine knows about the platform. */
export interface Platform {
  readonly name: string;
  /** Groups of names (`database.package`), templates allowed; an inventory's `platform.names` overrides. */
  readonly names: Readonly<Record<string, JsonObject>>;
  readonly roles: Readonly<
    Record<
      string,
      {
        readonly description: string;
        readonly min?: number;
        readonly max?: number;
        readonly requires?: string;
        /** A host of this role has at least one of these, too. */
        readonly withOneOf?: readonly string[];
        /** No play may take several of its hosts away at once. */
        readonly oneAtATime?: true;
        /** No component is a package there. */
        readonly noPackages?: true;
      }
    >
  >;
  /** Facts read over HTTP or on the host at hand: `{{fact.NAME}}`. */
  readonly facts: Readonly<Record<string, PlatformFact>>;
  readonly invariants: readonly Invariant[];
  /** Conditions with a name, which every expression may use: they mean the same in every playbook. */
  readonly checks: Readonly<Record<string, NamedCheck>>;
  readonly vars: JsonObject;
  /** What variables may hold where their defaults do not say it: a kind of text, or all values. */
  readonly types: Readonly<Record<string, DeclaredType>>;
  /** Components whose package versions are recorded at the start as `previous.NAME`: a group of names with `package`. */
  readonly components: readonly string[];
  /** Named checks that must hold before a play installs another version, by component. */
  readonly requires: Readonly<Record<string, readonly string[]>>;
  /** The state of the platform as a whole, in a few words with facts: shown after a failure. */
  readonly status?: string;
  /** What waiting means now: shown where the condition holds. */
  readonly wait?: readonly WaitEntry[];
  /** What users of endpoints must be allowed to do. */
  readonly permissions?: readonly PermissionOf[];
  /** Services whose downtime a plan states, in this order. */
  readonly downtime?: readonly DowntimeOf[];
  /** How long a step takes where no earlier run measured it, milliseconds, by module. */
  readonly durations?: Readonly<Record<string, number>>;
  /** A version of the platform, such as `4.14.7`: all have as many numbers. */
  readonly versionExample?: string;
  /** Components whose versions must be the same on all hosts, and the sections that say so and that stop at one that failed. */
  readonly sameVersion?: { readonly components: readonly string[]; readonly spec: string; readonly failedSpec: string };
  /** The variables that a rollback gets the previous versions in, and the oldest release that one is advised to. */
  readonly rollback?: Rollback;
  /** Hosts of these roles have a file that names the process which works on them: one at a time. */
  readonly lease?: Lease;
}

/** One stage of a run, and how to go back from there. */
export interface BackOutStage {
  readonly stage: string;
  readonly do: string;
  /** Where `do` is a command of this program: whether it is its rollback. Absent: it is done by hand. */
  readonly command?: 'rollback' | 'other';
  readonly takesMs: number;
  /** By a rollback of this inventory; else it is the playbook's default. */
  readonly measured?: true;
  readonly dataLoss: string;
  /** The named check without which no rollback from here is possible. */
  readonly when?: string;
  /** The named check that does not hold any more once the stage is over; absent: it has no end. */
  readonly until?: string;
  /** Named checks that must have been seen to hold. */
  readonly requires: readonly string[];
  /** The fact that lists the snapshots on which it relies. */
  readonly snapshots?: string;
}

/** Which part of a text is the value. No interface, for a fact is also read as JSON. */
export type FactPattern = {
  /** The value is its first group (or the whole match); absent: the whole text. */
  readonly pattern?: string;
  /** All matches as a list, not the first. */
  readonly all?: boolean;
};

/** Where a fact is read: over HTTP, or on the host at hand. Templates in all its texts. */
export type FactSource =
  | ({
      readonly endpoint: string;
      readonly path: string;
      /** A body: it is read by POST, and must change nothing. */
      readonly json?: Json;
      /** Ask the node on the host at hand itself. */
      readonly eachNode?: boolean;
      /** Statuses that say there is nothing, besides 404. */
      readonly absent?: readonly number[];
    } & FactPattern)
  | {
      readonly file: string;
      readonly format: FileFormat;
      /** A regular expression: leaves of JSON or YAML that it matches are left out, for whoever reads the file fills them in. */
      readonly leaveOut?: string;
      /** Of XML: the path of the elements whose texts are the value. */
      readonly elements?: string;
      /** Of XML: what does not count of these elements is the value, where the last of a name counts; of these names all do. */
      readonly overriddenUnless?: readonly string[];
      /** Of a file of package repositories: the address whose enabled entries are the value. */
      readonly url?: string;
    }
  | ({
      /** It alters nothing: it runs in a plan too. */
      readonly command: Json;
      /** What counts as an answer; absent: 0. `value`: the exit status is the value. */
      readonly exit?: readonly number[] | 'value';
    } & FactPattern)
  /** `{ free_bytes, total_bytes }` of the file system that holds this path. */
  | { readonly disk: string };

export type PlatformFact = FactSource & Pick<FactEntry, 'description' | 'pointer' | 'type' | 'default'>;

/** A condition that is written once, or a module that looks in its place. */
export interface NamedCheck {
  readonly that?: Condition;
  readonly looks?: { readonly module: string; readonly args: Json; readonly when?: Condition };
  readonly description: string;
  /** What is reported when it does not hold, and what to do: templates. Absent: the description. */
  readonly message?: string;
  readonly hint?: Hint;
  /** Waiting for it is no use once this holds. */
  readonly failIf?: Condition;
  /** The section of the specification, where it is a requirement; and that it cannot be waived. */
  readonly spec?: string;
  readonly waivable?: false;
}

/** A condition that must hold before each host of a serial play of these roles. */
export interface Invariant {
  readonly name: string;
  readonly roles: readonly string[];
  readonly condition: Condition;
  /** How long it may be false before the run stops, milliseconds. */
  readonly withinMs: number;
  readonly spec?: string;
  readonly at: Position;
}
