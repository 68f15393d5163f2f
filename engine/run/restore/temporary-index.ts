import type { TemporaryChange, RunState } from '../../journal/state.js';
import type { Touch } from '../../terms/change.js';
import { refKey, type FactRef } from '../../terms/fact.js';
import { keyOf } from '../../terms/subject.js';
import { taskKey } from '../../terms/task.js';

/**
 * Which temporary changes may an action have restored? Sorted by what their restoring depends on, so that an action checks those of its own subject
 * alone: with a thousand hosts there are thousands of them.
 */
export class TemporaryIndex {
  readonly #bySubject = new Map<string, Map<string, readonly FactRef[]>>();

  /** `needs`: the facts that decide whether this temporary change is restored. */
  add(temporaryChange: Pick<TemporaryChange, 'task'>, needs: readonly FactRef[]): void {
    for (const { of } of needs) {
      const there = this.#bySubject.get(keyOf(of)) ?? new Map<string, readonly FactRef[]>();
      this.#bySubject.set(keyOf(of), there.set(taskKey(temporaryChange.task), needs));
    }
  }

  concernedBy(touched: readonly Touch[], { temporaryChanges }: RunState): readonly TemporaryChange[] {
    const found = new Map<string, TemporaryChange>();
    for (const touch of touched)
      for (const [key, needs] of this.#bySubject.get(keyOf(touch.of)) ?? []) {
        const temporaryChange = temporaryChanges.get(key);
        if (temporaryChange !== undefined && needs.some((n) => isTouched(n, touch))) found.set(key, temporaryChange);
      }
    return [...found.values()];
  }
}

const isTouched = (need: FactRef, touch: Touch): boolean =>
  'everything' in touch ? keyOf(touch.of) === keyOf(need.of) : refKey(touch) === refKey(need);
