import type { AnsibleHost } from '../ansible/read.js';
import type { Draft, DraftHost, LeftOut, Ssh } from './draft.js';
import { rolesNamed, withRequired, wordsBeside, type Role } from './roles.js';

export const NO_ROLE = 'none';

/** What an operator decided: the roles of a group's hosts, and hosts that have a role. */
export interface Choices {
  readonly map: ReadonlyMap<string, readonly string[]>;
  readonly named: ReadonlyMap<string, readonly string[]>;
  /** Words of the platform's own, which make a generic name of a role certain. */
  readonly words: ReadonlySet<string>;
}

/** A draft, and the hosts of the Ansible inventory that it reaches by SSH. */
export interface AnsibleDraft extends Draft {
  readonly bySsh: readonly AnsibleHost[];
}

/** The hosts of an Ansible inventory, with roles by their groups' names, or as they were chosen. */
export function draftFrom(hosts: readonly AnsibleHost[], roles: readonly Role[], choices: Choices): AnsibleDraft {
  const allGroups = [...new Set(hosts.flatMap((host) => host.groups))];
  const known = new Set([...choices.words, ...wordsBeside(allGroups, roles)]);
  const rolesOfGroup = new Map(
    allGroups.map((group) => [group, choices.map.get(group) ?? rolesNamed(group, roles, known)] as const),
  );
  const given = new Map<string, readonly string[]>();
  const vars = new Set<string>();
  const taken: DraftHost[] = [];
  const bySsh: AnsibleHost[] = [];
  const leftOut = new Map<string, LeftOut>();
  const renamed = new Map<string, string>();
  for (const host of hosts) {
    const { own, groups, why, isInstalled } = rolesFor(host, roles, rolesOfGroup, choices);
    if (why === undefined) {
      const ansible = variablesOf(host, own, roles);
      for (const name of ansible.names) vars.add(name);
      taken.push({
        ...drafted(host, own, groups.map(groupName), isInstalled ? sshOf(host) : {}),
        vars: ansible.vars,
      });
      for (const group of host.groups) if (!groups.includes(group)) given.set(group, rolesOfGroup.get(group) ?? []);
      if (isInstalled) bySsh.push(host);
      renamed.set(host.name, hostName(host.name));
      for (const group of groups) renamed.set(group, groupName(group));
    } else {
      const key = host.groups.join(', ');
      leftOut.set(key, { groups: host.groups, hosts: [...(leftOut.get(key)?.hosts ?? []), host.name], why });
    }
  }
  return {
    hosts: withRequired(taken, roles),
    secrets: secretsOf(bySsh),
    leftOut: [...leftOut.values()],
    renamed: [...renamed].filter(([from, to]) => from !== to),
    notTaken: [...new Set(bySsh.flatMap((host) => host.notTaken))].filter((name) => !vars.has(name)),
    given: [...given, ...byHost(choices.named)],
    bySsh,
  };
}

interface RolesFor {
  readonly own: readonly string[];
  /** Groups that stand for no role: they stay groups. */
  readonly groups: readonly string[];
  readonly why: LeftOut['why'] | undefined;
  /** Packages are installed on it, over SSH. */
  readonly isInstalled: boolean;
}

function rolesFor(
  { name, groups }: AnsibleHost,
  roles: readonly Role[],
  rolesOfGroup: ReadonlyMap<string, readonly string[]>,
  { map, named }: Choices,
): RolesFor {
  const byName = [...named].flatMap(([role, hosts]) => (hosts.includes(name) ? [role] : []));
  const chosen = [...groups.flatMap((group) => map.get(group) ?? []), ...byName];
  const ofGroup = (group: string): readonly string[] =>
    (rolesOfGroup.get(group) ?? []).filter((role) => role !== NO_ROLE);
  const own = [...new Set([...groups.flatMap(ofGroup), ...byName])];
  const ownRoles = roles.filter((role) => own.includes(role.name));
  const isInstalled = ownRoles.some((role) => !role.noPackages);
  const whyNot = (): RolesFor['why'] => {
    if (chosen.includes(NO_ROLE)) return 'mapped-to-none';
    if (own.length === 0) return 'no-role';
    return chosen.length === 0 && !isInstalled ? ownRoles[0] : undefined;
  };
  return { own, groups: groups.filter((group) => ofGroup(group).length === 0), why: whyNot(), isInstalled };
}

/** The variables that the roles of a host take over, and the names that these have in Ansible. */
function variablesOf(
  host: AnsibleHost,
  own: readonly string[],
  roles: readonly Role[],
): { readonly vars: Readonly<Record<string, string>>; readonly names: readonly string[] } {
  const found = roles
    .filter(({ name }) => own.includes(name))
    .flatMap(({ ansibleVars }) => Object.entries(ansibleVars))
    .flatMap(([ours, theirs]) => {
      const value = host.vars[theirs];
      return typeof value === 'string' && value !== '' && !value.includes('{{') ? [{ ours, theirs, value }] : [];
    });
  // A variable's default is the host's own name.
  const differing = found.filter(({ value }) => value !== hostName(host.name));
  return {
    vars: Object.fromEntries(differing.map(({ ours, value }) => [ours, value])),
    names: found.map(({ theirs }) => theirs),
  };
}

function byHost(named: Choices['named']): readonly (readonly [string, readonly string[]])[] {
  const all = new Map<string, readonly string[]>();
  for (const [role, hosts] of named) for (const host of hosts) all.set(host, [...(all.get(host) ?? []), role]);
  return [...all];
}

function drafted(
  host: AnsibleHost,
  roles: readonly string[],
  groups: readonly string[],
  ssh: Ssh,
): Omit<DraftHost, 'vars'> {
  const name = hostName(host.name);
  const address = host.address ?? host.name;
  return { name, ...(address === name ? {} : { address }), roles, groups, ssh, local: host.local };
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
