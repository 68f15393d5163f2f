import type { AssessedBackOut } from './assessment.js';
import type { Range } from './step-time.js';

/** One component of one host, as the host itself answers now. */
export interface ComponentNow {
  readonly host: string;
  readonly component: string;
  /** Its package and its service. */
  readonly name: string;
  readonly unit: string;
  /** Of the installed package; null where none is installed. */
  readonly installed: string | null;
  /** dpkg's abbreviation: whether the package is whole. */
  readonly status: string;
  /** ActiveState of its service; undefined where it cannot be asked. */
  readonly active: string | undefined;
}

/** What is possible from there. */
export interface Outlook {
  /**
   * How long what is left of the run takes: counted by a plan of it, as its page says; where that is not ready, which has no estimate then,
   * as the run's own plan said of it. Absent where no plan of it was kept.
   */
  readonly left?: Range & { readonly counted: boolean };
  /** The run is a rollback. */
  readonly isRollback?: true;
  /** The stage that is reached; absent where the platform shows none. */
  readonly backOut?: AssessedBackOut;
  /** All stages, and when they were assessed: for the report. */
  readonly assessed?: { readonly atMs: number; readonly stages: readonly AssessedBackOut[] };
  /** The maintenance window, while it is open. */
  readonly window?: {
    readonly closesMs: number;
    readonly zone: string;
    readonly nowMs: number;
    /** What a resume leaves free for a rollback after it. */
    readonly rollbackMs: number;
  };
}

/** What runs where. */
export interface StateNow {
  readonly components: readonly ComponentNow[];
  /** Hosts that did not answer. */
  readonly away: readonly string[];
  /** The platform's own words about its state (`status` of platform.yaml); undefined where it does not answer. */
  readonly status: string | undefined;
  /** What waiting means, in its words too (`wait`). */
  readonly wait: readonly string[];
  /** Of an unfinished run. */
  readonly outlook?: Outlook;
}
