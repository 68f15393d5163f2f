import type { JsonObject } from '../../engine/terms/json.js';
import { titleOf } from '../../engine/language/playbook/named-checks.js';
import { isPartOf } from './match.js';
import type { Carrier } from './carriers.js';
import { listOf, mapOf, textOf, type Material, type Written } from './project.js';

/** What a `by` finds: what carries, and whose events prove it. */
export interface Found {
  readonly carriers: readonly Carrier[];
  readonly of: readonly Written[];
}

/** What a `by` finds: `fact`, `name`, `role`, `invariant` and `requirement` in platform.yaml; else plays and steps that it is a part of. */
export function find(by: JsonObject, material: Material, mentions: ReadonlyMap<string, readonly Written[]>): Found {
  const { fact, name, role, invariant, requirement, ...rest } = by;
  if (typeof fact === 'string') return named(`fact.${fact}`, { label: `fact ${fact}`, rest }, material, mentions);
  if (typeof name === 'string') return named(name, { label: `name ${name}`, rest }, material, mentions);
  if (typeof role === 'string') {
    if (!isPartOf(rest, mapOf(material.platform['roles'])[role])) return { carriers: [], of: [] };
    const of = material.written.filter((w) => w.kind === 'play' && saysRole(w.json, role));
    return { carriers: [platformCarrier(`role ${role}`)], of };
  }
  if (typeof invariant === 'string') {
    const of = invariantsOf(material).filter((i) => isPartOf({ ...rest, invariant }, i));
    return { carriers: of.map((i) => platformCarrier(`invariant ${nameOf(i)}`)), of: of.map(asWritten) };
  }
  if (typeof requirement === 'string') return required(requirement, material);
  const of = material.written.filter((w) => fits(by, w));
  return { carriers: of.map(carrierOf), of };
}

/** A named check that components or plays require: a step of any play. */
function required(name: string, { platform, written }: Material): Found {
  const check = mapOf(platform['checks'])[name];
  const lists = [...Object.values(mapOf(platform['requires'])), ...written.map(({ json }) => json['requires'])];
  if (check === undefined || !lists.some((names) => listOf(names).includes(name))) return { carriers: [], of: [] };
  const json = mapOf(check);
  const step = titleOf({ description: textOf(json['description']) ?? '' }, 'check');
  const paths = written.flatMap((w) => (w.kind === 'play' ? w.paths.map((p) => `${p}/${step}`) : []));
  const of = {
    ...{ kind: 'step' as const, file: 'playbooks/platform.yaml', play: '', step, paths, module: 'check' },
    ...{ spec: textOf(json['spec']), own: true, json, around: {} },
  };
  return { carriers: [platformCarrier(`requirement ${name}`)], of: [of] };
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
  if (typeof file === 'string' && one.file !== `playbooks/${file}.yaml`) return false;
  if (typeof within === 'string' && one.play !== within) return false;
  const kind = pattern['play'] === undefined ? 'step' : 'play';
  return one.kind === kind && isPartOf(pattern, one.json);
}

const saysRole = (json: JsonObject, role: string): boolean => [json['hosts']].flat().includes(role);
export const nameOf = (invariant: JsonObject): string => textOf(invariant['invariant']) ?? '';
export const invariantsOf = ({ platform }: Material): readonly JsonObject[] =>
  listOf(platform['invariants']).map(mapOf);
/** An invariant leaves an event only where it had to be waited for, or failed. */
export const asWritten = (invariant: JsonObject): Written => ({
  kind: 'play',
  file: 'playbooks/platform.yaml',
  play: nameOf(invariant),
  paths: [`invariant/${nameOf(invariant)}`],
  spec: undefined,
  own: true,
  json: invariant,
  around: {},
});
export const platformCarrier = (label: string): Carrier => ({ file: 'playbooks/platform.yaml', label });
export const carrierOf = ({ file, play, step }: Written): Carrier => ({
  file,
  label: step === undefined ? play : `${play} / ${step}`,
});
