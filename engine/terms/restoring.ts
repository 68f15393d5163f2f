import type { StepPath } from './task.js';

/** When a temporary change is restored: at the end of the run, and on a failure unless it would do harm. */
export interface Restoring {
  /** Since one of these steps began a failure does not restore it; of those that it names, the ones that the playbook has. */
  readonly noRestoreAfter?: readonly { readonly step: StepPath; readonly name: string }[];
  /** One of these steps, settled well on the same host, has restored it. */
  readonly restoredBy?: readonly StepPath[];
  /** A host that cannot be reached does not keep the run open for it. */
  readonly bestEffort?: true;
}
