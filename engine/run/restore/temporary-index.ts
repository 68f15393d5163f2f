import type { TemporaryChange, RunState } from '../../journal/state.js';
import { getOrCreate } from '../../lib/get-or-create.js';
import type { Touch } from '../../terms/change.js';
import { refKey, type FactRef } from '../../terms/fact.js';
import { keyOf } from '../../terms/subject.js';
import { taskKey, type TaskId } from '../../terms/task.js';

/**
 * Which temporary changes may an action have restored? Sorted by what their restoring depends on, so that an action checks those of its own subject
 * alone: with a thousand hosts there are thousands of them.
 */
export class TemporaryIndex {
  readonly #bySubject = new Map<string, Map<string, readonly FactRef[]>>();

  readonly #byStep = new Map<string, Set<string>>();

  /** `needs`: the facts that decide whether this temporary change is restored. */
  add({ task, restoring }: Pick<TemporaryChange, 'task' | 'restoring'>, needs: readonly FactRef[]): void {
    for (const step of restoring.restoredBy ?? [])
      getOrCreate(this.#byStep, taskKey({ step, on: task.on }), () => new Set<string>()).add(taskKey(task));
    for (const { of } of needs) {
      const there = this.#bySubject.get(keyOf(of)) ?? new Map<string, readonly FactRef[]>();
      this.#bySubject.set(keyOf(of), there.set(taskKey(task), needs));
    }
  }

  /** Those that name the step of this task, on its subject. */
  restoredBy(by: TaskId, { temporaryChanges }: RunState): readonly TemporaryChange[] {
    return [...(this.#byStep.get(taskKey(by)) ?? [])].flatMap((key) => temporaryChanges.get(key) ?? []);
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
