import { count } from '../../lib/count.js';
import type { BaselineRow } from './baseline.js';
import { modelMark } from '../model-mark.js';
import { columns } from '../columns.js';
import { printableLine, styleFor, type Terminal } from '../style.js';

export interface Verified {
  /** The run whose baseline it is compared with; absent where no run has one. */
  readonly run?: string;
  /** That run has a second one, from its end. */
  readonly hasAfter?: boolean;
  readonly rows: readonly BaselineRow[];
  readonly hosts?: number;
  /** How many of the hosts are of the model, where any is. */
  readonly model?: number;
}

/** The value as an operator reads it. */
export const valueText = (value: number | string | null): string =>
  value === null ? 'not read' : value === '' ? 'none' : String(value);

/** Why a row is marked: `worse: at most 5% may be lost`. */
export function worseText({ isWorse, because, tolerance }: BaselineRow): string {
  if (because !== undefined) return because.split('\n')[0] ?? '';
  return isWorse ? `worse than before, tolerance ${tolerance}` : '';
}

/** `runbook verify`: each measure before the upgrade, after it, and now. */
export function verifyView({ run, hasAfter, rows, ...size }: Verified, terminal: Terminal): string {
  const style = styleFor(terminal);
  const heads = run === undefined ? ['now'] : ['before', ...(hasAfter === true ? ['after'] : []), 'now'];
  const worse = rows.filter(({ isWorse }) => isWorse).length;
  const unread = rows.filter(({ because }) => because !== undefined).length;
  const table = columns([
    ['  ', '', ...heads, ''],
    ...rows.map((row) => [
      row.isWorse ? '✗ ' : row.because === undefined ? '  ' : '? ',
      printableLine(row.name),
      ...row.values.map((value) => printableLine(valueText(value))),
      printableLine(worseText(row)),
    ]),
  ]);
  const sums = [
    ...(worse === 0 ? [] : [style.red(`✗ ${count(worse, 'measure')} worse than before the run.`)]),
    ...(unread === 0 ? [] : [style.red(`? ${count(unread, 'measure')} could not be read.`)]),
    ...(run !== undefined
      ? []
      : ['Not compared: no run of this inventory has a baseline yet. An upgrade takes one before its first change.']),
  ];
  const sum = sums.length > 0 ? sums.join(' ') : `${style.green('✓')} Nothing is worse than before the run.`;
  const heading = [...(run === undefined ? [] : [`Compared with the baseline of the run ${run}`]), ...modelMark(size)];
  return [...(heading.length === 0 ? [] : [heading.join(' '), '']), ...table, '', `${sum} Nothing was changed.`].join(
    '\n',
  );
}
