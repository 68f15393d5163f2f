import type { AnsibleHost } from '../ansible/read.js';
import { rolesNamed, withRequired, type Role } from './roles.js';

/** SSH settings in the words of an inventory. */
export type Ssh = Readonly<Record<string, string | number | readonly string[]>>;

/** A host as it will be written. */
export interface DraftHost {
  readonly name: string;
  readonly address?: string;
  readonly roles: readonly string[];
  readonly groups: readonly string[];
  readonly ssh: Ssh;
  readonly local: boolean;
}

/** What a new inventory is made from. */
export interface Draft {
  readonly hosts: readonly DraftHost[];
  /** Secrets that its hosts refer to. */
  readonly secrets: Readonly<Record<string, string>>;
  /** Hosts without a role, by their groups. */
  readonly leftOut: ReadonlyMap<string, readonly string[]>;
}

export const NO_ROLE = 'none';

/** What an operator decided: the roles of a group's hosts, and hosts that have a role. */
export interface Choices {
  readonly map: ReadonlyMap<string, readonly string[]>;
  readonly named: ReadonlyMap<string, readonly string[]>;
}

/** The hosts of an Ansible inventory, with roles by their groups' names, or as they were chosen. */
export function draftFrom(hosts: readonly AnsibleHost[], roles: readonly Role[], { map, named }: Choices): Draft {
  const rolesOfGroup = (group: string): readonly string[] =>
    (map.get(group) ?? rolesNamed(group, roles)).filter((role) => role !== NO_ROLE);
  const isOut = ({ groups }: AnsibleHost): boolean =>
    groups.some((group) => map.get(group)?.includes(NO_ROLE) === true);
  const taken: DraftHost[] = [];
  const leftOut = new Map<string, string[]>();
  for (const host of hosts) {
    const own = [...named].flatMap(([role, names]) => (names.includes(host.name) ? [role] : []));
    const hostRoles = [...new Set([...host.groups.flatMap(rolesOfGroup), ...own])];
    const groups = host.groups.filter((group) => rolesOfGroup(group).length === 0).map(groupName);
    if (hostRoles.length > 0 && !isOut(host)) taken.push(drafted(host, hostRoles, groups));
    else leftOut.set(groups.join(', '), [...(leftOut.get(groups.join(', ')) ?? []), host.name]);
  }
  return { hosts: withRequired(taken, roles), secrets: secretsOf(hosts), leftOut };
}

function drafted(host: AnsibleHost, roles: readonly string[], groups: readonly string[]): DraftHost {
  const name = hostName(host.name);
  const address = host.address ?? host.name;
  return { name, ...(address === name ? {} : { address }), roles, groups, ssh: sshOf(host), local: host.local };
}

/** Ansible allows more in names than an inventory does, such as IPv6 addresses. */
const hostName = (name: string): string =>
  /^[\w.-]+$/.test(name) ? name : `host-${name.replaceAll(/[^\w.-]+/g, '-').replace(/^-/, '')}`;
const groupName = (name: string): string => name.replaceAll(/[^\w-]/g, '_').replace(/^(?=[\d-])/, '_');

/** Passwords of Ansible are not copied: the operator is asked for them. */
const secretsOf = (hosts: readonly AnsibleHost[]): Readonly<Record<string, string>> => ({
  ...(hosts.some((host) => host.hasBecomePassword) ? { sudo: 'Password for sudo' } : {}),
  ...(hosts.some((host) => host.hasPassword) ? { ssh: 'Password of the SSH user' } : {}),
});

const sshOf = (host: AnsibleHost): Ssh =>
  Object.fromEntries(
    Object.entries({
      user: host.user,
      port: host.port === 22 ? undefined : host.port,
      key: host.key,
      jump: host.jump?.length === 1 ? host.jump[0] : host.jump,
      become: host.become === undefined ? undefined : host.become ? 'sudo' : 'none',
      become_user: host.becomeUser,
      become_password: host.hasBecomePassword ? '{{secret.sudo}}' : undefined,
      password: host.hasPassword ? '{{secret.ssh}}' : undefined,
    }).filter((entry): entry is [string, string | number | readonly string[]] => entry[1] !== undefined),
  );

/** The hosts that an operator named for a role: names, or addresses, which get a name. */
export function draftOf(named: ReadonlyMap<string, readonly string[]>, roles: readonly Role[]): Draft {
  const hosts = new Map<string, DraftHost>();
  for (const [role, written] of named)
    for (const [i, text] of written.entries()) {
      const isAddress = /^[\d.]+$|:/.test(text);
      const known = [...hosts.values()].find((host) => (isAddress ? host.address : host.name) === text);
      const name = known?.name ?? (isAddress ? `${role.replaceAll('_', '-')}-${i + 1}` : text);
      hosts.set(name, {
        name,
        ...(isAddress ? { address: text } : {}),
        roles: [...(known?.roles ?? []), role],
        groups: [],
        ssh: {},
        local: false,
      });
    }
  return { hosts: withRequired([...hosts.values()], roles), secrets: {}, leftOut: new Map() };
}

/** A host to be filled in for each role that needs one. */
export const draftOfNothing = (roles: readonly Role[]): Draft => ({
  hosts: withRequired(
    roles
      .filter(({ min, requires }) => min > 0 && requires === undefined)
      .map(({ name }) => ({
        name: `${name}-1`,
        address: `TODO: the address of ${name}-1`,
        roles: [name],
        groups: [],
        ssh: {},
        local: false,
      })),
    roles,
  ),
  secrets: {},
  leftOut: new Map(),
});
