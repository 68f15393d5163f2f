import type { BaselineRow } from '../checks/baseline.js';
import { valueText } from '../checks/verify-view.js';
import { wrapParts } from '../columns.js';
import { printableLine, type Style } from '../style.js';

/** `Rules loaded 3 → 1`: before the run and the last time after it. */
const changeText = ({ name, values }: BaselineRow): string =>
  printableLine(`${name} ${values.map(valueText).join(' → ')}`);

/** `Rules loaded: the endpoint does not answer`. */
const unreadText = ({ name, because }: BaselineRow): string => {
  const [reason = ''] = (because ?? '').split('\n');
  return printableLine(reason === '' ? name : `${name}: ${reason}`);
};

/** The two kinds of rows that are not as they were before the run. */
export const worseParts = (rows: readonly BaselineRow[]) => ({
  worse: rows.filter(({ isWorse }) => isWorse).map(changeText),
  unread: rows.filter(({ isUnread }) => isUnread === true).map(unreadText),
});

/** The same as labels with their parts. */
function labelled(rows: readonly BaselineRow[]): readonly (readonly [label: string, parts: readonly string[]])[] {
  const { worse, unread } = worseParts(rows);
  return [['WORSE THAN BEFORE', worse] as const, ['NOT READ', unread] as const].filter(([, parts]) => parts.length > 0);
}

export const worseSentence = (rows: readonly BaselineRow[]): string =>
  labelled(rows)
    .map(([label, parts]) => `${label}: ${parts.join(', ')}`)
    .join('. ');

/** What stands below the line of a run that is done: "done" alone would hide it. */
export const worseLines = (
  rows: readonly BaselineRow[],
  width: number,
  where: string,
  style: Style,
): readonly string[] => [
  ...labelled(rows).flatMap(([label, parts]) => wrapParts(parts, width, `${label}  `)),
  ...(rows.length === 0 ? [] : [style.bold(`To compare again: runbook verify${where}`)]),
];
