import type { Inventory } from '../../terms/inventory.js';
import { zoneNames } from '../../language/inventory/zone-names.js';
import { zoneProblems, zonesOf } from '../team/zones.js';
import type { Part } from './access.js';

const NOTHING: Part = { problems: [], warnings: [], groups: [] };
const CHECK = 'Zones have workers of this version';

/** Zones without a worker, and workers of another version; nothing where the inventory has no zone. */
export async function zonesPart(inventory: Inventory): Promise<Part> {
  const zones = await zonesOf(inventory);
  // Said before: without connections to its zones no command begins.
  if (zones === undefined || typeof zones === 'number') return NOTHING;
  try {
    const found = await zoneProblems(inventory, zones);
    const passed = zoneNames(inventory).filter((name) => !found.some(({ zone }) => zone === name));
    return {
      ...NOTHING,
      problems: found.map(({ zone, found: text, fix }) => ({
        check: CHECK,
        hosts: [],
        text: `zone ${zone}: ${text}`,
        evidence: [],
        fix,
      })),
      groups: passed.length === 0 ? [] : [{ name: 'Zones', passed, hosts: [] }],
    };
  } finally {
    await zones.close();
  }
}
