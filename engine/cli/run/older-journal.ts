import { readMarker, recordsOfOlder, type HostMarker } from '../../journal/host-marker.js';
import { findCopy, openRunFolder, type RunFolder, type Runs } from '../../journal/run-folder.js';
import { printableLine } from '../../report/style.js';
import type { Lease } from '../../run/lease.js';
import { EXIT, sorry } from '../options/exit.js';
import type { Flags } from '../options/flags.js';
import { whereOfRun } from './unfinished.js';

/** A run's folder that lacks a record which a host names: it was set back to an earlier copy. */
export interface OlderJournal {
  readonly host: string;
  readonly marker: HostMarker;
  readonly folder: RunFolder;
  /** How many records its journal has. */
  readonly records: number;
}

export type KeptOff = { readonly by: Lease } | { readonly older: OlderJournal };

/** The journal of a run, or of the run that it rolls back, that is older than a host; the host that knows most. */
export function findOlderJournal(
  runs: Runs,
  folder: RunFolder,
  markers: ReadonlyMap<string, string>,
): OlderJournal | undefined {
  const { backFrom = '' } = findCopy(folder) ?? {};
  const folders = backFrom === '' ? [folder] : [folder, openRunFolder(runs, backFrom)];
  const all = [...markers].flatMap(([host, text]) => {
    const marker = readMarker(text);
    return marker === undefined ? [] : folders.flatMap((one) => olderThan(one, host, marker));
  });
  return all.sort((a, b) => b.marker.seq - a.marker.seq)[0];
}

function olderThan(folder: RunFolder, host: string, marker: HostMarker): readonly OlderJournal[] {
  const records = recordsOfOlder(folder.journalFile, marker);
  return records === undefined ? [] : [{ host, marker, folder, records }];
}

export const olderText = ({ host, marker, folder, records }: OlderJournal): string =>
  `${folder.journalFile} is older than ${host}: it has ${records} records, and an action there came after record ${marker.seq}${
    marker.step === '' ? '' : ` ("${printableLine(marker.step)}")`
  }, which it lacks`;

/** What was done after its last record is not known here, so nothing is done. */
export const sayOlder = (older: OlderJournal, flags: Flags): number =>
  sorry(
    EXIT.refused,
    `nothing was changed: ${olderText(older)}`,
    `put the newest copy of ${older.folder.path} in its place, then: runbook resume${whereOfRun(findCopy(older.folder), flags)}`,
  );
