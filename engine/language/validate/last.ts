import type { Platform } from '../../terms/playbook.js';
import { checkNamed } from './selectors.js';
import { isOfHost } from '../inventory/host-names.js';
import type { Mistakes } from '../mistakes.js';
import type { WrittenPlay } from '../playbook/written.js';

/** `last` is asked before any host is chosen: only a fact of an endpoint has a value then. */
export function checkLast(
  { play, source, path }: WrittenPlay,
  platform: Platform | undefined,
  mistakes: Mistakes,
): void {
  if (platform === undefined) return;
  const about = `play ${JSON.stringify(play.name)}: `;
  for (const name of play.last ?? []) {
    const at = { source, path: [...path, 'last'], word: name, nth: 0 };
    checkNamed({ ...at, json: name, about }, 'fact', Object.keys(platform.facts), mistakes);
    const fact = platform.facts[name];
    if (fact === undefined || !isOfHost(fact)) continue;
    mistakes.at(at, `${about}"last" takes a fact that names hosts, read over HTTP; "${name}" is read on each host`, {
      hint: 'order by a fact of an `endpoint`, or write one play for the others and one for the last host',
    });
  }
}
