import { WEBHOOK_EVENTS, type Webhook, type WebhookEvent } from '../../terms/inventory.js';
import { isObject, type Json } from '../../terms/json.js';
import { nearest } from '../../lib/nearest.js';
import type { InventoryParts } from './files.js';
import { spotIn } from './layers.js';
import type { LoadContext } from '../load-context.js';
import { suggest } from '../mistakes.js';
import { textOf, textsOf } from '../values.js';

/** What the texts of a body may name. */
const NAMES: readonly string[] = ['event', 'text', 'run', 'playbook', 'phase', 'by', 'ticket'];
const SECRET = /^\{\{ *secret\.([A-Za-z_][A-Za-z0-9_-]*) *\}\}$/;

/** The webhooks of an inventory; their mistakes are reported. */
export function webhooksOf({ mistakes }: LoadContext, { notify, secrets }: InventoryParts): readonly Webhook[] {
  return [...notify].flatMap(([name, part]): readonly Webhook[] => {
    const url = textOf(part.json['url']);
    // The schema has reported what is missing.
    if (url === undefined) return [];
    const [, secret] = SECRET.exec(url) ?? [];
    if (secret !== undefined && !secrets.has(secret))
      mistakes.at({ ...spotIn(part, ['url']), word: secret }, `webhook "${name}": there is no secret "${secret}"`, {
        hint: suggest(nearest(secret, [...secrets.keys()]), [...secrets.keys()], 'secrets'),
      });
    const body = isObject(part.json['body']) ? part.json['body'] : { text: '{{text}}' };
    for (const unknown of namesIn(body).filter((each) => !NAMES.includes(each)))
      mistakes.at({ ...spotIn(part, ['body']) }, `webhook "${name}": its body names {{${unknown}}}`, {
        hint: suggest(nearest(unknown, NAMES), NAMES, 'names'),
      });
    const on = textsOf(part.json['on']) as readonly WebhookEvent[];
    return [
      { name, url: secret === undefined ? url : { secret }, on: new Set(on.length === 0 ? WEBHOOK_EVENTS : on), body },
    ];
  });
}

/** The names between braces, in all texts of a value. */
function namesIn(json: Json): readonly string[] {
  if (typeof json === 'string') return [...json.matchAll(/\{\{([^}]*)\}\}/g)].map(([, name = '']) => name.trim());
  if (Array.isArray(json)) return json.flatMap(namesIn);
  return isObject(json) ? Object.values(json).flatMap(namesIn) : [];
}
