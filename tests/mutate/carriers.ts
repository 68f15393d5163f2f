import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { stringify } from 'yaml';
import { carry } from '../specification/carriers.js';
import { readItems } from '../specification/items.js';
import { readMaterial } from '../specification/project.js';
import type { Mutant } from './mutants.js';
import type { Judged } from './pool.js';
import { root } from './shipped.js';

/** For each need of an item, the mutants that remove what carries it: a step, or a play. */
export interface ItemMutants {
  readonly key: string;
  readonly needs: readonly (readonly number[])[];
}

/** Of many steps that carry one item so many are removed. */
const TRIED = 3;

/** Items of the specification that steps or plays carry. */
export function itemMutants(mutants: readonly Mutant[]): readonly ItemMutants[] {
  const numbers = new Map(mutants.map(({ id }, nth) => [id, nth]));
  const { sections } = readItems(path.join(root, 'docs/specification.items.yaml'));
  const carried = carry(
    sections.flatMap(({ items }) => items),
    readMaterial(root),
  );
  return carried.flatMap(({ item, needs }) => {
    // A fact, a name or a role is no step: that one uses it asserts nothing of it.
    const removed = needs
      .filter(({ what }) => !/^\{"(fact|name|role|invariant)"/.test(what))
      .map(({ of }) =>
        of.slice(0, TRIED).flatMap(({ file, play, step }) => {
          const id = `${file.replace(/^playbooks\//, '')}: ${[play, ...(step === undefined ? [] : [step])].join(' > ')}: removed`;
          return numbers.get(id) ?? [];
        }),
      );
    return removed.length === 0 || removed.some((of) => of.length === 0) ? [] : [{ key: item.key, needs: removed }];
  });
}

/** The scenarios that turn red without what carries an item, by its key: of each need one. An item of which a need's removal is missed has none. */
export function assertedBy(
  items: readonly ItemMutants[],
  judged: readonly Judged[],
): Readonly<Record<string, readonly string[]>> {
  const killers = new Map(
    judged.flatMap(({ nth, verdict }) => (verdict.is === 'killed' ? [[nth, verdict.by] as const] : [])),
  );
  return Object.fromEntries(
    items.flatMap(({ key, needs }) => {
      const found = needs.map((of) => of.map((nth) => killers.get(nth)).find((by) => by !== undefined));
      return found.includes(undefined) ? [] : [[key, [...new Set(found.filter((by) => by !== undefined))].sort()]];
    }),
  );
}

const HEAD =
  '# Made by `npm run mutate -- --carriers`: scenarios that turn red when a step that carries an item is removed.\n';

export const writeAsserted = (asserted: Readonly<Record<string, readonly string[]>>): void =>
  writeFileSync(path.join(root, 'docs/specification.asserted.yaml'), HEAD + stringify(asserted, { lineWidth: 0 }));
