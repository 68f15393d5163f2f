import { foldAll } from '../../journal/fold.js';
import { findCopy, inspectEvents, listRuns, openRunFolder, type Runs } from '../../journal/run-folder.js';
import { packagesPut } from '../../report/plan/packages-put.js';
import type { Recorded } from '../../terms/event.js';

/** How a run belongs to others: in both directions. */
export interface Links {
  readonly rollsBack?: string;
  /** Oldest first. */
  readonly rolledBackBy?: readonly string[];
}

/** A damaged copy says nothing; `show` reports the damage. */
export function linksOf(runs: Runs, id: string): Links {
  const rollsBack = rolledBackIn(runs, id);
  const rolledBackBy = rollbacksOf(runs, id);
  return {
    ...(rollsBack === undefined ? {} : { rollsBack }),
    ...(rolledBackBy.length === 0 ? {} : { rolledBackBy }),
  };
}

/** The rollbacks of a run, oldest first: those that installed a package, after which a resume would skip what they removed. */
export const rollbacksOf = (runs: Runs, id: string): readonly string[] =>
  listRuns(runs).filter((later) => later > id && rolledBackIn(runs, later) === id && hasRolledBack(runs, later));

const rolledBackIn = (runs: Runs, id: string): string | undefined => findCopy(openRunFolder(runs, id))?.rollsBack;

function hasRolledBack(runs: Runs, id: string): boolean {
  const { events, damage } = inspectEvents(openRunFolder(runs, id));
  // Of a damaged one it cannot be excluded.
  return damage !== undefined || hasInstalled(events);
}

export const hasInstalled = (past: readonly Recorded[]): boolean =>
  packagesPut(past, foldAll(past.map((r) => r.event))).size > 0;

/** A run that is unfinished was rolled back in part only: a whole rollback closes it. */
export const linkTexts = ({ rollsBack, rolledBackBy }: Links, isUnfinished: boolean): readonly string[] => [
  ...(rollsBack === undefined ? [] : [`rolls back ${rollsBack}`]),
  ...(rolledBackBy === undefined ? [] : [`${partly(isUnfinished)}rolled back by ${rolledBackBy.join(', ')}`]),
];

/** The same as sentences. */
export const linkLines = ({ rollsBack, rolledBackBy }: Links, isUnfinished: boolean): readonly string[] => [
  ...(rollsBack === undefined ? [] : [`This run rolls back ${rollsBack}.`]),
  ...(rolledBackBy === undefined
    ? []
    : [`This run was ${partly(isUnfinished)}rolled back by ${rolledBackBy.join(', ')}.`]),
];

const partly = (isUnfinished: boolean): string => (isUnfinished ? 'partly ' : '');
