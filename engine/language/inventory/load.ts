import type { JsonObject } from '../../terms/json.js';
import type { Inventory, SecretSource } from '../../terms/inventory.js';
import { checkApprovals } from './approvals.js';
import { buildEndpoint, buildSecret } from './endpoints.js';
import { webhooksOf } from './webhooks.js';
import { windowOf } from './window.js';
import { readInventory, type InventoryParts } from './files.js';
import { buildHosts } from './hosts.js';
import { pathIn, spotIn } from './layers.js';
import type { LoadedInventory } from './loaded.js';
import type { LoadContext } from '../load-context.js';
import { textOf } from '../values.js';

/** Reads the inventory; `none` when there is none and none is needed; undefined when it cannot be read, which has been told. */
export async function loadInventory(
  context: LoadContext,
  named: readonly string[] | undefined,
  optional: boolean,
): Promise<LoadedInventory | undefined | 'none'> {
  const parts = await readInventory(context, named, optional);
  if (parts === undefined || parts === 'none') return parts;
  const written = buildHosts(context, parts);
  const hosts = written.map(({ host }) => host);
  const endpoints = Object.fromEntries(
    [...parts.endpoints].map(([name, part]) => [name, buildEndpoint(context, name, part, hosts)]),
  );
  const secrets = new Map<string, SecretSource>();
  for (const [name, part] of parts.secrets) {
    const secret = buildSecret(context, part);
    if (secret !== undefined) secrets.set(name, secret);
  }
  const platform = platformOf(context, parts);
  const model = modelOf(context, parts);
  const window = windowOf(context, parts);
  checkApprovals(context, parts);
  const inventory: Inventory = {
    files: parts.sources.map(({ absolute, text }) => ({ file: absolute, text })),
    platform,
    names: Object.fromEntries([...parts.names].map(([name, part]) => [name, part.json])),
    endpoints,
    secrets: Object.fromEntries(secrets),
    hosts,
    vars: parts.vars?.json ?? {},
    ...(model === undefined ? {} : { model }),
    ...(window === undefined ? {} : { window }),
    ...(parts.approvals === undefined ? {} : { approvals: parts.approvals.count }),
    ...(parts.notify.size === 0 ? {} : { notify: webhooksOf(context, parts) }),
  };
  return { inventory, parts, hosts: written };
}

/** What the playbooks read as `{{platform.NAME}}`; the folder of offline packages is seen from the file that names it. */
function platformOf({ env }: LoadContext, { platform }: InventoryParts): JsonObject {
  if (platform === undefined) return {};
  const { names: _names, ...keys } = platform.json;
  const folder = textOf(keys['offline_packages']);
  return folder === undefined || folder === '' || folder.includes('{{')
    ? keys
    : { ...keys, offline_packages: pathIn(platform, ['offline_packages'], folder, env) };
}

function modelOf(context: LoadContext, { model }: InventoryParts): Inventory['model'] {
  if (model === undefined) return undefined;
  const [socket, from, options] = [textOf(model.json['socket']), textOf(model.json['from']), model.json['options']];
  if ((socket === undefined) === (from === undefined)) {
    context.mistakes.at(spotIn(model, [], 'key'), 'a model has either `socket` or `from`', {
      hint: 'such as model: { from: "4.12.0" }',
    });
    return undefined;
  }
  if (socket !== undefined) return { socket: pathIn(model, ['socket'], socket, context.env) };
  return { from: from ?? '', ...(options === undefined ? {} : { options }) };
}

/** What a project without an inventory is checked with. */
export const emptyInventory: Inventory = {
  files: [],
  platform: {},
  names: {},
  endpoints: {},
  secrets: {},
  hosts: [],
  vars: {},
};
