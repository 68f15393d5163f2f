import { readMarker, recordsOfOlder, type HostMarker } from '../../journal/host-marker.js';
import { sumsIn } from '../../journal/journal-file.js';
import {
  findCopy,
  inspectEvents,
  listRuns,
  openRunFolder,
  type RunFolder,
  type Runs,
} from '../../journal/run-folder.js';
import { quote } from '../../lib/quote.js';
import { printableLine } from '../../report/style.js';
import type { RunState } from '../../journal/state.js';
import type { Project } from '../../language/project.js';
import type { Event } from '../../terms/event.js';
import type { Lease } from '../../run/lease.js';
import { EXIT, refusal, type Refusal } from '../options/exit.js';
import type { Flags } from '../options/flags.js';
import { whereOfRun } from './unfinished.js';

/** A host knows more of a run than what is here: its folder lacks a record that the host names, or is not here at all. */
export interface OlderJournal {
  readonly host: string;
  readonly marker: HostMarker;
  /** Absent: the run's folder is lost. */
  readonly copy?: EarlierCopy;
}

/** A run's folder that was set back to an earlier copy. */
interface EarlierCopy {
  readonly folder: RunFolder;
  /** How many records its journal has. */
  readonly records: number;
}

export type KeptOff = { readonly by: Lease } | { readonly older: OlderJournal };

/** Where the journal of a run, or of the run that it rolls back, is older than hosts; the host that knows most is first. */
export function findOlderJournals(
  runs: Runs,
  folder: RunFolder,
  markers: ReadonlyMap<string, string>,
): readonly OlderJournal[] {
  const read = readAll(markers);
  if (read.length === 0) return [];
  const { backFrom = '' } = findCopy(folder) ?? {};
  const folders = backFrom === '' ? [folder] : [folder, openRunFolder(runs, backFrom)];
  return folders.flatMap((one) => olderThan(one, read)).sort(furthestFirst);
}

/** Runs that hosts name and that are not here: neither done nor closed, or the host was away then. The host that knows most is first. */
export function findLostRuns(runs: Runs, markers: ReadonlyMap<string, string>): readonly OlderJournal[] {
  const read = readAll(markers);
  if (read.length === 0) return [];
  const here = new Set(listRuns(runs));
  // A run's id is not unique; the checksum of its first record is.
  const isHere = ({ marker: { run, first } }: OlderJournal): boolean =>
    here.has(run) && sumsIn(openRunFolder(runs, run).journalFile)[0] === first;
  return read.filter((one) => !isHere(one)).sort(furthestFirst);
}

const readAll = (markers: ReadonlyMap<string, string>): readonly OlderJournal[] =>
  [...markers].flatMap(([host, text]) => {
    const marker = readMarker(text);
    return marker === undefined ? [] : [{ host, marker }];
  });

const furthestFirst = (a: OlderJournal, b: OlderJournal): number => b.marker.seq - a.marker.seq;

function olderThan(folder: RunFolder, markers: readonly OlderJournal[]): readonly OlderJournal[] {
  const sums = sumsIn(folder.journalFile);
  const older = markers.flatMap((one) => {
    const records = recordsOfOlder(sums, one.marker);
    return records === undefined ? [] : [{ ...one, copy: { folder, records } }];
  });
  if (older.length === 0) return [];
  const accepted = acceptedIn(folder);
  return older.filter(({ marker }) => !accepted.has(marker.sum));
}

/** The markers from which an earlier `resume --from-hosts` went on, by their checksum. */
const acceptedIn = (folder: RunFolder): ReadonlySet<string> =>
  new Set(
    inspectEvents(folder).events.flatMap(({ event }) =>
      event.e === 'journal-older' ? event.markers.map(({ sum }) => sum) : [],
    ),
  );

/**
 * What a run records that goes on all the same. Up to the step of the furthest marker all may have been done, but in plays that had ended
 * before. A marker of no step of the playbook leaves it open for all: its step was too long, or a temporary change was restored.
 */
export function fromHosts(
  { playbook }: Pick<Project, 'playbook'>,
  state: Pick<RunState, 'plays'>,
  older: readonly OlderJournal[],
): readonly Event[] {
  const steps = playbook.plays.flatMap((play) => play.steps.map(({ path }) => ({ path, play })));
  const last = older.map(({ marker }) => {
    const at = steps.find(({ path }) => path === marker.step);
    // Host by host: one before it went through all of the play, and may have no marker.
    const isLast = ({ path, play }: (typeof steps)[number]): boolean =>
      at?.play.serial === undefined ? path === at?.path : play === at.play;
    return steps.findLastIndex(isLast);
  });
  const end = last.includes(-1) ? steps.length : Math.max(...last) + 1;
  const open = steps.slice(0, end).filter(({ play }) => state.plays.get(play.path)?.ended !== true);
  const [first] = older;
  return [
    {
      e: 'journal-older',
      markers: older.map(({ host, marker }) => ({ host, record: marker.seq, sum: marker.sum })),
      steps: open.map(({ path }) => path),
    },
    ...(first === undefined
      ? []
      : [
          {
            e: 'warned',
            text: `${olderText(first)}: the run goes on from what the hosts have (--from-hosts)`,
            hint: 'it asks for each step up to there that cannot be read from its host',
          } as const,
        ]),
  ];
}

export const olderText = ({ host, marker, copy }: OlderJournal): string =>
  copy === undefined
    ? `${host} has an action of the run ${printableLine(marker.run)} after its record ${marker.seq}${stepOf(marker)}, and that run is not here`
    : `${copy.folder.journalFile} is older than ${host}: it has ${copy.records} records, and an action there came after record ${marker.seq}${stepOf(marker)}, which it lacks`;

const stepOf = ({ step }: HostMarker): string => (step === '' ? '' : ` ("${printableLine(step)}")`);

/** What was done after its last record is not known here, so nothing is done. */
export const olderRefusal = (older: OlderJournal, flags: Flags): Refusal =>
  refusal(EXIT.refused, `nothing was changed: ${olderText(older)}`, ...waysOn(older, flags));

function waysOn({ copy, marker }: OlderJournal, flags: Flags): readonly string[] {
  const where = whereOfRun(copy && findCopy(copy.folder), flags);
  const how = 'goes on from what the hosts have, and asks for steps that cannot be read from them';
  if (copy === undefined)
    return [
      `put the folder of that run (.runbook/runs/${printableLine(marker.run)}) beside the inventory, then: runbook resume${where}`,
      `or, where it is lost: runbook apply ${quote(flags.positionals)} --from-hosts${where}   ${how}`,
    ];
  return [
    `put the newest copy of ${copy.folder.path} in its place, then: runbook resume${where}`,
    `or, where there is none: runbook resume --from-hosts${where}   ${how}`,
  ];
}
