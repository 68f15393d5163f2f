import { getOrCreate } from '../lib/get-or-create.js';
import type { Assessment } from '../terms/assessment.js';
import { isObject } from '../terms/json.js';
import { linesOf, type Tally } from './tally.js';

/** A package that a plan installs in another version. */
export interface Version {
  readonly package: string;
  readonly from: string | null;
  readonly to: string;
  readonly hosts: readonly string[];
}

/** Every release found at the start. The shipper has a release line of its own. */
export function releasesOf({ from }: Tally): readonly string[] {
  const found = [...from.values()].flatMap((versions) =>
    Object.entries(versions).flatMap(([component, version]) =>
      version === null || component === 'shipper' ? [] : [version.replace(/-[^-]*$/, '')],
    ),
  );
  return [...new Set(found)].sort();
}

/** Packages that the plan installs in another version. */
export function versionsOf(t: Tally, { components }: Assessment): readonly Version[] {
  const groups = new Map<string, { readonly version: Omit<Version, 'hosts'>; readonly hosts: string[] }>();
  const nameOf = new Map(components.map((c) => [c.package ?? '', c.name]));
  for (const { change, is } of linesOf(t)) {
    for (const p of is === 'change' ? (change?.predicts ?? []) : []) {
      if (p.ref.fact !== 'package' || !('host' in p.ref.of) || !('value' in p) || !isObject(p.value)) continue;
      const to = p.value['installed'];
      const from = t.from.get(p.ref.of.host)?.[nameOf.get(p.ref.key) ?? ''] ?? null;
      if (typeof to !== 'string' || to === from || !nameOf.has(p.ref.key)) continue;
      const version = { package: p.ref.key, from, to };
      getOrCreate(groups, JSON.stringify(version), () => ({ version, hosts: [] as string[] })).hosts.push(
        p.ref.of.host,
      );
    }
  }
  return [...groups.values()].map(({ version, hosts }) => ({ ...version, hosts: [...new Set(hosts)] }));
}

/** Upgrades that the management API is asked for: `1190 agents → 4.14.7 in 4 waves (5, 100, 500, …); left as they are: …`. */
export const agentUpgradesOf = (t: Tally): readonly string[] =>
  linesOf(t).flatMap(({ is, change }) =>
    is === 'change' && change?.predicts.some(({ ref }) => ref.fact === 'agents') === true ? [change.summary] : [],
  );
