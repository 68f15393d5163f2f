import { dirname } from 'node:path';
import { sumsIn } from '../../journal/journal-file.js';
import type { RunFolder } from '../../journal/run-folder.js';
import { countingWaiverApprovals, waiverApprovalsOf, waiverName } from '../../store/approvals.js';
import { openFileStore } from '../../store/files.js';
import { StoreUnavailable, type RunStore } from '../../store/run-store.js';
import type { Event, Recorded } from '../../terms/event.js';
import { storeText } from '../team/say-store.js';

type Begun = Extract<Event, { e: 'run-started' }>;
/** A part of a run which one person began who waived requirements alone. */
export type Waiver = Recorded & { readonly event: Begun };

export const isWaiver = (recorded: Recorded): recorded is Waiver =>
  recorded.event.e === 'run-started' && recorded.event.awaitsApproval === true;

/** The names under which a store has the approvals of these waivers, in their order. */
export function waiverNames({ id, journalFile }: RunFolder, waivers: readonly Waiver[]): readonly string[] {
  const sums = sumsIn(journalFile);
  return waivers.map(({ seq }) => waiverName(id, sums[seq - 1] ?? ''));
}

/** The waivers with the approvals that a store has of them; one that has enough awaits no more. Throws StoreUnavailable. */
export const withApprovals = (
  store: Pick<RunStore, 'approvals'>,
  folder: RunFolder,
  waivers: readonly Waiver[],
): Promise<readonly Waiver[]> => {
  const names = waiverNames(folder, waivers);
  return Promise.all(
    waivers.map(async (waiver, i) => {
      const { awaitsApproval: _, ...event } = waiver.event;
      const { by: waivedBy = '', approvalsNeeded = 1 } = event;
      const all = countingWaiverApprovals(await waiverApprovalsOf(store, names[i] ?? ''), waivedBy);
      if (all.length === 0) return waiver;
      const waiverApprovals = all.map(({ by, atMs }) => ({ by, atMs }));
      const awaits = all.length < approvalsNeeded ? { awaitsApproval: true as const } : {};
      return { ...waiver, event: { ...event, ...awaits, waiverApprovals } };
    }),
  );
};

/** The events of a run as they are shown: with the approvals of its waivers, as far as this machine has them from the team's store. */
export async function shownEvents(folder: RunFolder, events: readonly Recorded[]): Promise<readonly Recorded[]> {
  const waivers = events.filter(isWaiver);
  if (waivers.length === 0) return events;
  try {
    const approved = await withApprovals(openFileStore(dirname(folder.path)), folder, waivers);
    const bySeq = new Map(approved.map((waiver) => [waiver.seq, waiver]));
    return events.map((recorded) => bySeq.get(recorded.seq) ?? recorded);
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error;
    process.stderr.write(`runbook: ${storeText(error)}\n  the waivers of the run are shown without their approvals\n`);
    return events;
  }
}
