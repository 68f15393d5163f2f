import type { Inventory } from '../../terms/inventory.js';
import type { InventoryParts } from './files.js';
import type { WrittenHost } from './hosts.js';

/** An inventory, and where its parts are written. */
export interface LoadedInventory {
  readonly inventory: Inventory;
  readonly parts: InventoryParts;
  readonly hosts: readonly WrittenHost[];
}
