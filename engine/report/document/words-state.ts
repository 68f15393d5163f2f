import { nameHosts } from '../../lib/name-hosts.js';
import { latestStartsText } from '../plan/latest-starts.js';
import { dateText } from '../plan/plan-heading.js';
import type { Block, Text } from './blocks.js';
import type { StateOf } from './document.js';
import type { Words } from './words-context.js';

/** What runs and what is down; the platform's own words come first. */
export const stateBlocks = (
  { asOfMs, components, away, status, wait = [], latestStarts = [], inEffect = [] }: StateOf,
  { hosts: sets }: Words,
): readonly Block[] => [
  ...(asOfMs === undefined ? [] : [{ is: 'paragraph', text: [`As it was ${dateText(asOfMs)}.`] } as const]),
  ...(status === undefined ? [] : [{ is: 'paragraph', text: [{ strong: 'Status:' }, ` ${status}`] } as const]),
  ...wait.map((text): Block => ({ is: 'paragraph', text: [{ strong: 'Wait:' }, ` ${text}`] })),
  ...(away.length === 0
    ? []
    : [{ is: 'paragraph', text: [{ state: 'NO ANSWER', tone: 'bad' }, ` from ${nameHosts(away)}`] } as const]),
  ...(components.length === 0
    ? []
    : [
        {
          is: 'table',
          label: 'The platform now',
          head: ['Service', 'Version', 'State', 'Hosts'],
          rows: components.map(({ component, installed, isDown, downSinceMs, hosts }): readonly Text[] => [
            [component],
            [installed],
            isDown
              ? [
                  { state: 'DOWN', tone: 'bad' },
                  downSinceMs === undefined ? '' : `, stopped by the run ${dateText(downSinceMs)}`,
                ]
              : ['active'],
            sets.text(hosts),
          ]),
        } as const,
      ]),
  ...(latestStarts.length === 0
    ? []
    : [{ is: 'paragraph', text: [{ strong: 'Window:' }, ` ${latestStartsText(latestStarts) ?? ''}`] } as const]),
  ...(inEffect.length === 0
    ? []
    : [
        { is: 'paragraph', text: ['Temporary changes in effect:'] } as const,
        { is: 'list', items: inEffect.map(({ name, hosts }) => [name, ' (', ...sets.text(hosts), ')']) } as const,
      ]),
];
