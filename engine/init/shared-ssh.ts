import type { DraftHost, Ssh } from './draft.js';

/** SSH settings where they belong: of all hosts, of a group, of a host. */
export interface SharedSsh {
  readonly all: Ssh;
  readonly groups: ReadonlyMap<string, Ssh>;
  readonly hosts: ReadonlyMap<string, Ssh>;
}

/** Each setting is written once, where all hosts of the inventory or of a group have it alike. */
export function shareSsh(hosts: readonly DraftHost[]): SharedSsh {
  const all = common(hosts.map(({ ssh }) => ssh));
  const groups = new Map<string, Ssh>();
  const settled = new Map(hosts.map(({ name }) => [name, all]));
  for (const group of new Set(hosts.flatMap((host) => host.groups))) {
    const members = hosts.filter((host) => host.groups.includes(group));
    const own = without(common(members.map(({ ssh }) => ssh)), all);
    // Only what no group before has settled: a later group would override an earlier one.
    const fresh = Object.fromEntries(
      Object.entries(own).filter(([key]) => members.every(({ name }) => !(key in (settled.get(name) ?? {})))),
    );
    groups.set(group, fresh);
    for (const { name } of members) settled.set(name, { ...settled.get(name), ...fresh });
  }
  return { all, groups, hosts: new Map(hosts.map(({ name, ssh }) => [name, without(ssh, settled.get(name) ?? {})])) };
}

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

function common([first = {}, ...more]: readonly Ssh[]): Ssh {
  return Object.fromEntries(
    Object.entries(first).filter(([key, value]) => more.every((other) => same(other[key], value))),
  );
}

const without = (ssh: Ssh, settled: Ssh): Ssh =>
  Object.fromEntries(Object.entries(ssh).filter(([key, value]) => !same(settled[key], value)));
