import type { JsonObject } from '../terms/json.js';
import type { Play, Step } from '../terms/playbook.js';
import type { Subject } from '../terms/subject.js';

/** Where a template stands: the play, the step and the host at hand, and names that only hold here (`item`). */
export interface Position {
  readonly play?: Play;
  readonly step?: Step;
  readonly host?: string;
  readonly local?: JsonObject;
  /** The play at hand where a named check is evaluated, which has none of its variables: for `next` alone. */
  readonly within?: Play;
}

/** Where what stands here acts: on the host at hand, or on the controller. */
export const subjectOf = ({ host }: Position): Subject => (host === undefined ? { controller: true } : { host });
