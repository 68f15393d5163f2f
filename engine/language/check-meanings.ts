import type { WrittenHost } from './inventory-hosts.js';
import { spotIn } from './layers.js';
import type { Mistakes } from './mistakes.js';

const HINT = { hint: 'give it another name: a word under `hosts`, or in --limit, would mean the one or the other' };

/** Reports a name of a host, a group and a role that does not mean the same hosts in each: a play would run on others than meant. */
export function checkMeanings(hosts: readonly WrittenHost[], roles: readonly string[], mistakes: Mistakes): void {
  const namesOf = (fits: (host: WrittenHost['host']) => boolean): string =>
    hosts.flatMap(({ host }) => (fits(host) ? [host.name] : [])).join(', ');
  const inRole = (name: string): string => namesOf((host) => host.roles.includes(name));
  const inGroup = (name: string): string => namesOf((host) => host.groups.includes(name));
  for (const { host, part } of hosts) {
    const report = (message: string): void => mistakes.at(spotIn(part, [], 'key'), message, HINT);
    const differs = (kind: string, others: string): void => {
      if (others !== host.name) report(`host "${host.name}" has the name of a ${kind}, which has ${others}`);
    };
    if (roles.includes(host.name)) differs('role', inRole(host.name) || 'no host');
    if (inGroup(host.name) !== '') differs('group', inGroup(host.name));
    // Once for each group: at its first host.
    for (const group of host.groups.filter((name) => roles.includes(name) && inGroup(name).startsWith(host.name)))
      if (inRole(group) !== inGroup(group))
        report(`the group "${group}" has the name of a role, and has other hosts: ${inGroup(group)}`);
  }
}
