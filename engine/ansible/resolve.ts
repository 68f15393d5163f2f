import type { JsonObject } from '../terms/json.js';
import type { Group, Written } from './types.js';

/** A host with all groups that it belongs to, nearest last, and the variables that Ansible would use. */
export interface ResolvedHost {
  readonly name: string;
  readonly groups: readonly string[];
  readonly vars: JsonObject;
}

/** Variables of the files beside an inventory, by the name of a group or a host. */
export interface VarsFiles {
  readonly groups: ReadonlyMap<string, JsonObject>;
  readonly hosts: ReadonlyMap<string, JsonObject>;
}

const NO_GROUP: Group = { hosts: new Set(), children: new Set(), vars: {} };

/**
 * The hosts of an inventory. Precedence as in Ansible, lowest first: groups of the inventory (`all`, then parents before children, by name), the
 * files of `group_vars` in the same order, the host's line, its file of `host_vars`.
 */
export function resolveHosts(written: Written, files: VarsFiles): readonly ResolvedHost[] {
  const { groups, hosts } = written;
  const parents = parentsOf(groups);
  const depths = new Map<string, number>();
  const depthOf = (name: string, below: ReadonlySet<string> = new Set()): number => {
    const known = depths.get(name);
    if (known !== undefined || below.has(name)) return known ?? 0;
    const over = [...(parents.get(name) ?? [])].map((parent) => depthOf(parent, new Set([...below, name])) + 1);
    const depth = name === 'all' ? 0 : Math.max(1, ...over);
    depths.set(name, depth);
    return depth;
  };
  const priorityOf = (name: string): number => Number(groups.get(name)?.vars['ansible_group_priority'] ?? 1);
  return [...hosts].map(([name, vars]) => {
    const own = groupsOf(name, groups, parents).toSorted(
      (a, b) => depthOf(a) - depthOf(b) || priorityOf(a) - priorityOf(b) || (a < b ? -1 : 1),
    );
    const layers = [
      ...own.map((group) => (groups.get(group) ?? NO_GROUP).vars),
      ...own.map((group) => files.groups.get(group) ?? {}),
      vars,
      files.hosts.get(name) ?? {},
    ];
    return {
      name,
      groups: own.filter((group) => group !== 'all' && group !== 'ungrouped'),
      vars: Object.assign({}, ...layers) as JsonObject,
    };
  });
}

function parentsOf(groups: ReadonlyMap<string, Group>): ReadonlyMap<string, ReadonlySet<string>> {
  const parents = new Map<string, Set<string>>();
  for (const [name, { children }] of groups)
    for (const child of children) parents.set(child, (parents.get(child) ?? new Set()).add(name));
  return parents;
}

/** All groups of a host, those above its own among them; a circle ends where it began. */
function groupsOf(
  host: string,
  groups: ReadonlyMap<string, Group>,
  parents: ReadonlyMap<string, ReadonlySet<string>>,
): readonly string[] {
  const found = new Set(['all']);
  const add = (name: string): void => {
    if (found.has(name)) return;
    found.add(name);
    for (const parent of parents.get(name) ?? []) add(parent);
  };
  for (const [name, group] of groups) if (group.hosts.has(host)) add(name);
  return [...found];
}
