import type { Event } from '../terms/event.js';

type Started = Partial<Pick<Extract<Event, { e: 'run-started' }>, 'hosts' | 'model'>>;

/** What stands beside a plan or a run of the model, so that it is not mistaken for one of real hosts; else nothing. */
export const modelMark = (started: Started | undefined): readonly string[] =>
  started?.model === undefined ? [] : [started.model === started.hosts ? 'ON THE MODEL' : 'PARTLY ON THE MODEL'];

/** The same behind a name. */
export const withModelMark = (name: string, started: Started | undefined): string =>
  [name, ...modelMark(started)].join(' ');
