import { valueText, worseText } from '../checks/verify-view.js';
import type { Block, Text } from './blocks.js';
import type { Section } from './document.js';

/** What the platform did for its users before the first change and at the end of the run. */
export function baselineBlocks({ rows }: Extract<Section, { is: 'baseline' }>): readonly Block[] {
  const [first] = rows;
  if (first === undefined) return [];
  const heads = ['Before', 'After'].slice(0, first.values.length);
  return [
    {
      is: 'table',
      label: 'Before and after',
      head: ['Measure', ...heads, 'Result'],
      rows: rows.map((row): readonly Text[] => [
        [row.name],
        ...row.values.map((value): Text => [valueText(value)]),
        row.isWorse ? [{ state: worseText(row), tone: 'bad' }] : [worseText(row)],
      ]),
    },
    {
      is: 'paragraph',
      text: ['To compare again at any later time: ', { code: 'runbook verify' }],
    },
  ];
}
