import { Environment } from '@marcbachmann/cel-js';
import { Version } from './value.js';

/** The type of a name: `string`, `int`, `double`, `bool`, `Version`, `dyn`, `list<T>`, or what its keys are. */
export type NameType = string | { readonly [key: string]: NameType };

/** What can be named, by root: `{ installed: { indexer: 'Version' }, fact: { … } }`. */
export interface Names {
  readonly roots: Readonly<Record<string, NameType>>;
  /** What a host has in `hosts.ROLE.all(h, …)`, and the roles and groups that there are. */
  readonly host: Readonly<Record<string, NameType>>;
  readonly hostLists: readonly string[];
}

/** Types are only checked here: nothing is evaluated by the library, so that its handlers are never called. */
const unused = (): never => {
  throw new Error('expressions are evaluated by engine/expressions/evaluate.ts');
};

const ORDER = ['<', '<=', '>', '>='] as const;

/** What `check.ts` checks against: made once for a project. */
export function environmentOf({ roots, host, hostLists }: Names): Environment {
  const env = new Environment({ unlistedVariablesAreDyn: false, homogeneousAggregateLiterals: false });
  env.registerType('Version', { ctor: Version });
  for (const op of ORDER)
    for (const pair of [`Version ${op} Version`, `Version ${op} string`, `string ${op} Version`])
      env.registerOperator(pair, unused);
  for (const pair of ['Version == Version', 'Version == string']) env.registerOperator(pair, unused);
  env.registerFunction('not(bool): bool', unused);
  env.registerFunction('string.like(string): bool', unused);
  env.registerFunction('json_contains(dyn, dyn): bool', unused);
  env.registerFunction('version(string): Version', unused);
  env.registerFunction('string(Version): string', unused);
  env.registerType({ name: 'Host', schema: schemaOf(host) });
  const lists = Object.fromEntries(hostLists.map((name) => [name, 'list<Host>']));
  for (const [root, type] of Object.entries({ ...roots, hosts: lists, all_hosts: lists }))
    if (typeof type === 'string') env.registerVariable(root, type);
    else env.registerVariable(root, { schema: schemaOf(type) });
  return env;
}

type Schema = { [key: string]: string | Schema };

const schemaOf = (type: Readonly<Record<string, NameType>>): Schema =>
  Object.fromEntries(Object.entries(type).map(([key, one]) => [key, typeof one === 'string' ? one : schemaOf(one)]));
