import { nearest } from '../../lib/nearest.js';
import type { TypePlace } from '../types/declared-types.js';
import type { ExpressionTypes } from '../types/expression-types.js';
import { suggest } from '../mistakes.js';

/** The names that templates may mention in one place. A scope that is undefined cannot be judged: its file could not be read. */
export interface Vocabulary {
  /** `from`, `vars`, `secret`, a group of names …: the names after the first dot, or undefined when any may stand there. */
  readonly scopes: ReadonlyMap<string, ReadonlySet<string> | undefined>;
  /** Where to write a name that is missing, by scope. */
  readonly remedies: ReadonlyMap<string, string>;
  /** Names that stand for nothing here although they are declared, and why: `fact.health` → its endpoint is missing. */
  readonly barren: ReadonlyMap<string, string>;
  /** What expressions are checked against; absent where platform or inventory could not be read. */
  readonly types?: ExpressionTypes;
}

export interface NameMistake {
  readonly message: string;
  readonly hint?: string;
}

/** What is wrong with a dotted name, or undefined when the name is defined. */
export function judgeName(name: string, { scopes, remedies, barren }: Vocabulary): NameMistake | undefined {
  const [head = '', next] = name.split('.');
  const why = barren.get(`${head}.${next ?? ''}`);
  if (why !== undefined) return { message: `{{${name}}} ${why}` };
  if (!scopes.has(head)) {
    const elsewhere = placeOf(head);
    if (elsewhere !== '') return { message: `{{${name}}} is undefined here: ${elsewhere}` };
    const meant = formerName(name) ?? wholeName(name, scopes);
    const hint = suggest(meant, [...scopes.keys()], 'a name begins with one of', scopes.size);
    return withHint(`{{${name}}} is undefined: there is no scope "${head}"`, hint);
  }
  const names = scopes.get(head);
  if (names === undefined || next === undefined || names.has(next)) return undefined;
  const near = nearest(next, names);
  return withHint(
    `{{${name}}} is undefined: ${nothingIn(head, next)}`,
    near === undefined
      ? (remedies.get(head) ?? suggest(undefined, [...names], `${head} has`))
      : `did you mean "${head}.${near}"?`,
  );
}

/** Scopes that hold in some places only. */
const places: Readonly<Record<string, string>> = {
  item: '"item" is the element of a step with `loop`',
  n: '"n" is the number of a range, inside that host of the inventory',
};

/** Where such a name holds; empty for every other name. */
export const placeOf = (name: string): string => (Object.hasOwn(places, name) ? (places[name] ?? '') : '');

/** Scopes that had another name. */
const FORMER: Readonly<Record<string, string>> = { from: 'previous', role: 'all_hosts' };

function formerName(name: string): string | undefined {
  const [head = '', ...rest] = name.split('.');
  return Object.hasOwn(FORMER, head) ? [FORMER[head], ...rest].join('.') : undefined;
}

/** The name that an operator meant whose scope there is not: the scope misspelt, or left out; undefined when nothing is near. */
function wholeName(name: string, scopes: Vocabulary['scopes']): string | undefined {
  const [head = '', next, ...rest] = name.split('.');
  const near = nearest(head, scopes.keys());
  if (near === undefined) {
    const owner = [...scopes].find(([, names]) => names?.has(head) === true)?.[0];
    return owner === undefined ? undefined : `${owner}.${name}`;
  }
  const names = scopes.get(near);
  if (next === undefined || names === undefined || names.has(next))
    return [near, ...name.split('.').slice(1)].join('.');
  const other = nearest(next, names);
  return other === undefined ? `${near}.…` : [near, other, ...rest].join('.');
}

export const nothingIn = (head: string, next: string): string => {
  const noun = {
    vars: 'variable',
    secret: 'secret',
    fact: 'fact',
    all_hosts: 'role or group',
    previous: 'component',
    installed: 'component',
    next: 'component',
    needs_restart: 'component',
    staged: 'component',
    endpoint: 'endpoint',
  }[head];
  if (head === 'registered') return `no step before this one registers "${next}"`;
  return noun === undefined ? `${head} has no "${next}"` : `there is no ${noun} "${next}"`;
};

const withHint = (message: string, hint: string | undefined): NameMistake => ({
  message,
  ...(hint === undefined ? {} : { hint }),
});

/** The same vocabulary with more scopes, or others in the place of some; at a play or step, with the types there. */
export const widen = (
  vocabulary: Vocabulary,
  more: Readonly<Record<string, ReadonlySet<string> | undefined>>,
  place?: TypePlace,
): Vocabulary => ({
  ...vocabulary,
  scopes: new Map([...vocabulary.scopes, ...Object.entries(more)]),
  ...(place === undefined || vocabulary.types === undefined ? {} : { types: vocabulary.types.at(place) }),
});
