import type { Block, Text } from './blocks.js';
import type { Closing } from './document.js';
import type { Words } from './words-context.js';

/** What closing a run leaves as it is. */
export const closingBlocks = ({ notRun, staysStopped }: Closing, { hosts: sets }: Words): readonly Block[] => [
  {
    is: 'paragraph',
    text: [
      'Closing is final: the run cannot be resumed, and partial changes remain. A new apply checks each host again.',
    ],
  },
  ...staysStopped.map(({ component, hosts }): Block => ({
    is: 'paragraph',
    text: [{ state: 'STAYS STOPPED', tone: 'bad' }, ` ${component} on `, ...sets.text(hosts)],
  })),
  ...(notRun.length === 0
    ? []
    : [
        {
          is: 'table',
          label: 'Steps that will not run',
          head: ['Will not run', 'Steps', 'Hosts'],
          rows: notRun.map(({ play, steps, hosts }): readonly Text[] => [
            [play.join(' / ')],
            [steps.length === 0 ? 'all' : steps.join(' · ')],
            hosts.length === 0 ? ['all'] : sets.text(hosts),
          ]),
        } as const,
      ]),
];
