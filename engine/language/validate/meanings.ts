import type { WrittenHost } from '../inventory/hosts.js';
import { spotIn } from '../inventory/layers.js';
import type { Mistakes } from '../mistakes.js';

const HINT = { hint: 'give it another name: a word under `hosts`, or in --limit, would mean the one or the other' };

/** Reports a name of a host, a group and a role that does not mean the same hosts in each: a play would run on others than meant. */
export function checkMeanings(hosts: readonly WrittenHost[], roles: readonly string[], mistakes: Mistakes): void {
  const inRole = hostsBy(hosts, ({ host }) => host.roles);
  const inGroup = hostsBy(hosts, ({ host }) => host.groups);
  const namesOf = (members: readonly WrittenHost[] | undefined): string =>
    (members ?? []).map(({ host }) => host.name).join(', ') || 'no host';
  for (const { host, part } of hosts) {
    const differs = (kind: string, members: readonly WrittenHost[] | undefined): void => {
      const others = namesOf(members);
      if (others !== host.name)
        mistakes.at(
          spotIn(part, [], 'key'),
          `host "${host.name}" has the name of a ${kind}, which has ${others}`,
          HINT,
        );
    };
    if (roles.includes(host.name)) differs('role', inRole.get(host.name));
    const group = inGroup.get(host.name);
    if (group !== undefined) differs('group', group);
  }
  for (const [name, members] of inGroup) {
    const [first] = members;
    if (first === undefined || !roles.includes(name) || namesOf(inRole.get(name)) === namesOf(members)) continue;
    const message = `the group "${name}" has the name of a role, and has other hosts: ${namesOf(members)}`;
    mistakes.at(spotIn(first.part, [], 'key'), message, HINT);
  }
}

/** The hosts below each of their names, collected in one pass: an inventory may have thousands. */
function hostsBy(
  hosts: readonly WrittenHost[],
  namesOf: (host: WrittenHost) => readonly string[],
): ReadonlyMap<string, readonly WrittenHost[]> {
  const by = new Map<string, WrittenHost[]>();
  for (const host of hosts)
    for (const name of new Set(namesOf(host))) {
      const members = by.get(name);
      if (members === undefined) by.set(name, [host]);
      else members.push(host);
    }
  return by;
}
