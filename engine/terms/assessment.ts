/** A component whose package versions and downtime a plan states. */
export interface AssessedComponent {
  /** As the platform calls it; its key in `from` events. */
  readonly name: string;
  readonly package?: string;
  readonly unit?: string;
  /** What its users call it, and what its downtime means to them. */
  readonly title?: string;
  readonly note?: string;
}

/** The back-out of one stage of a run. `because` is given where what it requires was not seen. */
export interface AssessedBackOut {
  readonly stage: string;
  readonly do: string;
  readonly takesMs: number;
  readonly dataLoss: string;
  readonly because?: string;
}

/** What the platform's description says of a plan, after the plan was made. */
export interface Assessment {
  readonly components: readonly AssessedComponent[];
  readonly backOut: readonly AssessedBackOut[];
}

export const NOTHING_ASSESSED: Assessment = { components: [], backOut: [] };
