import type { PlanSummary } from '../../report/plan/plan-summary.js';
import type { Recorded } from '../../terms/event.js';
import type { Unfinished } from '../run/unfinished.js';

/** What a plan came to. */
export interface Planned {
  readonly events: readonly Recorded[];
  readonly code: number;
  /** Nothing refused it; hosts that a run can do without may be unreachable. */
  readonly mayApply: boolean;
  /** What its page says; absent where none was wanted. */
  readonly summary?: PlanSummary;
}

/** An unfinished run whose rest is planned. */
export type Rest = Pick<Unfinished, 'folder' | 'past' | 'hash' | 'copy'>;
