import { nearest } from '../../lib/nearest.js';
import type { Platform } from '../../terms/playbook.js';
import { checkTemplates } from './names.js';
import { EVERYWHERE } from './no-secret.js';
import { asksNumber } from '../inventory/ranges.js';
import type { LoadedInventory } from '../inventory/loaded.js';
import { spotIn } from '../inventory/layers.js';
import { type Mistakes, suggest } from '../mistakes.js';
import { leaves } from '../values.js';
import { judgeName, type Vocabulary, widen } from './vocabulary.js';
import type { Path } from '../yaml/node.js';
import { hasOpenRole } from './todo.js';

/** Tells what is wrong with an inventory beside its hosts: templates that name nothing, names that the platform does not have, unknown roles of an endpoint. */
export function checkInventory(
  { inventory, parts }: LoadedInventory,
  platform: Platform | undefined,
  vocabulary: Vocabulary,
  mistakes: Mistakes,
): void {
  const inRange = widen(vocabulary, { n: undefined, registered: new Set() });
  for (const source of parts.sources) {
    for (const { text, path } of leaves(source.json)) {
      // Those of webhooks are checked where these are read.
      if (!text.includes('{{') || path[0] === 'notify') continue;
      if (rendered(path)) checkTemplates({ source, path, json: text, about: '' }, inRange, mistakes, EVERYWHERE);
      else if (secretKeys.has(String(path.at(-1))))
        checkSecrets(
          text,
          (word) => mistakes.at({ source, path, word: word.name }, word.message, { hint: word.hint }),
          vocabulary,
        );
      else if (path[0] !== 'hosts' || !asksNumber(text))
        mistakes.at({ source, path }, 'no template may stand here', {
          hint: path[0] === 'hosts' ? 'only `{{n}}`, the number of a range' : undefined,
        });
    }
  }
  if (platform !== undefined) checkOverrides({ inventory, parts }, platform, mistakes);
  checkWays({ inventory, parts }, mistakes);
}

const secretKeys = new Set(['password', 'passphrase', 'become_password']);

/** Values that playbooks read are rendered where they are used; the rest of an inventory is taken as it is. */
const rendered = (path: Path): boolean =>
  ['platform', 'vars'].includes(String(path[0])) ||
  (['hosts', 'groups'].includes(String(path[0])) && path[2] === 'vars');

function checkSecrets(
  text: string,
  tell: (found: { name: string; message: string; hint: string | undefined }) => void,
  vocabulary: Vocabulary,
): void {
  for (const [, name = ''] of text.matchAll(/\{\{\s*(secret\.[\w-]+)\s*\}\}/g)) {
    const found = judgeName(name, vocabulary);
    if (found !== undefined) tell({ name, message: found.message, hint: found.hint });
  }
}

function checkOverrides(
  { inventory, parts }: Pick<LoadedInventory, 'inventory' | 'parts'>,
  platform: Platform,
  mistakes: Mistakes,
): void {
  const groups = Object.keys(platform.names);
  for (const [group, part] of parts.names) {
    const names = platform.names[group];
    if (names === undefined)
      mistakes.at(spotIn(part, [], 'key'), `the platform has no names "${group}"`, {
        hint: suggest(nearest(group, groups), groups, 'groups of names'),
      });
    else
      for (const name of Object.keys(part.json)) {
        if (Object.hasOwn(names, name)) continue;
        mistakes.at(spotIn(part, [name], 'key'), `the platform has no name "${group}.${name}"`, {
          hint: suggest(nearest(name, Object.keys(names)), Object.keys(names), `${group} has`),
        });
      }
  }
  const roles = Object.keys(platform.roles);
  for (const [name, { via }] of Object.entries(inventory.endpoints)) {
    const part = parts.endpoints.get(name);
    if (via === undefined || !('role' in via) || part === undefined) continue;
    const spot = { ...spotIn(part, ['via']), word: via.role };
    if (!roles.includes(via.role))
      mistakes.at(spot, `there is no role "${via.role}"`, { hint: suggest(nearest(via.role, roles), roles, 'roles') });
    else if (!inventory.hosts.some((host) => host.roles.includes(via.role) || hasOpenRole(host)))
      mistakes.at(spot, `no host is "${via.role}"`);
  }
}

/** Only the workers of a zone go through its hosts, and they are asked for addresses on hosts of their zone. */
function checkWays({ inventory, parts }: Pick<LoadedInventory, 'inventory' | 'parts'>, mistakes: Mistakes): void {
  const zoneOf = (name: string | undefined): string | undefined =>
    inventory.hosts.find((host) => host.name === name)?.zone;
  for (const [name, { urls, via }] of Object.entries(inventory.endpoints)) {
    const part = parts.endpoints.get(name);
    if (via === undefined || part === undefined) continue;
    const way = inventory.hosts.find(
      (host) => host.zone !== undefined && ('host' in via ? host.name === via.host : host.roles.includes(via.role)),
    );
    const elsewhere = urls.find(({ host }) => zoneOf(host) !== way?.zone);
    if (way?.zone === undefined || elsewhere === undefined) continue;
    mistakes.at(
      spotIn(part, ['via']),
      `${way.name} is in zone ${way.zone}, and ${elsewhere.url} is at no host of that zone: the controller cannot go that way`,
      { hint: `an address at a host of zone ${way.zone} is asked by its worker; or go through a host without a zone` },
    );
  }
}
