import type { Inventory } from '../terms/inventory.js';
import type { Json } from '../terms/json.js';
import type { Platform } from '../terms/playbook.js';
import { namesIn } from './names.js';
import type { LoadedPlaybook } from './playbook-load.js';

/** Dotted names that the templates of a project mention, wherever they stand: `vars.heap`, `platform.target`, `fact.health.status`. */
export function namesReadBy(playbook: LoadedPlaybook, platform: Platform, inventory: Inventory): ReadonlySet<string> {
  const trees: readonly Json[] = [
    ...playbook.plays.map(({ play }) => play as unknown as Json),
    ...playbook.values.map(({ json }) => json),
    platform as unknown as Json,
    inventory.vars,
    inventory.platform,
    inventory.names,
    ...inventory.hosts.map((host) => host.vars),
  ];
  return new Set(trees.flatMap(namesIn));
}

/** What is read of one scope: `heap` of `vars.heap` and `vars.heap.0`. Undefined when the scope is read as a whole. */
export function readOf(scope: string, names: ReadonlySet<string>): ReadonlySet<string> | undefined {
  if (names.has(scope)) return undefined;
  const start = `${scope}.`;
  return new Set(
    [...names].flatMap((name) => (name.startsWith(start) ? [name.slice(start.length).split('.')[0] ?? ''] : [])),
  );
}
