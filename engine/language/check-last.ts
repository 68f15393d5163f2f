import type { Platform } from '../terms/playbook.js';
import { isOfHost } from './host-names.js';
import type { Mistakes } from './mistakes.js';
import { factsOfEnd, isList } from './selector.js';
import type { WrittenPlay } from './written.js';

/** `last` is asked before any host is chosen: only a fact of an endpoint has a value then. */
export function checkLast(
  { play, source, path }: WrittenPlay,
  platform: Platform | undefined,
  mistakes: Mistakes,
): void {
  const selectors = isList(play.hosts) ? play.hosts : [play.hosts];
  for (const selector of selectors) {
    if (typeof selector === 'string' || isList(selector) || selector.last === undefined) continue;
    for (const name of factsOfEnd(selector.last)) {
      const fact = platform?.facts[name];
      if (fact === undefined || !isOfHost(fact)) continue;
      mistakes.at(
        { source, path: [...path, 'hosts'], word: name, nth: 0 },
        `play ${JSON.stringify(play.name)}: "last" takes a fact that names hosts, read over HTTP; "${name}" is read on each host`,
        { hint: 'order by a fact of an `endpoint`, or write one play for the others and one for the last host' },
      );
    }
  }
}
