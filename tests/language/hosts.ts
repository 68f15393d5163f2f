import type { Host } from '../../engine/terms/inventory.js';

/** A host of an inventory, with nothing but what a selector looks at. */
export const host = (name: string, roles: readonly string[], groups: readonly string[] = []): Host => ({
  name,
  address: '127.0.0.1',
  roles,
  groups,
  vars: {},
  machine: 'model',
  ssh: {},
});
