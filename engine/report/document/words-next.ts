import { hintText } from '../../terms/hint.js';
import { stopLines } from '../end/stop-lines.js';
import { dateText } from '../plan/plan-heading.js';
import { section } from '../style.js';
import type { Block, Text } from './blocks.js';
import type { Failures, Next } from './document.js';
import type { Words } from './words-context.js';

/** What to type next, as the last screen of the run has it. */
export const nextBlocks = ({ where, commands }: Next): readonly Block[] =>
  commands.length === 0
    ? []
    : [
        {
          is: 'table',
          label: 'What to do next',
          head: ['Command', 'What it does'],
          rows: commands.map(({ command, what }): readonly Text[] => [
            [{ code: `runbook ${command}${where}` }],
            [what],
          ]),
        },
      ];

/** The step that stopped a run with its causes and what to do, or who or what else stopped it. */
export function stopBlocks({ first, stop }: Failures, { hosts: sets }: Words): readonly Block[] {
  const rows: (readonly [string, Text])[] = [];
  if (stop !== undefined) rows.push(['Stopped', [stopText(stop)]]);
  if (first !== undefined) {
    const { name, hosts, spec, atMs, others, causes, hint } = first;
    rows.push([
      'Failed',
      [
        `${name} on `,
        ...sets.text(hosts),
        spec === undefined ? '' : ` (${section(spec)})`,
        atMs === undefined ? '' : `, ${dateText(atMs)}`,
        others === 0 ? '' : ` (and ${others} more)`,
      ],
    ]);
    for (const cause of causes) rows.push(['Cause', [cause]]);
    if (hint !== undefined) rows.push(['What to do', [hintText(hint)]]);
  }
  return rows.length === 0 ? [] : [{ is: 'facts', rows }];
}

function stopText(stop: NonNullable<Failures['stop']>): string {
  if (stop.by === 'operator') return 'by the operator';
  if (stop.by === 'pause') return 'at a pause';
  return stopLines(stop, false, { where: '', backTo: [] }).join(' ');
}
