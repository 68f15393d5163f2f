import type { Inventory } from '../../terms/inventory.js';
import { secretNames } from '../../terms/secret.js';

/**
 * Secrets that the inventory needs for hosts of zones alone, and for endpoints of which each address is on such a host: a worker signs in
 * there, with a value of its own machine, and this one may have none.
 */
export function zoneSecrets({ hosts, endpoints, notify = [] }: Inventory): ReadonlySet<string> {
  const inZone = new Set(hosts.flatMap(({ name, zone }) => (zone === undefined ? [] : [name])));
  const uses = [
    ...hosts.map(({ name, ssh: { passphrase, password, becomePassword } }) => ({
      isInside: inZone.has(name),
      names: secretNames([passphrase, password, becomePassword]),
    })),
    ...Object.values(endpoints).map(({ urls, via, password }) => ({
      isInside: via === undefined && urls.every(({ host }) => host !== undefined && inZone.has(host)),
      names: secretNames(password),
    })),
    ...notify.map(({ url }) => ({ isInside: false, names: typeof url === 'string' ? [] : [url.secret] })),
  ];
  const namesOf = (isInside: boolean): readonly string[] =>
    uses.flatMap((use) => (use.isInside === isInside ? use.names : []));
  const outside = new Set(namesOf(false));
  return new Set(namesOf(true).filter((name) => !outside.has(name)));
}
