import type { Endpoint, Host, Inventory } from '../../terms/inventory.js';
import type { Platform } from '../../terms/playbook.js';
import type { PermissionOf } from '../../terms/schemas/platform/effects.js';

/** A connection that firewalls must allow. */
export interface PortNeed {
  readonly from: string;
  readonly to: string;
  readonly port: number;
  readonly for: string;
}

/** What a user of hosts may do there by sudo. */
export interface SudoNeed {
  readonly hosts: readonly string[];
  readonly user: string;
  readonly becomeUser: string;
}

/** What must be requested before an upgrade, from the files alone. */
export interface Needs {
  readonly ports: readonly PortNeed[];
  readonly sudo: readonly SudoNeed[];
  readonly permissions: readonly (PermissionOf & { readonly user: string })[];
}

const CONTROLLER = 'this machine';
const SSH_PORT = 22;

export function needsOf({
  inventory,
  platform,
}: {
  readonly inventory: Inventory;
  readonly platform: Platform;
}): Needs {
  const { hosts, endpoints } = inventory;
  const remote = hosts.filter(({ machine }) => machine !== 'local');
  const ports = [
    ...remote.flatMap(sshPorts),
    ...Object.values(endpoints).flatMap((endpoint) => endpointPorts(endpoint, hosts)),
    ...packagePorts(inventory, platform),
  ];
  return {
    ports: [...new Map(ports.map((port) => [JSON.stringify(port), port])).values()],
    sudo: sudoOf(remote),
    permissions: (platform.permissions ?? []).flatMap((need) => {
      const endpoint = endpoints[need.endpoint];
      return endpoint === undefined ? [] : [{ ...need, user: endpoint.user ?? 'anonymous' }];
    }),
  };
}

/** Each hop is reached from the one before. */
function sshPorts({ name, address, ssh }: Host): readonly PortNeed[] {
  const hops = (ssh.jump ?? []).map((hop) => {
    const [, host = hop, port] = /^(?:[^@]*@)?(.*?)(?::(\d+))?$/.exec(hop) ?? [];
    return { host, port: Number(port ?? SSH_PORT) };
  });
  const all = [...hops, { host: address === name ? name : `${name} (${address})`, port: ssh.port ?? SSH_PORT }];
  return all.map(({ host, port }, i) => ({ from: all[i - 1]?.host ?? CONTROLLER, to: host, port, for: 'SSH' }));
}

function endpointPorts({ name, urls, via }: Endpoint, hosts: readonly Host[]): readonly PortNeed[] {
  return urls.flatMap(({ url, host }) => {
    const { hostname, port, protocol } = new URL(url);
    const number = port === '' ? (protocol === 'http:' ? 80 : 443) : Number(port);
    const through =
      via === undefined
        ? []
        : 'host' in via
          ? [via.host]
          : hosts.filter((one) => one.roles.includes(via.role)).map((one) => one.name);
    // Through the SSH of the host that serves it, the port need not be open to any other.
    if (through.includes(host ?? '')) return [];
    return (through.length === 0 ? [CONTROLLER] : through).map((from) => ({
      from,
      to: hostname,
      port: number,
      for: `endpoint ${name}`,
    }));
  });
}

function packagePorts({ platform, hosts }: Inventory, { roles }: Platform): readonly PortNeed[] {
  const { package_url: url, offline_packages: offline } = platform;
  if (typeof url !== 'string' || !/^https?:/.test(url) || !URL.canParse(url)) return [];
  const { hostname, port, protocol } = new URL(url);
  const to = { to: hostname, port: port === '' ? (protocol === 'http:' ? 80 : 443) : Number(port), for: 'packages' };
  const installing = hosts.filter((host) => host.roles.some((role) => roles[role]?.noPackages !== true));
  return [CONTROLLER, ...(offline === undefined || offline === '' ? installing.map(({ name }) => name) : [])].map(
    (from) => ({ from, ...to }),
  );
}

function sudoOf(hosts: readonly Host[]): readonly SudoNeed[] {
  const byUser = new Map<string, { hosts: string[]; user: string; becomeUser: string }>();
  for (const { name, ssh } of hosts) {
    if (ssh.become !== 'sudo') continue;
    const [user, becomeUser] = [ssh.user ?? 'the login user', ssh.becomeUser ?? 'root'];
    const known = byUser.get(`${user} ${becomeUser}`) ?? { hosts: [], user, becomeUser };
    known.hosts.push(name);
    byUser.set(`${user} ${becomeUser}`, known);
  }
  return [...byUser.values()];
}
