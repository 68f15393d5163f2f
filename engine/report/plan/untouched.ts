import type { Event } from '../../terms/event.js';
import { nameFew, printableLine } from '../style.js';
import type { Tally } from '../tally.js';

const MOST_PLAYS = 3;

interface Group {
  readonly plays: string[];
  readonly hosts: Set<string>;
}

/**
 * What was not begun, by the outermost part of the playbook it belongs to, with its hosts: `Server (db-1, db-2)`. A part of
 * which something was begun names its plays: `Database: Restore the settings (db-1)`.
 */
export function untouched(
  { plays }: Pick<Tally, 'plays'>,
  { untouched: names, untouchedOn = {} }: Pick<Extract<Event, { e: 'run-ended' }>, 'untouched' | 'untouchedOn'>,
): readonly string[] {
  const begun = new Set(plays.map((p) => p.within[0] ?? ''));
  const groups = new Map<string, Group>();
  for (const name of names) {
    const [head = '', ...rest] = name.split(' / ');
    const part = rest.length === 0 ? '' : head;
    const group = groups.get(part) ?? { plays: [], hosts: new Set<string>() };
    group.plays.push(rest.length === 0 ? head : rest.join(' / '));
    for (const host of untouchedOn[name] ?? []) group.hosts.add(host);
    groups.set(part, group);
  }
  return [...groups].map(([part, { plays: its, hosts }]) => {
    const plays = its.length > MOST_PLAYS ? `${its.length} plays` : its.join(', ');
    const what = part === '' ? its.join(', ') : begun.has(part) ? `${part}: ${plays}` : part;
    return printableLine(hosts.size === 0 ? what : `${what} (${nameFew([...hosts])})`);
  });
}
