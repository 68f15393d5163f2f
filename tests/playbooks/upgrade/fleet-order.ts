/** The first message to the controller of a fleet test. */
export interface FleetOrder {
  readonly folder: string;
  readonly playbook: string;
  readonly inventory: string;
  readonly resume: boolean;
  readonly nowMs: number;
}

/** The clock after it was turned. */
export interface ControllerTold {
  readonly nowMs: number;
}

/** What it says at its end. Bytes are the most that it ever held (resident). */
export interface ControllerSaid {
  readonly end: string;
  readonly view: string;
  readonly peakBytes: number;
}
