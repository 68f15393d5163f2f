import type { Event, Recorded } from '../terms/event.js';
import { taskKey } from '../terms/task.js';

/** How many tasks changed something: each once, also when it was given back since. A record alone counts as one, a question does not. */
export function changedTasks(events: readonly Recorded[]): number {
  const changed = new Set(events.flatMap(({ event: e }) => (e.e === 'settled' && e.changed ? [taskKey(e.task)] : [])));
  for (const { event } of events) if (isQuestion(event)) changed.delete(taskKey(event.task));
  return changed.size;
}

const isQuestion = (e: Event): e is Extract<Event, { e: 'intent' }> =>
  e.e === 'intent' && e.change.actions.length > 0 && e.change.actions.every((action) => action.do === 'ask');
