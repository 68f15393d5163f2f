import type { Inventory } from '../../terms/inventory.js';
import { zoneNames } from '../../language/inventory/zone-names.js';
import { zoneProblems } from '../team/zones.js';
import type { OpenedZones } from '../../zones/open-zones.js';
import type { Part } from './access.js';

const NOTHING: Part = { problems: [], warnings: [], groups: [] };
const CHECK = 'Zones have workers of this version';

/** Zones without a worker, and workers of another version; nothing where the inventory has no zone, or its store has a problem. */
export async function zonesPart(inventory: Inventory, zones: OpenedZones | undefined): Promise<Part> {
  if (zones === undefined || zones.away !== undefined) return NOTHING;
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
}
