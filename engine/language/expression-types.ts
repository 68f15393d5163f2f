import type { Environment } from '@marcbachmann/cel-js';
import { environmentOf, type Names, type NameType } from '../expressions/environment.js';
import type { Inventory } from '../terms/inventory.js';
import type { Platform, PlatformFact } from '../terms/playbook.js';

/** What expressions of a project are checked against. */
export interface ExpressionTypes {
  readonly names: Names;
  readonly env: Environment;
}

/** The types of a project's names. What is declared without a type is `dyn`: it can be compared with anything, and has no order. */
export function expressionTypes(platform: Platform, inventory: Inventory): ExpressionTypes {
  const of = (type: NameType): Record<string, NameType> =>
    Object.fromEntries(platform.components.map((component) => [component, type]));
  const facts = Object.fromEntries(Object.entries(platform.facts).map(([name, fact]) => [name, typeOfFact(fact)]));
  const components = {
    installed: of('Version'),
    previous: of('Version'),
    needs_restart: of('bool'),
    staged: of('list<string>'),
  };
  const checks = Object.fromEntries(Object.keys(platform.checks).map((name) => [name, 'bool']));
  const own = { name: 'string', address: 'string', roles: 'list<string>', groups: 'list<string>', vars: 'dyn' };
  const roots: Record<string, NameType> = {
    ...Object.fromEntries(Object.keys(platform.names).map((group) => [group, 'dyn'])),
    ...components,
    ...checks,
    host: own,
    fact: facts,
    platform: { ...anyOf(Object.keys(inventory.platform)), target: 'Version' },
    run: { id: 'string' },
    ...anyOf(['vars', 'param', 'registered', 'endpoint', 'result', 'item']),
  };
  const names: Names = {
    roots,
    host: { ...own, ...components, ...checks, fact: facts },
    hostLists: [...new Set([...Object.keys(platform.roles), ...inventory.hosts.flatMap(({ groups }) => groups)])],
  };
  return { names, env: environmentOf(names) };
}

const anyOf = (keys: readonly string[]): Record<string, NameType> =>
  Object.fromEntries(keys.map((key) => [key, 'dyn']));

/** A file, or what a command prints, is text; what stands in an answer or below a pointer is not known before it is read. */
function typeOfFact(fact: PlatformFact): NameType {
  if ('disk' in fact) return { free_bytes: 'int', total_bytes: 'int' };
  if ('command' in fact) return fact.all === true ? 'list<string>' : 'string';
  if ('endpoint' in fact || fact.pointer !== undefined) return 'dyn';
  if (fact.elements !== undefined) return 'list<string>';
  return fact.format === 'text' || fact.format === 'sha256' ? 'string' : 'dyn';
}
