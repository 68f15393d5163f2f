import { itemsOf } from '../../journal/state.js';
import type { ItemNote } from '../../terms/change.js';
import type { Json } from '../../terms/json.js';
import { taskKey, type TaskId } from '../../terms/task.js';
import type { Run } from '../run.js';

/**
 * Records what became of items. What one came to is an event of its own; those that are under way, thousands of them, share one. What is
 * recorded already is not said again.
 */
export function noteItems(run: Run, task: TaskId, notes: Readonly<Record<string, ItemNote>>): void {
  const { items } = itemsOf(run.journal.state, taskKey(task));
  const underWay = new Map<string, { note: UnderWay; items: Record<string, Json> }>();
  for (const [item, note] of Object.entries(notes)) {
    const before = items[item];
    if (before?.is === note.is && before.reason === note.reason && (!isUnderWay(note) || before.sinceMs !== undefined))
      continue;
    if (!isUnderWay(note)) {
      const batch = before?.batch === undefined ? {} : { batch: before.batch };
      run.journal.emit({ e: 'item', task, item, ...(note as End), ...batch });
      continue;
    }
    const key = JSON.stringify([note.is, note.reason]);
    const group = underWay.get(key) ?? { note, items: {} };
    group.items[item] = note.value ?? null;
    underWay.set(key, group);
  }
  for (const { note, items: of } of underWay.values()) {
    const { is, reason } = note;
    const sinceMs = run.clock.nowMs();
    run.journal.emit({ e: 'items', task, is, sinceMs, ...(reason === undefined ? {} : { reason }), items: of });
  }
}

type End = ItemNote & { readonly is: 'done' | 'failed' | 'left' };
type UnderWay = ItemNote & { readonly is: 'due' | 'asked' | 'pending' };
const isUnderWay = (note: ItemNote): note is UnderWay =>
  note.is === 'due' || note.is === 'asked' || note.is === 'pending';
