import type { Range } from './step-time.js';

/** A component whose package versions and downtime a plan states. */
export interface AssessedComponent {
  /** As the platform calls it; its key in `from` events. */
  readonly name: string;
  readonly package?: string;
  readonly unit?: string;
  /** What its users call it, and what its downtime means to them. */
  readonly title?: string;
  readonly note?: string;
  /** The fact of an endpoint that lists what is upgraded there, item by item. */
  readonly items?: string;
}

/** A snapshot that a back-out relies on. */
export interface AssessedSnapshot {
  readonly name: string;
  readonly state: string;
  readonly atMs: number;
}

/** The back-out of one stage of a run. `because` is given where what it requires was not seen. */
export interface AssessedBackOut {
  readonly stage: string;
  readonly do: string;
  readonly command?: 'rollback' | 'other';
  readonly takesMs: number;
  /** By a rollback of this inventory; else it is the playbook's default. */
  readonly measured?: true;
  /** By a plan of it, from where a run stopped: what its page says. */
  readonly counted?: Range;
  readonly dataLoss: string;
  /** The newest that was seen, complete ones first; null: none. Absent where it relies on none. */
  readonly snapshot?: AssessedSnapshot | null;
  readonly because?: string;
  /** Nothing that the run does makes it possible. */
  readonly impossible?: true;
  /** The stage is over. */
  readonly over?: true;
}

/** What the platform's description says of a plan, after the plan was made. */
export interface Assessment {
  readonly components: readonly AssessedComponent[];
  readonly backOut: readonly AssessedBackOut[];
}

export const NOTHING_ASSESSED: Assessment = { components: [], backOut: [] };
