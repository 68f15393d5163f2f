import { asWritten, carrierOf, find, invariantsOf, nameOf, platformCarrier } from './find.js';
import { filesOf } from './imports.js';
import type { Finding, Item } from './items.js';
import { mentionsOf } from './mentions.js';
import type { Material, Written } from './project.js';

/** Asserts what no playbook is accepted without. */
export const VALIDATE = '`runbook validate`: a playbook without it is refused';

/** What carries an item, as the page shows it. */
export interface Carrier {
  /** Below the project's root. */
  readonly file: string;
  /** "Upgrade each node / Stop the indexer", "fact health"; nothing for a source file. */
  readonly label: string;
}

/** A need of an item that tests must have seen met: an event of any of these. */
export interface Need {
  readonly what: string;
  readonly of: readonly Written[];
}

export interface Carried {
  readonly item: Item;
  readonly carriers: readonly Carrier[];
  readonly needs: readonly Need[];
  readonly findings: readonly Finding[];
}

/** What carries each item: by its key in `spec:` and in docstrings, and by what its `by` finds. */
export function carry(items: readonly Item[], material: Material): readonly Carried[] {
  const mentions = mentionsOf(material);
  return items.map((item) => carryOne(item, partOf(item, material), mentions));
}

/** Where an item belongs to a procedure, what another playbook does is no carrier of it. */
function partOf({ procedure }: Item, material: Material): Material {
  if (procedure === undefined) return material;
  const files = filesOf(`playbooks/${procedure}.yaml`, material.imports);
  return { ...material, written: material.written.filter(({ file }) => files.has(file)) };
}

function carryOne(item: Item, material: Material, mentions: ReadonlyMap<string, readonly Written[]>): Carried {
  const labelled = material.written.filter((w) => w.own && w.spec === item.key);
  const invariants = invariantsOf(material).filter((i) => i['spec'] === item.key);
  const sources = material.docstrings.filter(({ keys }) => keys.includes(item.key));
  const matched = item.by.map((by) => ({ by, ...find(by, material, mentions) }));
  const carriers = [
    ...labelled.map(carrierOf),
    ...invariants.map((i) => platformCarrier(`invariant ${nameOf(i)}`)),
    ...matched.flatMap((m) => m.carriers),
    ...sources.map(({ file }): Carrier => ({ file, label: '' })),
  ];
  const findings = matched
    .filter((m) => m.carriers.length === 0)
    .map((m) => ({ at: item.key, says: `nothing is there any more that matches ${JSON.stringify(m.by)}` }));
  const excused = item.reason !== undefined || item.later !== undefined;
  if (carriers.length === 0 && !excused)
    findings.push({ at: item.key, says: 'has no carrier, and no reason why it has none' });
  // A step says more than the play around it; a play of which no step says anything stands for its steps.
  const steps = labelled.filter((w) => w.kind === 'step');
  const plays = material.written.filter((w) => labelled.some((l) => l.file === w.file && l.play === w.play));
  const own = [...(steps.length > 0 ? steps : plays.filter((w) => w.spec === item.key)), ...invariants.map(asWritten)];
  const needs = [
    ...(own.length === 0 ? [] : [{ what: `spec "${item.key}"`, of: own }]),
    ...matched.map((m) => ({ what: JSON.stringify(m.by), of: m.of })),
  ];
  return { item, carriers: unique(carriers), needs, findings };
}

function unique(carriers: readonly Carrier[]): readonly Carrier[] {
  const seen = new Map(carriers.map((c) => [`${c.file}\n${c.label}`, c]));
  return [...seen.values()];
}
