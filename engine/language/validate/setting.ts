import type { Inventory } from '../../terms/inventory.js';
import type { JsonObject } from '../../terms/json.js';
import type { Platform, Play } from '../../terms/playbook.js';
import type { Selectable } from './selectors.js';
import type { Vocabulary } from './vocabulary.js';

/** What a playbook is checked against; undefined parts could not be read, or are not needed. */
export interface Setting {
  readonly platform?: Platform;
  readonly inventory?: Inventory;
  /** `-e`. */
  readonly extraVars: JsonObject;
  readonly groups?: readonly string[];
  readonly vocabulary: Vocabulary;
  /** Is there a step with this `id` in another playbook, which imports this one? */
  readonly hasStepElsewhere: (id: string) => boolean;
}

export interface PlaySetting extends Setting {
  /** Grows as steps are passed. */
  readonly registered: Set<string>;
  readonly ids: ReadonlySet<string>;
  /** Of steps with a loop. */
  readonly looping: ReadonlySet<string>;
}

export interface StepSetting extends PlaySetting {
  readonly play: Play;
  readonly there: Selectable;
  /** The inventory has no host for this play: what it says of endpoints and secrets is not missed. */
  readonly absent: boolean;
}
