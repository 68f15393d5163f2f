import type { Json } from '../../terms/json.js';
import type { Path } from '../yaml/node.js';
import type { Source } from '../yaml/source.js';

/** A value of a file that is checked, and where it is written. */
export interface Tree {
  readonly source: Source;
  readonly path: Path;
  readonly json: Json | undefined;
  /** `step "Stop the database": `, before each message. */
  readonly about: string;
}
