import { isHostAddress } from '../../lib/host-address.js';
import { nearest } from '../../lib/nearest.js';
import type { Platform } from '../../terms/playbook.js';
import { checkMeanings } from './meanings.js';
import type { InventoryParts } from '../inventory/files.js';
import type { WrittenHost } from '../inventory/hosts.js';
import { spotIn } from '../inventory/layers.js';
import { type Mistakes, suggest } from '../mistakes.js';
import { hasOpenRole } from './todo.js';

/** Tells roles that do not exist or lack the role they build on, roles that have too many or too few hosts, and addresses that collide. */
export function checkHosts(
  hosts: readonly WrittenHost[],
  parts: InventoryParts,
  platform: Platform | undefined,
  mistakes: Mistakes,
): void {
  for (const written of hosts) {
    if (platform !== undefined) checkRolesOf(written, platform, mistakes);
    checkAddress(written, mistakes);
  }
  for (const [name, role] of Object.entries(platform?.roles ?? {})) {
    const having = hosts.filter(({ host }) => host.roles.includes(name));
    tooMany(name, role, having, mistakes);
    if (having.length < (role.min ?? 0) && !hosts.some(({ host }) => hasOpenRole(host))) {
      const [first] = parts.sources;
      mistakes.at(
        { source: first, path: ['hosts'], on: 'key' },
        `${count(having.length)} "${name}": at least ${role.min ?? 0} must be`,
        { hint: role.description },
      );
    }
  }
  checkAddresses(hosts, mistakes);
  checkMeanings(hosts, Object.keys(platform?.roles ?? {}), mistakes);
}

function checkAddress({ host: { name, address }, part }: WrittenHost, mistakes: Mistakes): void {
  const spot = spotIn(part, ['address']);
  const shown = `host "${name}": ${JSON.stringify(address)}`;
  if (address.startsWith('['))
    mistakes.at(spot, `${shown} is not an address`, {
      hint: `write ${address.replace(/^\[|\](?::\d+)?$/g, '')} without brackets; a port goes into ssh.port`,
    });
  else if (address !== name && address !== '' && !isHostAddress(address))
    mistakes.at(spot, `${shown} is no DNS name or IP address`, {
      hint: 'such as 10.0.0.21 or web-1.example.com; a port is ssh.port',
    });
}

const count = (n: number): string => (n === 0 ? 'no host is' : n === 1 ? 'one host is' : `${n} hosts are`);

function checkRolesOf({ host, part }: WrittenHost, platform: Platform, mistakes: Mistakes): void {
  const known = Object.keys(platform.roles);
  for (const [i, name] of host.roles.entries()) {
    const role = platform.roles[name];
    const spot = spotIn(part, ['roles', i]);
    if (role === undefined)
      mistakes.at(spot, `there is no role "${name}"`, { hint: suggest(nearest(name, known), known, 'roles') });
    else if (role.requires !== undefined && known.includes(role.requires) && !host.roles.includes(role.requires)) {
      mistakes.at(spot, `host "${host.name}" is ${name} and not ${role.requires}`, {
        hint: `roles: [${role.requires}, ${name}]`,
      });
    } else if (role.withOneOf?.some((other) => host.roles.includes(other)) === false && !hasOpenRole(host)) {
      const others = role.withOneOf.join(' or ');
      mistakes.at(spot, `host "${host.name}" is ${name} and neither ${role.withOneOf.join(' nor ')}`, {
        hint: `add the role ${others}; a single ${name} is ${role.withOneOf[0] ?? ''}`,
      });
    }
  }
}

function tooMany(
  name: string,
  role: Platform['roles'][string],
  having: readonly WrittenHost[],
  mistakes: Mistakes,
): void {
  const { max } = role;
  const extra = max === undefined ? undefined : having[max];
  if (max === undefined || extra === undefined) return;
  const spot = spotIn(extra.part, ['roles', extra.host.roles.indexOf(name)]);
  const [first] = having;
  const message =
    max === 1
      ? `host "${extra.host.name}" is ${name}, and so is "${first?.host.name ?? ''}": only one host may be`
      : `${having.length} hosts are "${name}": at most ${max} may be`;
  mistakes.at(spot, message, { hint: role.description });
}

/** Two names for one machine would both be worked on at once. */
function checkAddresses(hosts: readonly WrittenHost[], mistakes: Mistakes): void {
  const taken = new Map<string, string>();
  const reported = new Set<string>();
  for (const { host, part } of hosts) {
    const { port = 22, jump = [] } = host.ssh;
    const at =
      host.machine === 'local' ? 'local' : `${host.machine}|${plainAddress(host.address)}|${port}|${jump.join(',')}`;
    // Networks may use the same addresses, and what is local is each worker's own machine.
    const key = `${host.zone ?? ''}|${at}`;
    const other = taken.get(key);
    if (other === undefined) taken.set(key, host.name);
    else tellCollision({ host, part }, other, reported, mistakes);
  }
}

function tellCollision({ host, part }: WrittenHost, other: string, reported: Set<string>, mistakes: Mistakes): void {
  const stated = part.json['address'] !== undefined;
  const spot = spotIn(part, stated ? ['address'] : [], stated ? 'value' : 'key');
  const ranged = String(spot.path[1]).includes('[');
  // One address for all of a range is one mistake.
  const place = JSON.stringify([spot.source.file, spot.path]);
  if (reported.has(place)) return;
  reported.add(place);
  const where = host.machine === 'local' ? 'this machine' : host.address;
  mistakes.at(spot, `host "${host.name}" is at ${where}, and so is "${other}"`, {
    hint: ranged ? 'put the number into the address, such as "10.0.0.{{n}}"' : undefined,
  });
}

const plainAddress = (address: string): string =>
  address
    .toLowerCase()
    .replace(/\.$/, '')
    .replace(/^\[|\]$/g, '');
