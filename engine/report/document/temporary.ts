import { groupBy } from '../../lib/group-by.js';
import type { Recorded } from '../../terms/event.js';
import { taskKey } from '../../terms/task.js';
import type { Tally } from '../tally.js';
import type { TemporaryChange } from './document.js';
import { hostName } from '../../terms/subject.js';

/** Temporary changes, each once for all of its hosts: of a plan as planned, of a run with what became of them. */
export function temporaryOf(t: Tally, events: readonly Recorded[], of: 'plan' | 'run'): readonly TemporaryChange[] {
  const restored = restoredBy(events);
  const all = t.temporary.map(({ task, name, restoring }) => {
    const by = restored.get(taskKey(task));
    return {
      name,
      host: hostName(task.on),
      is: of === 'plan' ? ('planned' as const) : by === undefined ? ('not-restored' as const) : ('restored' as const),
      ...(by === undefined || of === 'plan' ? {} : { restoredBy: by }),
      keptAfter: [...new Set((restoring.noRestoreAfter ?? []).map((step) => step.name))],
    };
  });
  return groupBy(all, ({ host: _host, ...rest }) => JSON.stringify(rest)).map((group) => {
    const [{ host: _host, ...rest }] = group;
    return { ...rest, hosts: group.map(({ host }) => host) };
  });
}

/** One that a resume made again is not restored. */
function restoredBy(events: readonly Recorded[]): ReadonlyMap<string, 'step' | 'end' | 'close'> {
  const by = new Map<string, 'step' | 'end' | 'close'>();
  for (const { event } of events) {
    if (event.e === 'temporary-made') by.delete(taskKey(event.task));
    if (event.e === 'temporary-restored') by.set(taskKey(event.task), event.by);
  }
  return by;
}
