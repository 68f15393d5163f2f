import { groupBy } from '../../lib/group-by.js';
import type { Assessment } from '../../terms/assessment.js';
import type { Change } from '../../terms/change.js';
import { predictedOn } from './predicted.js';
import { linesOf, type Tally } from '../tally.js';

/** A package that a plan installs in another version. */
export interface Version {
  readonly package: string;
  readonly from: string | null;
  readonly to: string;
  readonly hosts: readonly string[];
}

/** Every release of the platform that was found at the start. */
export function releasesOf({ from, started }: Tally): readonly string[] {
  const found = [...from.values()].flatMap((versions) =>
    Object.entries(versions).flatMap(([component, version]) =>
      version === null || started?.ownReleases?.includes(component) === true ? [] : [version.replace(/-[^-]*$/, '')],
    ),
  );
  return [...new Set(found)].sort();
}

/** Packages that the plan installs in another version. */
export function versionsOf(t: Tally, { components }: Assessment): readonly Version[] {
  const componentOf = new Map(components.map((c) => [c.package ?? '', c.name]));
  const all = linesOf(t).flatMap(({ change, is }) =>
    (is === 'change' && change !== undefined && installs(change) ? predictedOn(change, 'package') : []).flatMap(
      ({ host, name, value }) => {
        const component = componentOf.get(name);
        const to = value['installed'];
        if (component === undefined || typeof to !== 'string') return [];
        const from = t.from.get(host)?.[component] ?? null;
        return to === from ? [] : [{ package: name, from, to, host }];
      },
    ),
  );
  return groupBy(all, (one) => JSON.stringify([one.package, one.from, one.to])).map((group) => {
    const [{ package: name, from, to }] = group;
    return { package: name, from, to, hosts: [...new Set(group.map(({ host }) => host))] };
  });
}

/** It reads what is installed before it acts; the end of a lock predicts a version, too: the one that is there. */
const installs = ({ marks = {} }: Change): boolean => Object.values(marks).some(({ fact }) => fact === 'package');

/** What an endpoint is asked to upgrade, item by item: what the items are called, and the change in one line. */
export interface ItemUpgrade {
  readonly title: string;
  readonly text: string;
}

/** Changes of items that a component of the platform has at an endpoint: `1190 hosts → 4.14.7 in 4 batches (5, 100, 500, …)`. */
export const itemUpgradesOf = (t: Tally, { components }: Assessment): readonly ItemUpgrade[] =>
  components.flatMap(({ items, title = '' }) =>
    linesOf(t).flatMap(({ is, change }) =>
      items !== undefined && is === 'change' && change?.predicts.some(({ ref }) => ref.fact === items) === true
        ? [{ title, text: change.summary }]
        : [],
    ),
  );
