import type { Inventory } from '../terms/inventory.js';
import type { JsonObject } from '../terms/json.js';
import type { Platform, Playbook } from '../terms/playbook.js';

/** The whole input of a run: the playbook with its imports, the platform beside it, the inventory, and `-e`. */
export interface Project {
  readonly playbook: Playbook;
  readonly platform: Platform;
  readonly inventory: Inventory;
  /** `-e`: above all other vars. */
  readonly extraVars: JsonObject;
}
