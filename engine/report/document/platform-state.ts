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

/** What runs and what is down, of hosts that have it installed: those that are in one state together. */
export function platformState(
  past: readonly Recorded[],
  { components, away, status, wait, outlook }: StateNow,
  of: 'plan' | 'run',
): StateOf {
  const each = components.filter(isInstalled).map((one) => {
    const down = isDown(one);
    const downSinceMs = down ? stoppedMs(past, [one]) : undefined;
    const state = defined({ component: one.component, installed: one.installed ?? '', isDown: down, downSinceMs });
    return { host: one.host, state };
  });
  return defined({
    is: 'state' as const,
    components: groupBy(each, ({ state }) => JSON.stringify(state)).map((same) => ({
      ...same[0].state,
      hosts: same.map(({ host }) => host),
    })),
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
