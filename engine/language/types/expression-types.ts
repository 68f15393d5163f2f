import type { Environment } from '@marcbachmann/cel-js';
import { environmentOf, environmentWith, type Names } from '../../expressions/environment.js';
import { ANY, type NameType } from '../../expressions/types.js';
import { DeclaredTypes, type TypePlace, type TypeSources } from './declared-types.js';
import { typeOfVariable } from './variable-types.js';

/**
 * What expressions are checked against where they stand. Variables and parameters differ from play to play, the rest is declared once; and nothing
 * is made of it before an expression is checked there.
 */
export class ExpressionTypes {
  readonly #places = new Map<string, ExpressionTypes>();
  readonly #outer: ExpressionTypes;
  readonly #types: DeclaredTypes;
  #names: Names | undefined;
  #env: Environment | undefined;
  #shared: { readonly names: Names; readonly env: Environment } | undefined;

  constructor(sources: TypeSources, types: DeclaredTypes = new DeclaredTypes(sources), outer?: ExpressionTypes) {
    this.#types = types;
    this.#outer = outer ?? this;
  }

  /** What holds at a play or step. Most have the variables of their playbook, and share one environment. */
  at(place: TypePlace): ExpressionTypes {
    const key = JSON.stringify([place.play?.vars, place.step?.vars]);
    const before = this.#outer.#places.get(key);
    if (before !== undefined) return before;
    const made = new ExpressionTypes(this.#types.sources, this.#types.at(place), this.#outer);
    this.#outer.#places.set(key, made);
    return made;
  }

  get declared(): DeclaredTypes {
    return this.#types;
  }

  get names(): Names {
    const { names } = this.#outer.#everywhere();
    this.#names ??= { ...names, roots: { ...names.roots, ...this.#own() } };
    return this.#names;
  }

  get env(): Environment {
    this.#env ??= environmentWith(this.#outer.#everywhere().env, this.#own());
    return this.#env;
  }

  #own(): Names['roots'] {
    return { vars: below(this.#types, 'vars', this.#types.variables()) };
  }

  #everywhere(): { readonly names: Names; readonly env: Environment } {
    if (this.#shared === undefined) {
      const names = namesOf(this.#types);
      this.#shared = { names, env: environmentOf(names) };
    }
    return this.#shared;
  }
}

const below = (types: DeclaredTypes, root: string, keys: readonly string[]): Record<string, NameType> =>
  Object.fromEntries(keys.map((key) => [key, types.typeOf([root, key])]));

/** The names that are the same in every play. */
function namesOf(types: DeclaredTypes): Names {
  const { platform, inventory, plays } = types.sources;
  const of = (root: string, keys: readonly string[]): Record<string, NameType> => below(types, root, keys);
  const perHost = {
    ...Object.fromEntries(
      ['installed', 'previous', 'needs_restart', 'staged'].map((root) => [root, of(root, platform.components)]),
    ),
    ...Object.fromEntries(
      Object.entries(platform.checks).flatMap(([name, { that }]) => (that === undefined ? [] : [[name, 'bool']])),
    ),
    fact: of('fact', Object.keys(platform.facts)),
  };
  const host = of('host', ['name', 'address', 'roles', 'groups', 'vars']);
  const steps = plays.flatMap((play) => play.steps);
  // `h.vars.X` is read with the variables of the play at hand, which may be of another type.
  const ofPlays = [...plays, ...steps]
    .flatMap(({ vars }) => Object.keys(vars))
    .filter((name) => typeOfVariable(platform, name) === undefined);
  const groups = Object.entries(platform.names).map(([group, names]): [string, NameType] => [
    group,
    of(group, [...Object.keys(names), ...Object.keys(inventory.names[group] ?? {})]),
  ]);
  return {
    roots: {
      ...Object.fromEntries(groups),
      ...perHost,
      // Of the host at hand alone: the play leads others nowhere else.
      next: of('next', platform.components),
      host,
      platform: of('platform', ['target', ...Object.keys(inventory.platform)]),
      registered: of(
        'registered',
        steps.flatMap(({ register }) => (register === undefined ? [] : [register])),
      ),
      item: ANY,
    },
    host: {
      ...host,
      ...perHost,
      vars: { ...of('vars', types.variables()), ...Object.fromEntries(ofPlays.map((name) => [name, ANY])) },
    },
    hostLists: [
      ...new Set(['all', ...Object.keys(platform.roles), ...inventory.hosts.flatMap(({ groups: own }) => own)]),
    ],
    choices: new Map(
      Object.entries(platform.types).flatMap(([name, type]) =>
        typeof type === 'string' ? [] : [[`vars.${name}`, type]],
      ),
    ),
  };
}
