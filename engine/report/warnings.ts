import { groupBy } from '../lib/group-by.js';
import type { Event, Recorded } from '../terms/event.js';
import { warningText } from '../terms/hint.js';
import { nameHosts } from '../lib/name-hosts.js';
import { printableList, section, type Style } from './style.js';
import { hostName } from '../terms/subject.js';

type Warned = Extract<Event, { e: 'warned' }>;

/** What was worth telling on the way, each sentence once for all of its hosts. */
export function warningsOf(
  events: readonly Recorded[],
): readonly { readonly event: Warned; readonly hosts: readonly string[] }[] {
  const warned = events.flatMap(({ event }) => (event.e === 'warned' ? [event] : []));
  return groupBy(warned, warnedText).map((group) => ({
    event: group[0],
    hosts: [...new Set(group.flatMap(({ task }) => (task === undefined ? [] : [hostName(task.on)])))],
  }));
}

export const warnedText = ({ text, hint }: Warned): string => warningText(hint === undefined ? text : { text, hint });

export const warningLines = (events: readonly Recorded[], style: Style): readonly string[] =>
  warningsOf(events).map(({ event, hosts }) =>
    [
      `${style.yellow('!')} ${style.bold(nameHosts(hosts))}`,
      printableList(warnedText(event), 4),
      style.dim(section(event.spec)),
    ]
      .filter((part) => part !== '')
      .join('  '),
  );
