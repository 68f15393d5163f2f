import { withRequired, type Role } from './roles.js';

/** SSH settings in the words of an inventory. */
export type Ssh = Readonly<Record<string, string | number | readonly string[]>>;

/** A host as it will be written. */
export interface DraftHost {
  readonly name: string;
  readonly address?: string;
  readonly roles: readonly string[];
  readonly groups: readonly string[];
  readonly vars: Readonly<Record<string, string>>;
  readonly ssh: Ssh;
  readonly local: boolean;
}

/** What a new inventory is made from. */
export interface Draft {
  readonly hosts: readonly DraftHost[];
  /** Secrets that its hosts refer to. */
  readonly secrets: Readonly<Record<string, string>>;
  readonly leftOut: readonly LeftOut[];
  /** Groups of an Ansible inventory, or hosts that were named, with the roles that they got. */
  readonly given: readonly (readonly [name: string, roles: readonly string[]])[];
  /** Names of hosts and groups that an inventory does not accept, with those that they got. */
  readonly renamed: readonly (readonly [from: string, to: string])[];
  /** What their source says and an inventory has no place for, by name. */
  readonly notTaken: readonly string[];
}

const fromAnswers = { secrets: {}, leftOut: [], given: [], renamed: [], notTaken: [] } as const;

/** Hosts of the same groups that are left out. */
export interface LeftOut {
  readonly groups: readonly string[];
  readonly hosts: readonly string[];
  /** Their groups fit no role, were mapped to none, or have a role without packages, which is taken only where it is asked for. */
  readonly why: 'no-role' | 'mapped-to-none' | Role;
}

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
        vars: {},
        ssh: {},
        local: false,
      });
    }
  return { hosts: withRequired([...hosts.values()], roles), ...fromAnswers };
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
        vars: {},
        ssh: {},
        local: false,
      })),
    roles,
  ),
  ...fromAnswers,
});
