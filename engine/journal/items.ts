import { getOrCreate } from '../lib/get-or-create.js';
import type { Action } from '../terms/action.js';
import type { Event } from '../terms/event.js';
import type { ItemState } from '../terms/fact.js';
import { taskKey } from '../terms/task.js';
import type { RunState } from './state.js';

type Of<E extends Event['e']> = Extract<Event, { readonly e: E }>;

/** What the journal says of items: of one that came to its end, or of several that are under way. */
export function foldItems(state: RunState, event: Of<'item'> | Of<'items'>): void {
  const items = itemsOf(state, event);
  const { is } = event;
  const outcome = event.reason === undefined ? { is } : { is, reason: event.reason };
  if (event.e === 'item') {
    items.set(event.item, { ...batchOf(items.get(event.item)), ...outcome, ...valued(event.value) });
    return;
  }
  for (const [item, value] of Object.entries(event.items))
    items.set(item, { ...batchOf(items.get(item)), ...outcome, sinceMs: event.sinceMs, ...valued(value) });
}

/** The items of an intent are chosen together, and those of its first effect may have been requested from now on. */
export function chooseItems(state: RunState, event: Of<'intent'>): void {
  for (const action of event.change.actions) mark(state, event, action, 'due');
  mark(state, event, event.change.actions[0], 'asked');
}

/**
 * Which items may have been requested, by the outcome of an effect. If it was met: also those of the next effect. If it is known that
 * nothing was done (no connection, or a refusal by the server): not its own. An effect that failed (500 and above) may be partially done.
 */
export function itemsAfter(state: RunState, event: Of<'effect'>): void {
  const open = state.tasks.get(taskKey(event.task))?.open;
  if (open?.attempt !== event.attempt) return;
  if (event.met) mark(state, event, open.change.actions[event.index + 1], 'asked');
  const { outcome } = event;
  const nothing = outcome.is === 'refused' || (outcome.is === 'answered' && outcome.status < 500);
  if (!event.met && nothing) mark(state, event, open.change.actions[event.index], 'due');
}

/** A resume repeats a step that failed, and so may try again those of its items that failed; one that was cut goes on where it was. */
export function tryItemsAgain(state: RunState): void {
  for (const [key, items] of state.items) {
    const as = state.tasks.get(key)?.settled?.as;
    if (as !== 'failed' && as !== 'blocked') continue;
    for (const [item, known] of items) if (known.is === 'failed') items.set(item, { ...known, again: true });
  }
}

function mark(
  state: RunState,
  event: Of<'intent'> | Of<'effect'>,
  action: Action | undefined,
  is: 'due' | 'asked',
): void {
  if (action === undefined || !('items' in action)) return;
  const items = itemsOf(state, event);
  for (const item of action.items ?? [])
    items.set(item, { is, ...(action.batch === undefined ? {} : { batch: action.batch }) });
}

function itemsOf(state: RunState, { task }: { readonly task: Of<'item'>['task'] }): Map<string, ItemState> {
  const key = taskKey(task);
  return getOrCreate(state.items, key, () => new Map<string, ItemState>());
}

const batchOf = (item: ItemState | undefined): { readonly batch?: string } =>
  item?.batch === undefined ? {} : { batch: item.batch };
const valued = (value: ItemState['value']): Pick<ItemState, 'value'> => (value === undefined ? {} : { value });
