/** What a host of the lab is for; the names are those of the inventory's roles. */
export type Role = 'indexer' | 'server' | 'master' | 'worker' | 'dashboard' | 'agent';

/** By which kind of packages a host's system is made. */
export type Family = 'deb' | 'rpm';

export interface LabHost {
  name: string;
  family: Family;
  address: string;
  roles: readonly Role[];
  /** Network namespace. The indexers share one: see the note on transport in `indexer-config.ts`. */
  netns: string;
}

/** The lab's own subnet, on a bridge that has no way out. */
export const subnet = '10.231.77';
export const gateway = `${subnet}.1`;
export const bridge = 'rblab0';
export const netnsPrefix = 'rblab-';
export const packagePort = 8443;
export const packageUrl = `https://${gateway}:${packagePort}`;

/** One host of each kind that there are several of: what is upgraded side by side is of both families. */
const rpmHosts = ['indexer-3', 'server-2', 'linux-2', 'all-in-one'];

const host = (name: string, last: number, roles: readonly Role[], netns = name): LabHost => ({
  name,
  family: rpmHosts.includes(name) ? 'rpm' : 'deb',
  address: `${subnet}.${last}`,
  roles,
  netns: `${netnsPrefix}${netns}`,
});

/** The platforms that the lab can be. */
const shapes = {
  cluster: [
    host('indexer-1', 11, ['indexer'], 'indexers'),
    host('indexer-2', 12, ['indexer'], 'indexers'),
    host('indexer-3', 13, ['indexer'], 'indexers'),
    host('server-1', 21, ['server', 'master']),
    host('server-2', 22, ['server', 'worker']),
    host('dashboard-1', 31, ['dashboard']),
    host('linux-1', 41, ['agent']),
    host('linux-2', 42, ['agent']),
  ],
  'all-in-one': [host('all-in-one', 51, ['indexer', 'server', 'master', 'dashboard']), host('linux-1', 41, ['agent'])],
} as const satisfies Record<string, readonly LabHost[]>;

export type Shape = keyof typeof shapes;
export const isShape = (name: string): name is Shape => name in shapes;

let shape: Shape = 'cluster';

/** From here on the lab is of this shape, in this process. */
export function takeShape(name: Shape): void {
  shape = name;
}

/** The hosts that hold one of the roles, all of them when none is named. */
export function hostsOf(roles: readonly Role[] = []): readonly LabHost[] {
  const hosts: readonly LabHost[] = shapes[shape];
  return roles.length === 0 ? hosts : hosts.filter((each) => each.roles.some((role) => roles.includes(role)));
}

/** All hosts of all shapes, each name once: for whoever cleans up after a lab that nothing is known of. */
export const everyHost = (): readonly LabHost[] => [
  ...new Map(
    Object.values(shapes).flatMap((hosts: readonly LabHost[]) => hosts.map((h) => [h.name, h] as const)),
  ).values(),
];

/** The first host of that role; throws when there is none. */
export function firstOf(role: Role): LabHost {
  const [found] = hostsOf([role]);
  if (found === undefined) throw new Error(`the lab of shape ${shape} has no ${role}`);
  return found;
}

/** The host of that name; throws when there is none. */
export function hostNamed(name: string): LabHost {
  const found = hostsOf().find((each) => each.name === name);
  if (found === undefined)
    throw new Error(
      `no host ${name} in the lab; there are ${hostsOf()
        .map((h) => h.name)
        .join(' ')}`,
    );
  return found;
}
