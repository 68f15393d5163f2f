import type { JsonObject } from '../../engine/terms/json.js';
import { isPartOf } from './match.js';
import type { Finding, Item } from './items.js';
import { mentionsOf } from './mentions.js';
import { listOf, mapOf, textOf, type Material, type Written } from './project.js';

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
  return items.map((item) => carryOne(item, material, mentions));
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

interface Found {
  readonly carriers: readonly Carrier[];
  readonly of: readonly Written[];
}

/** What a `by` finds: `fact`, `name`, `role` and `invariant` in platform.yaml; else plays and steps that it is a part of. */
function find(by: JsonObject, material: Material, mentions: ReadonlyMap<string, readonly Written[]>): Found {
  const { fact, name, role, invariant, ...rest } = by;
  if (typeof fact === 'string') return named(`fact.${fact}`, { label: `fact ${fact}`, rest }, material, mentions);
  if (typeof name === 'string') return named(name, { label: `name ${name}`, rest }, material, mentions);
  if (typeof role === 'string') {
    if (mapOf(material.platform['roles'])[role] === undefined) return { carriers: [], of: [] };
    const of = material.written.filter((w) => w.kind === 'play' && saysRole(w.json, role));
    return { carriers: [platformCarrier(`role ${role}`)], of };
  }
  if (typeof invariant === 'string') {
    const of = invariantsOf(material).filter((i) => isPartOf({ ...rest, invariant }, i));
    return { carriers: of.map((i) => platformCarrier(`invariant ${nameOf(i)}`)), of: of.map(asWritten) };
  }
  const of = material.written.filter((w) => fits(by, w));
  return { carriers: of.map(carrierOf), of };
}

function named(
  name: string,
  { label, rest }: { label: string; rest: JsonObject },
  { platform }: Material,
  mentions: ReadonlyMap<string, readonly Written[]>,
): Found {
  const [group = '', key = ''] = name.split('.');
  const holder = { fact: platform['facts'], vars: platform['vars'] }[group] ?? mapOf(platform['names'])[group];
  const value = mapOf(holder)[key];
  const { is, ...part } = rest;
  const right =
    is === undefined ? isPartOf(part, mapOf(value)) : value === is || (Array.isArray(is) && isPartOf(is, value));
  const of = mentions.get(name) ?? [];
  // A name that no step leads to is no carrier.
  return value === undefined || !right || of.length === 0
    ? { carriers: [], of: [] }
    : { carriers: [platformCarrier(label)], of };
}

/** A pattern with `play` and no `step` is of plays, any other of steps; `in` names the playbook, `within` a step's play. */
function fits({ in: file, within, ...pattern }: JsonObject, one: Written): boolean {
  if (typeof file === 'string' && !one.file.endsWith(`/${file}.yaml`)) return false;
  if (typeof within === 'string' && one.play !== within) return false;
  const kind = pattern['play'] === undefined ? 'step' : 'play';
  return one.kind === kind && isPartOf(pattern, one.json);
}

const saysRole = (json: JsonObject, role: string): boolean =>
  JSON.stringify(json['hosts'] ?? null).includes(`"role":"${role}"`);
const nameOf = (invariant: JsonObject): string => textOf(invariant['invariant']) ?? '';
const invariantsOf = ({ platform }: Material): readonly JsonObject[] => listOf(platform['invariants']).map(mapOf);
/** An invariant leaves an event only where it had to be waited for, or failed. */
const asWritten = (invariant: JsonObject): Written => ({
  kind: 'play',
  file: 'playbooks/platform.yaml',
  play: nameOf(invariant),
  path: `invariant/${nameOf(invariant)}`,
  spec: undefined,
  own: true,
  json: invariant,
  around: {},
});
const platformCarrier = (label: string): Carrier => ({ file: 'playbooks/platform.yaml', label });
const carrierOf = ({ file, play, step }: Written): Carrier => ({
  file,
  label: step === undefined ? play : `${play} / ${step}`,
});

function unique(carriers: readonly Carrier[]): readonly Carrier[] {
  const seen = new Map(carriers.map((c) => [`${c.file}\n${c.label}`, c]));
  return [...seen.values()];
}
