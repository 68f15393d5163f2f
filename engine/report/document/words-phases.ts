import { estimateText } from '../plan/estimate-text.js';
import { safeStopParts } from '../plan/phase-text.js';
import type { Block, Text } from './blocks.js';
import type { Phases } from './document.js';

/** What each phase has to do and how long it takes; where a run stops that is to stop. */
export const phaseBlocks = ({ phases, safeStops }: Phases): readonly Block[] =>
  phases.length === 0
    ? []
    : [
        {
          is: 'table',
          label: 'Phases',
          head: ['Phase', 'Steps', 'Time'],
          rows: phases.map(({ name, changes, takes }): readonly Text[] => [
            [name],
            [String(changes)],
            [takes.maxMs === 0 ? '' : estimateText(takes)],
          ]),
        },
        ...(safeStops.length === 0
          ? []
          : [
              {
                is: 'paragraph',
                text: [{ strong: 'Safe stop:' }, ` ${safeStopParts(safeStops).join(', ')}`],
              } as const,
            ]),
      ];
