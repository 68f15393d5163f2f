import { isObject, type Json, type JsonObject } from '../terms/json.js';

/** A role of the platform file, as far as a new inventory needs it. */
export interface Role {
  readonly name: string;
  readonly description: string;
  readonly min: number;
  readonly requires?: string;
  readonly withOneOf: readonly string[];
  readonly max?: number;
  /** Other names that groups of such hosts have. */
  readonly groupNames: readonly string[];
  /** Of all its names, those that groups of foreign hosts have, too. */
  readonly genericNames: readonly string[];
  /** Variables of ours, with the names that they have in an Ansible inventory. */
  readonly ansibleVars: Readonly<Record<string, string>>;
  /** Nothing is installed on its hosts as a package: such a role is taken only where it is asked for. */
  readonly noPackages: boolean;
}

const texts = (json: Json | undefined): readonly string[] =>
  Array.isArray(json) ? json.filter((one) => typeof one === 'string') : [];

const textsByName = (json: Json | undefined): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(isObject(json) ? json : {}).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string',
    ),
  );

/** The roles of a platform file, in its order; a part that is none is left out, and reported when a playbook is loaded. */
export const rolesOf = (platform: JsonObject): readonly Role[] =>
  Object.entries(isObject(platform['roles']) ? platform['roles'] : {}).flatMap(([name, role]) =>
    isObject(role)
      ? [
          {
            name,
            description: typeof role['description'] === 'string' ? role['description'] : '',
            min: typeof role['min'] === 'number' ? role['min'] : 0,
            ...(typeof role['max'] === 'number' ? { max: role['max'] } : {}),
            ...(typeof role['requires'] === 'string' ? { requires: role['requires'] } : {}),
            withOneOf: texts(role['with_one_of']),
            groupNames: texts(role['group_names']),
            genericNames: texts(role['generic_names']),
            ansibleVars: textsByName(role['ansible_vars']),
            noPackages: role['no_packages'] === true,
          },
        ]
      : [],
  );

const wordsOf = (name: string): readonly string[] =>
  name
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '')
    .map((word) => word.replace(/(?<=...)s$/, ''));

/** Words of the platform's own: those of its packages' names. */
export const platformWords = (platform: JsonObject): ReadonlySet<string> =>
  new Set(
    Object.values(isObject(platform['names']) ? platform['names'] : {}).flatMap((names) =>
      isObject(names) && typeof names['package'] === 'string' ? wordsOf(names['package']) : [],
    ),
  );

interface Name {
  readonly role: Role;
  readonly words: readonly string[];
  readonly generic: boolean;
}

const namesOf = (role: Role): readonly Name[] =>
  [...new Set([role.name, ...role.groupNames, ...role.genericNames])].map((name) => ({
    role,
    words: wordsOf(name),
    generic: role.genericNames.includes(name),
  }));

/** Words that stand beside the name of a role that is not generic, such as a brand: groups with such a word are the platform's own. */
export function wordsBeside(groups: readonly string[], roles: readonly Role[]): ReadonlySet<string> {
  const certain = roles
    .filter(({ name, genericNames }) => !genericNames.includes(name))
    .map(({ name }) => wordsOf(name));
  return new Set(
    groups.map(wordsOf).flatMap((words) => (certain.some((own) => own.every((w) => words.includes(w))) ? words : [])),
  );
}

/**
 * The roles that the name of a group stands for: those with most words in it, so that `windows_hosts` are no Linux hosts. A name that fits
 * unrelated roles alike, such as `database_proxies`, fits none. A generic name such as `server` fits only where each other word is known
 * to be the platform's: `db_servers` belong to another platform.
 */
export function rolesNamed(
  group: string,
  roles: readonly Role[],
  known: ReadonlySet<string> = new Set(),
): readonly string[] {
  const words = new Set(wordsOf(group));
  const named = roles.flatMap(namesOf).filter((name) => name.words.every((word) => words.has(word)));
  const explained = new Set([...known, ...named.flatMap((name) => name.words)]);
  const isOwn = [...words].every((word) => explained.has(word));
  const fits = named.filter(({ generic }) => isOwn || !generic);
  const most = Math.max(0, ...fits.map((fit) => fit.words.length));
  const closest = [...new Set(fits.filter((fit) => fit.words.length === most).map((fit) => fit.role))];
  const names = closest.map((role) => role.name);
  const related = closest.every(({ name, requires }) =>
    names.every(
      (other) => other === name || other === requires || roles.some((r) => r.name === other && r.requires === name),
    ),
  );
  return related ? names : [];
}

/** In place of a role that only the operator knows. */
export const roleToChoose = (from: readonly string[]): string => `TODO: ${from.join(' or ')}`;

interface HasRoles {
  readonly roles: readonly string[];
}

/**
 * The hosts with the roles that theirs require. Where a role needs one of several others and only one host can have the first (a single
 * master), that host gets it when it is the only one without, and the rest get the other.
 */
export function withRequired<T extends HasRoles>(hosts: readonly T[], roles: readonly Role[]): readonly T[] {
  const required = hosts.map((host) => ({
    ...host,
    roles: [...new Set(host.roles.flatMap((name) => [...requiredBy(name, roles), name]))],
  }));
  return roles
    .filter(({ withOneOf }) => withOneOf.length > 0)
    .reduce<readonly T[]>((all, role) => chosen(all, role, roles), required);
}

function requiredBy(name: string, roles: readonly Role[]): readonly string[] {
  const { requires } = roles.find((role) => role.name === name) ?? {};
  return requires === undefined || requires === name ? [] : [requires];
}

function chosen<T extends HasRoles>(
  hosts: readonly T[],
  { name, withOneOf }: Role,
  roles: readonly Role[],
): readonly T[] {
  const isOpen = ({ roles: own }: HasRoles): boolean =>
    own.includes(name) && !own.some((one) => withOneOf.includes(one));
  const [first = '', second] = withOneOf;
  const single = roles.find((role) => role.name === first)?.max === 1;
  const taken = hosts.some((host) => host.roles.includes(first));
  const open = hosts.filter(isOpen).length;
  const all = hosts.filter((host) => host.roles.includes(name)).length;
  const pick =
    single && taken ? (second ?? first) : open === 1 && (all === 1 || !taken) ? first : roleToChoose(withOneOf);
  return hosts.map((host) => (isOpen(host) ? { ...host, roles: [...host.roles, pick] } : host));
}
