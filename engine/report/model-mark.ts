import { count } from '../lib/count.js';
import type { Event } from '../terms/event.js';
import { printableLine } from './style.js';

type Started = Partial<Pick<Extract<Event, { e: 'run-started' }>, 'hosts' | 'model' | 'zones'>>;

/** What stands beside a plan or a run of the model, so that it is not mistaken for one of real hosts; else nothing. */
export const modelMark = (started: Started | undefined): readonly string[] =>
  started?.model === undefined ? [] : [started.model === started.hosts ? 'ON THE MODEL' : 'PARTLY ON THE MODEL'];

/** The same behind a name. */
export const withModelMark = (name: string, started: Started | undefined): string =>
  [name, ...modelMark(started)].join(' ');

/** `8 hosts (zones berlin, lisbon) ON THE MODEL` */
export function hostsText(started: Started): string {
  const { hosts = 0, zones = [] } = started;
  const where = zones.length === 0 ? '' : ` (${zones.length === 1 ? 'zone' : 'zones'} ${zones.join(', ')})`;
  return withModelMark(printableLine(`${count(hosts, 'host')}${where}`), started);
}
