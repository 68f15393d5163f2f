import type { Inventory } from '../../terms/inventory.js';

/** The zones of an inventory's hosts, each once. */
export const zoneNames = ({ hosts }: Pick<Inventory, 'hosts'>): readonly string[] => [
  ...new Set(hosts.flatMap(({ zone }) => (zone === undefined ? [] : [zone]))),
];
