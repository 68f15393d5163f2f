import type { Event, Recorded } from '../../terms/event.js';
import { taskKey } from '../../terms/task.js';
import { predictedOn } from '../plan/predicted.js';
import { printableLine } from '../style.js';
import { hostName } from '../../terms/subject.js';

/** Services that an unfinished run has stopped, or failed to start. */
export interface KeptStopped {
  readonly run: string;
  /** By host and component (`serviceKey`). */
  readonly services: ReadonlyMap<string, Kept>;
  /** The flags that lead to the run: ` -i FILE`, or nothing. */
  readonly where: string;
}

export type Kept = 'stopped' | 'not started';

export const serviceKey = (host: string, name: string): string => JSON.stringify([host, name]);

/** The units that a run stopped last, or last tried to start, by host and unit. */
export function stoppedUnits(past: readonly Recorded[]): ReadonlyMap<string, Kept> {
  const units = new Map<string, { readonly is: Kept; readonly task: string }>();
  for (const { event } of past) {
    if (event.e === 'intent')
      for (const { host, name, value } of predictedOn(event.change, 'service'))
        units.set(serviceKey(host, name), {
          is: value['active'] === 'inactive' ? 'stopped' : 'not started',
          task: taskKey(event.task),
        });
    if (event.e === 'settled' && (event.as === 'done' || event.as === 'ok'))
      for (const [key, { is, task }] of units)
        if (is === 'not started' && task === taskKey(event.task)) units.delete(key);
  }
  return new Map([...units].map(([key, { is }]) => [key, is]));
}

/** Findings of services that an unfinished run keeps stopped, with what is right for them in place of their own remedy: a start by hand. */
export const withKeptStopped = (events: readonly Recorded[], stopped: KeptStopped | undefined): readonly Recorded[] =>
  stopped === undefined
    ? events
    : events.map((recorded) => {
        const { event } = recorded;
        const is = event.e === 'found' ? keptIn(event, stopped) : undefined;
        return is === undefined ? recorded : { ...recorded, event: { ...event, remedy: remedy(is, stopped) } as Event };
      });

/** A check of a service has the tag `running`, and that of its component. */
function keptIn({ task, tags = [] }: Extract<Event, { e: 'found' }>, { services }: KeptStopped): Kept | undefined {
  if (!tags.includes('running')) return undefined;
  return tags.flatMap((tag) => services.get(serviceKey(hostName(task.on), tag)) ?? [])[0];
}

const remedy = (is: Kept, { run, where }: KeptStopped): string =>
  is === 'stopped'
    ? `kept stopped by the unfinished run ${printableLine(run)}, which starts it: runbook resume${where}`
    : `not started by the unfinished run ${printableLine(run)}: fix the cause, then: runbook resume${where}`;
