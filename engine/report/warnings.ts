import type { Event, Recorded } from '../terms/event.js';
import { nameHosts, printableList, section, type Style } from './style.js';
import { hostName } from './tally.js';

type Warned = Extract<Event, { e: 'warned' }>;

/** What was worth telling on the way, each sentence once for all of its hosts. */
export function warningsOf(
  events: readonly Recorded[],
): readonly { readonly event: Warned; readonly hosts: readonly string[] }[] {
  const groups = new Map<string, { readonly event: Warned; readonly hosts: Set<string> }>();
  for (const { event } of events) {
    if (event.e !== 'warned') continue;
    const group = groups.get(event.text) ?? { event, hosts: new Set<string>() };
    if (event.task !== undefined) group.hosts.add(hostName(event.task.on));
    groups.set(event.text, group);
  }
  return [...groups.values()].map(({ event, hosts }) => ({ event, hosts: [...hosts] }));
}

export const warningLines = (events: readonly Recorded[], style: Style): readonly string[] =>
  warningsOf(events).map(({ event, hosts }) =>
    [
      `${style.yellow('!')} ${style.bold(nameHosts(hosts))}`,
      printableList(event.text, 4),
      style.dim(section(event.spec)),
    ]
      .filter((part) => part !== '')
      .join('  '),
  );
