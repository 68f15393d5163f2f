import { inspectEvents, listRuns, openRunFolder, readCopy, type RunCopy, type Runs } from '../journal/run-folder.js';
import { JournalDamaged } from '../journal/journal-file.js';

/** How a run belongs to others: in both directions. */
export interface Links {
  readonly rollsBack?: string;
  /** Oldest first. */
  readonly rolledBackBy?: readonly string[];
}

export function linksOf(runs: Runs, id: string): Links {
  const { rollsBack } = copyOf(runs, id) ?? {};
  const rolledBackBy = listRuns(runs).filter(
    (later) => later > id && copyOf(runs, later)?.rollsBack === id && hasActed(runs, later),
  );
  return {
    ...(rollsBack === undefined ? {} : { rollsBack }),
    ...(rolledBackBy.length === 0 ? {} : { rolledBackBy }),
  };
}

/** A rollback that was refused rolled nothing back. */
const hasActed = (runs: Runs, id: string): boolean =>
  inspectEvents(openRunFolder(runs, id)).events.some(({ event }) => event.e === 'intent');

/** A damaged copy says nothing; `show` reports the damage. */
function copyOf(runs: Runs, id: string): RunCopy | undefined {
  try {
    return readCopy(openRunFolder(runs, id));
  } catch (error) {
    if (error instanceof JournalDamaged) return undefined;
    throw error;
  }
}

export const linkTexts = ({ rollsBack, rolledBackBy }: Links): readonly string[] => [
  ...(rollsBack === undefined ? [] : [`rolls back ${rollsBack}`]),
  ...(rolledBackBy === undefined ? [] : [`rolled back by ${rolledBackBy.join(', ')}`]),
];

/** The same as sentences. */
export const linkLines = ({ rollsBack, rolledBackBy }: Links): readonly string[] => [
  ...(rollsBack === undefined ? [] : [`This run rolls back ${rollsBack}.`]),
  ...(rolledBackBy === undefined ? [] : [`This run was rolled back by ${rolledBackBy.join(', ')}.`]),
];
