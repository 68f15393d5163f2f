import { ANY, commonType, typeBelow, type NameType } from '../../expressions/types.js';
import type { Inventory } from '../../terms/inventory.js';
import type { Json, JsonObject } from '../../terms/json.js';
import type { Platform, Play, Step } from '../../terms/playbook.js';
import { typeOfFact } from './fact-types.js';
import { registeredTypes } from './result-types.js';
import { typeOfValue } from './value-types.js';
import { typeOfVariable } from './variable-types.js';

/** What declares names. */
export interface TypeSources {
  readonly platform: Platform;
  readonly inventory: Inventory;
  readonly extraVars: JsonObject;
  readonly plays: readonly Play[];
}

/** Where a name is read: variables and parameters differ from play to play. */
export interface TypePlace {
  readonly play?: Play;
  readonly step?: Step;
}

/**
 * The declared types of a project's names, for `validate` and for the run, which reads values by them. A type is found when it is first asked for:
 * a run asks for those few that its expressions name.
 */
export class DeclaredTypes {
  readonly #found = new Map<string, NameType>();
  /** Names being followed: one that is defined by itself has no type. */
  readonly #following = new Set<string>();
  readonly #places = new WeakMap<object, DeclaredTypes>();
  readonly #outer: DeclaredTypes;

  constructor(
    readonly sources: TypeSources,
    readonly place: TypePlace = {},
    outer?: DeclaredTypes,
  ) {
    this.#outer = outer ?? this;
  }

  /** The types at a play or a step of it. */
  at({ play, step }: TypePlace): DeclaredTypes {
    const key = step !== undefined && Object.keys(step.vars).length > 0 ? step : play;
    if (key === undefined) return this.#outer;
    const before = this.#outer.#places.get(key);
    if (before !== undefined) return before;
    const place = { ...(play === undefined ? {} : { play }), ...(step === undefined ? {} : { step }) };
    const made = new DeclaredTypes(this.sources, place, this.#outer);
    this.#outer.#places.set(key, made);
    return made;
  }

  /** The type of what a path leads to; `dyn` where it is not known, or there is no such name. */
  typeOf([root = '', name = '', ...rest]: readonly string[]): NameType {
    if (name === '') return ANY;
    const key = `${root}.${name}`;
    const before = this.#found.get(key);
    if (before !== undefined) return typeBelow(before, rest);
    if (this.#following.has(key)) return ANY;
    this.#following.add(key);
    const type = this.#declared(root, name);
    this.#following.delete(key);
    this.#found.set(key, type);
    return typeBelow(type, rest);
  }

  /** The names of variables here. */
  variables(): readonly string[] {
    const { platform, extraVars } = this.sources;
    const { play, step } = this.place;
    const layers = [platform.vars, play?.vars ?? {}, step?.vars ?? {}, extraVars];
    return [...new Set([...layers.flatMap(Object.keys), ...this.#outer.#written().keys()])];
  }

  #declared(root: string, name: string): NameType {
    const { platform, inventory, plays } = this.sources;
    const valueType = (value: Json | undefined): NameType =>
      value === undefined ? ANY : typeOfValue(value, (path) => this.typeOf(path));
    switch (root) {
      case 'vars':
        return this.#variable(name, valueType);
      case 'fact':
        return platform.facts[name] === undefined ? ANY : typeOfFact(platform.facts[name]);
      case 'platform':
        return name === 'target' ? 'Version' : valueType(own(inventory.platform, name));
      case 'registered':
        return registeredTypes(plays, name, (play, step) => (path) => this.at({ play, step }).typeOf(path));
      default:
        if (Object.hasOwn(BY_ROOT, root)) return BY_ROOT[root]?.(name) ?? ANY;
        return valueType(own(inventory.names[root] ?? {}, name) ?? own(platform.names[root] ?? {}, name));
    }
  }

  /** What is written for a name whose value stands in a file: several values where hosts differ. */
  valuesOf(root: string, name: string): readonly Json[] {
    const { platform, inventory } = this.sources;
    if (root === 'vars') return this.#valuesOfVariable(name);
    const value =
      root === 'platform'
        ? own(inventory.platform, name)
        : (own(inventory.names[root] ?? {}, name) ?? own(platform.names[root] ?? {}, name));
    return value === undefined ? [] : [value];
  }

  #variable(name: string, valueType: (value: Json) => NameType): NameType {
    const declared = typeOfVariable(this.sources.platform, name);
    if (declared !== undefined) return VARIABLE_TYPES[String(declared)] ?? 'string';
    const [first = ANY, ...others] = this.#valuesOfVariable(name).map(valueType);
    return others.reduce(commonType, first);
  }

  #valuesOfVariable(name: string): readonly Json[] {
    const { platform, extraVars } = this.sources;
    const { play, step } = this.place;
    for (const layer of [extraVars, step?.vars ?? {}, play?.vars ?? {}]) {
      const value = own(layer, name);
      if (value !== undefined) return [value];
    }
    // Which of these holds is known for each host only.
    const fallback = own(platform.vars, name);
    return [...(this.#outer.#written().get(name) ?? []), ...(fallback === undefined ? [] : [fallback])];
  }

  #writtenBefore: ReadonlyMap<string, ReadonlySet<Json>> | undefined;

  /** The values that variables have in the inventory: a host's own hold those of its groups and of all. */
  #written(): ReadonlyMap<string, ReadonlySet<Json>> {
    if (this.#writtenBefore !== undefined) return this.#writtenBefore;
    const { vars, hosts } = this.sources.inventory;
    const found = new Map<string, Set<Json>>();
    for (const layer of [vars, ...hosts.map((host) => host.vars)])
      for (const [name, value] of Object.entries(layer))
        found.set(name, (found.get(name) ?? new Set<Json>()).add(value));
    this.#writtenBefore = found;
    return found;
  }
}

const own = (layer: JsonObject, name: string): Json | undefined =>
  Object.hasOwn(layer, name) ? layer[name] : undefined;

const VARIABLE_TYPES: Readonly<Record<string, string>> = {
  duration: 'Duration',
  size: 'Size',
  version: 'Version',
  count: 'Count',
  path: 'string',
  address: 'string',
  boolean: 'bool',
  number: 'int',
};

/** Roots whose names the platform or the inventory gives. Names of templates that expressions do not have stand here, too. */
const BY_ROOT: Readonly<Record<string, (name: string) => NameType>> = {
  installed: () => 'Version',
  next: () => 'Version',
  previous: () => 'Version',
  needs_restart: () => 'bool',
  staged: () => 'list<string>',
  all_hosts: () => 'list<string>',
  secret: () => 'Secret',
  run: () => 'string',
  host: (name) => (name === 'roles' || name === 'groups' ? 'list<string>' : name === 'vars' ? ANY : 'string'),
  endpoint: () => ({ urls: 'list<string>', user: ANY, password: 'Secret' }),
  item: () => ANY,
};
