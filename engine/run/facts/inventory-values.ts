import { getOrCreate } from '../../lib/get-or-create.js';
import type { Host } from '../../terms/inventory.js';
import type { Json, JsonObject } from '../../terms/json.js';
import { dig, known, type Found } from './found.js';
import type { Run } from '../run.js';
import type { Position } from '../position.js';

const namedBefore = new WeakMap<readonly Host[], Map<string, readonly string[]>>();

/** The hosts of a role or a group, or all. */
export function hostsNamed({ project: { inventory } }: Run, name: string): readonly string[] {
  const before = getOrCreate(namedBefore, inventory.hosts, () => new Map<string, readonly string[]>());
  return getOrCreate(before, name, () =>
    inventory.hosts
      .filter((host) => name === 'all' || host.roles.includes(name) || host.groups.includes(name))
      .map((host) => host.name),
  );
}

/** What the inventory says of an endpoint: for tools on hosts that need it. The password stays a reference. */
export function endpointValue(run: Run, name: string, path: readonly string[]): Found {
  const endpoint = run.project.inventory.endpoints[name];
  if (endpoint === undefined) return 'missing';
  const { urls, user, password } = endpoint;
  return dig(
    known({ urls: urls.map(({ url }) => url), user: user ?? null, password: (password ?? null) as Json }),
    path,
  );
}

/** Names and values from several places, the most important first. */
export type Layers = readonly (JsonObject | undefined)[];

/** The value of a name in the first layer that has it. */
export function topmost(layers: Layers, name: string): Json | undefined {
  for (const layer of layers) if (layer !== undefined && Object.hasOwn(layer, name)) return layer[name];
  return undefined;
}

export const merged = (layers: Layers): JsonObject => Object.assign({}, ...layers.toReversed()) as JsonObject;

export function varsOf(run: Run, here: Position): Layers {
  const host = here.host === undefined ? undefined : run.hosts.get(here.host);
  const { extraVars, inventory, platform } = run.project;
  return [extraVars, here.step?.vars, here.play?.vars, host?.vars ?? inventory.vars, platform.vars];
}

export function hostValue(run: Run, path: readonly string[], here: Position): Found {
  const host = here.host === undefined ? undefined : run.hosts.get(here.host);
  if (host === undefined) return 'missing';
  return dig(
    known({ name: host.name, address: host.address, roles: host.roles, groups: host.groups, vars: host.vars }),
    path,
  );
}
