import {
  findCopy,
  inspectEvents,
  listOtherRuns,
  openRunFolder,
  type RunCopy,
  type Runs,
} from '../journal/run-folder.js';
import type { SucceededBefore } from '../report/document/document.js';
import type { Recorded } from '../terms/event.js';
import { rollbacksOf } from './links.js';

/**
 * The inventories beside this one on which the whole of the same playbooks was done before this run, by the same version of this
 * program, and not rolled back: the newest run of each.
 */
export function succeededBefore(
  runs: Runs,
  {
    id,
    copy,
    events,
  }: { readonly id: string; readonly copy: RunCopy | undefined; readonly events: readonly Recorded[] },
): readonly SucceededBefore[] {
  if (copy === undefined) return [];
  const [playbooks, version] = [textsOf(copy), versionOf(events)];
  const newest = new Map<string, SucceededBefore>();
  for (const run of listOtherRuns(runs).filter((other) => other < id)) {
    const folder = openRunFolder(runs, run);
    const other = findCopy(folder);
    const inventory = other?.inventory[0]?.file;
    if (other === undefined || inventory === undefined || !isWhole(other) || textsOf(other) !== playbooks) continue;
    const past = inspectEvents(folder).events;
    const isDone = past.some(({ event }) => event.e === 'run-ended' && event.as === 'done');
    if (!isDone || versionOf(past) !== version) continue;
    if (rollbacksOf({ ...runs, inventory }, run).length === 0) newest.set(inventory, { inventory, run });
  }
  return [...newest.values()];
}

const textsOf = ({ playbook }: RunCopy): string => JSON.stringify(playbook.map(({ text }) => text));

const isWhole = ({ limit, tags, skipTags, startAt }: RunCopy): boolean =>
  [limit, tags, skipTags, startAt].every((part) => part === undefined || part.length === 0);

/** Of its last part: a resume may be made by another version. */
const versionOf = (events: readonly Recorded[]): string =>
  events.flatMap(({ event }) => (event.e === 'run-started' ? [event.version ?? ''] : [])).at(-1) ?? '';
