import { foldAll } from '../../journal/fold.js';
import { defined } from '../../lib/defined.js';
import { groupBy } from '../../lib/group-by.js';
import type { Recorded } from '../../terms/event.js';
import type { StateNow } from '../../terms/state-now.js';
import { hostName } from '../../terms/subject.js';
import { latestStarts } from '../plan/latest-starts.js';
import { stoppedMs } from '../end/now-lines.js';
import { isDown, isInstalled } from '../end/stopped.js';
import type { StateOf } from './document.js';

/** What runs and what is down, of hosts that have it installed: those that are in one state together, since the first of them stopped. */
export function platformState(
  past: readonly Recorded[],
  { components, away, status, wait, outlook }: StateNow,
  of: 'plan' | 'run',
): StateOf {
  return defined({
    is: 'state' as const,
    components: groupBy(components.filter(isInstalled), (one) =>
      JSON.stringify([one.component, one.installed, isDown(one)]),
    ).map((same) =>
      defined({
        component: same[0].component,
        installed: same[0].installed ?? '',
        isDown: isDown(same[0]),
        downSinceMs: isDown(same[0]) ? stoppedMs(past, same) : undefined,
        hosts: same.map(({ host }) => host),
      }),
    ),
    away,
    status,
    wait,
    latestStarts: outlook?.window === undefined ? undefined : latestStarts(outlook),
    inEffect: of === 'plan' ? inEffect(past) : undefined,
  });
}

/** Each once, with its hosts. The report of a run has them among its temporary changes. */
function inEffect(past: readonly Recorded[]): StateOf['inEffect'] {
  const made = [...foldAll(past.map(({ event }) => event)).temporaryChanges.values()];
  return groupBy(made, ({ name }) => name).map((same) => ({
    name: same[0].name,
    hosts: same.map(({ task }) => hostName(task.on)),
  }));
}
