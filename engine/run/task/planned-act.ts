import type { Touch } from '../../terms/change.js';
import type { Subject } from '../../terms/subject.js';
import type { StepPath } from '../../terms/task.js';

/** What a step of a plan would do, or may do, where it acts. */
export interface PlannedAct {
  readonly play: string | undefined;
  readonly step: StepPath;
  readonly name: string;
  readonly on: Subject;
  readonly touches: readonly Touch[];
  /** It runs a command. */
  readonly runs: boolean;
  /** Units that it stops. */
  readonly stops: readonly string[];
}
