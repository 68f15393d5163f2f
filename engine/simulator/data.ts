import type { Inventory } from '../terms/inventory.js';
import type { Data } from '../terms/schemas/model/schema.js';

/** Is a host one of those that a key means? */
export const means = (key: string, { name, roles }: { readonly name: string; readonly roles: readonly string[] }) =>
  key === 'all' || key === name || roles.includes(key);

/** What contradicts the inventory or another part of the description, with its place in it. */
export function* contradictions({ packages = {}, ...data }: Data, { hosts, endpoints }: Inventory): Generator<string> {
  const isKnown = (key: string): boolean => hosts.some((host) => means(key, host));
  for (const [key, one] of Object.entries(data.hosts ?? {})) {
    if (!isKnown(key)) yield `.hosts.${key}: the inventory has no such role or host`;
    for (const name of Object.keys(one.packages ?? {}))
      if (packages[name] === undefined) yield `.hosts.${key}.packages.${name}: describe it under "packages"`;
  }
  for (const [i, { endpoint, each }] of (data.answers ?? []).entries()) {
    if (endpoints[endpoint] === undefined) yield `.answers[${i}]: the inventory has no endpoint "${endpoint}"`;
    if (each !== undefined && !isKnown(each)) yield `.answers[${i}].each: the inventory has no such role or host`;
  }
}
