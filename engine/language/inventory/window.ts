import { isPast, parseWindow, type Window } from '../../lib/window.js';
import { ownZone } from '../../lib/zone.js';
import type { InventoryParts } from './files.js';
import type { LoadedInventory } from './loaded.js';
import { spotIn } from './layers.js';
import type { LoadContext } from '../load-context.js';
import type { Mistakes } from '../mistakes.js';
import { textOf } from '../values.js';

/** The maintenance window of an inventory; undefined where there is none, or a wrong one, which has then been reported. */
export function windowOf({ mistakes }: LoadContext, { window: part }: InventoryParts): Window | undefined {
  if (part === undefined) return undefined;
  const [opens, closes, zone = ownZone()] = ['opens', 'closes', 'zone'].map((key) => textOf(part.json[key]));
  // The schema has reported what is missing.
  if (opens === undefined || closes === undefined) return undefined;
  const window = parseWindow({ opens, closes, zone });
  if ('is' in window) return window;
  mistakes.at(spotIn(part, [window.key]), window.message, { hint: window.hint });
  return undefined;
}

/** Warns of a window that is over. This is no mistake: whatever is not bound to it still works. */
export function checkWindow(
  { nowMs }: LoadContext,
  { inventory: { window }, parts }: LoadedInventory,
  warnings: Mistakes,
): void {
  if (nowMs === undefined || window === undefined || parts.window === undefined || !isPast(window, nowMs)) return;
  warnings.at(spotIn(parts.window, ['closes']), `closes: ${textOf(parts.window.json['closes']) ?? ''} is in the past`, {
    hint: 'set the next window; until then apply and resume take no service down',
  });
}
