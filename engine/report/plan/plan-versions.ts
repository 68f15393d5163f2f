import { groupBy } from '../../lib/group-by.js';
import type { Assessment } from '../../terms/assessment.js';
import { predictedOn } from './predicted.js';
import { linesOf, type Tally } from '../tally.js';

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
  const componentOf = new Map(components.map((c) => [c.package ?? '', c.name]));
  const all = linesOf(t).flatMap(({ change, is }) =>
    (is === 'change' && change !== undefined ? predictedOn(change, 'package') : []).flatMap(({ host, name, value }) => {
      const component = componentOf.get(name);
      const to = value['installed'];
      if (component === undefined || typeof to !== 'string') return [];
      const from = t.from.get(host)?.[component] ?? null;
      return to === from ? [] : [{ package: name, from, to, host }];
    }),
  );
  return groupBy(all, (one) => JSON.stringify([one.package, one.from, one.to])).map((group) => {
    const [{ package: name, from, to }] = group;
    return { package: name, from, to, hosts: [...new Set(group.map(({ host }) => host))] };
  });
}

/** Upgrades that the management API is asked for: `1190 agents → 4.14.7 in 4 waves (5, 100, 500, …); left as they are: …`. */
export const agentUpgradesOf = (t: Tally): readonly string[] =>
  linesOf(t).flatMap(({ is, change }) =>
    is === 'change' && change?.predicts.some(({ ref }) => ref.fact === 'agents') === true ? [change.summary] : [],
  );
