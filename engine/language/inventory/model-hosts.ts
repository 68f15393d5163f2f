import type { Inventory } from '../../terms/inventory.js';

/** How many of the hosts are of the model; absent where the inventory has none. */
export const modelHosts = (
  { model, hosts: all }: Pick<Inventory, 'model' | 'hosts'>,
  hosts: Inventory['hosts'] = all,
): { readonly model?: number } =>
  model === undefined ? {} : { model: hosts.filter(({ machine }) => machine === 'model').length };
