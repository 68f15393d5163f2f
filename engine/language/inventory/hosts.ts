import { nearest } from '../../lib/nearest.js';
import type { Host, SshSettings } from '../../terms/inventory.js';
import type { JsonObject } from '../../terms/json.js';
import type { InventoryParts } from './files.js';
import { asksNumber, parseRange, withNumber } from './ranges.js';
import { sshSettings } from './ssh.js';
import { layer, type Layered, merge, spotIn } from './layers.js';
import type { LoadContext } from '../load-context.js';
import { type Mistakes, type Spot, suggest } from '../mistakes.js';
import { matchesGlob } from '../playbook/selector.js';
import { leaves, objectOf, textOf, textsOf } from '../values.js';

/** A host and where it is written. */
export interface WrittenHost {
  readonly host: Host;
  readonly part: Layered;
}

/** Every host with ranges expanded, and vars and ssh settings after precedence: inventory, its groups in order, its own. */
export function buildHosts(context: LoadContext, parts: InventoryParts): readonly WrittenHost[] {
  const named = expandHosts(parts, context.mistakes);
  const groups = buildGroups(context, parts, [...named.keys()]);
  const base = { vars: parts.vars?.json ?? {}, ssh: sshSettings(context, parts.ssh, []) };
  return [...named].map(([name, part]) => ({
    host: buildHost(context, { name, part, groups, base, model: parts.model !== undefined }),
    part,
  }));
}

/** A plain name after a range refines one host of it; a range over a name that is there already is a mistake. */
function expandHosts(parts: InventoryParts, mistakes: Mistakes): ReadonlyMap<string, Layered> {
  const named = new Map<string, Layered>();
  const ranged = new Set<Layered>();
  for (const { written, source, json } of parts.hosts) {
    const spot: Spot = { source, path: ['hosts', written], on: 'key' };
    const range = parseRange(written);
    if (range.is === 'wrong') mistakes.at(spot, range.message, { hint: range.hint });
    else if (range.is === 'name') {
      checkName(range.name, spot, mistakes);
      tellNumbers(json, spot, mistakes);
      named.set(range.name, layer(named.get(range.name), { source, path: spot.path, json }));
    } else {
      checkName(range.hosts[0]?.name ?? '', spot, mistakes);
      const twice = range.hosts.find(({ name }) => named.get(name)?.layers.some((l) => l.source === source));
      if (twice !== undefined)
        mistakes.at(spot, `host "${twice.name}" is there already`, {
          hint: 'write a range first, and what differs for one of its hosts after it',
        });
      for (const { name, n } of range.hosts) {
        const part = layer(named.get(name), { source, path: spot.path, json: withNumber(json, n) as JsonObject });
        ranged.add(part);
        named.set(name, part);
      }
    }
  }
  return named;
}

function checkName(name: string, spot: Spot, mistakes: Mistakes): void {
  if (name === 'all' || name === 'controller')
    mistakes.at(spot, `a host may not be called "${name}": the word has a meaning of its own`);
  else if (!/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(name))
    mistakes.at(spot, `"${name}" is no host name: letters, digits, dots, - and _ only`);
}

function tellNumbers(json: JsonObject, spot: Spot, mistakes: Mistakes): void {
  for (const { text, path } of leaves(json)) {
    if (asksNumber(text))
      mistakes.at(
        { source: spot.source, path: [...spot.path, ...path] },
        '`{{n}}` is the number of a range, and this host is none',
        { hint: 'such as web-[001:200]' },
      );
  }
}

interface Group {
  readonly name: string;
  readonly hosts: ReadonlySet<string>;
  readonly vars: JsonObject;
  readonly ssh: SshSettings;
  readonly zone: string | undefined;
}

function buildGroups(context: LoadContext, parts: InventoryParts, hosts: readonly string[]): readonly Group[] {
  return [...parts.groups].map(([name, part]) => ({
    name,
    hosts: new Set(
      textsOf(part.json['hosts']).flatMap((written, i) =>
        membersOf(written, hosts, spotIn(part, ['hosts', i]), context.mistakes),
      ),
    ),
    vars: objectOf(part.json['vars']),
    ssh: sshSettings(context, part, ['ssh']),
    zone: textOf(part.json['zone']),
  }));
}

/** The hosts that a group's line names: one, a range, or a glob. */
function membersOf(written: string, hosts: readonly string[], spot: Spot, mistakes: Mistakes): readonly string[] {
  if (written.includes('*') || written.includes('?')) {
    const members = hosts.filter((name) => matchesGlob(written, name));
    if (members.length === 0) mistakes.at(spot, `no host is called like "${written}"`);
    return members;
  }
  const range = parseRange(written);
  if (range.is === 'wrong') {
    mistakes.at(spot, range.message, { hint: range.hint });
    return [];
  }
  const names = range.is === 'name' ? [range.name] : range.hosts.map(({ name }) => name);
  const unknown = names.find((name) => !hosts.includes(name));
  if (unknown !== undefined)
    mistakes.at(spot, `there is no host "${unknown}"`, { hint: suggest(nearest(unknown, hosts), hosts, 'hosts') });
  return names;
}

interface HostSetting {
  readonly name: string;
  readonly part: Layered;
  readonly groups: readonly Group[];
  readonly base: { readonly vars: JsonObject; readonly ssh: SshSettings };
  readonly model: boolean;
}

function buildHost(context: LoadContext, { name, part, groups, base, model }: HostSetting): Host {
  const { json } = part;
  const own = textsOf(json['groups']);
  for (const [i, group] of own.entries()) {
    if (groups.some((g) => g.name === group)) continue;
    const names = groups.map((g) => g.name);
    context.mistakes.at(spotIn(part, ['groups', i]), `there is no group "${group}"`, {
      hint: suggest(nearest(group, names), names, 'groups') ?? 'groups are written under `groups`',
    });
  }
  const member = groups.filter((group) => group.hosts.has(name) || own.includes(group.name));
  const machine = json['machine'];
  const zone = textOf(json['zone']) ?? member.findLast((group) => group.zone !== undefined)?.zone;
  return {
    name,
    address: textOf(json['address']) ?? name,
    roles: textsOf(json['roles']),
    groups: member.map((group) => group.name),
    vars: [...member.map((group) => group.vars), objectOf(json['vars'])].reduce(merge, base.vars),
    machine: machine === 'ssh' || machine === 'local' || machine === 'model' ? machine : model ? 'model' : 'ssh',
    ssh: [...member.map((group) => group.ssh), sshSettings(context, part, ['ssh'])].reduce(
      (under, ssh) => ({ ...under, ...ssh }),
      base.ssh,
    ),
    ...(zone === undefined ? {} : { zone }),
  };
}
