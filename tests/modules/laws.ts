import { stableStringify } from '../../engine/lib/json.js';
import type { Change, Prediction } from '../../engine/terms/change.js';
import { refKey, type FactRef } from '../../engine/terms/fact.js';
import type { Json } from '../../engine/terms/json.js';
import type { AnyModule } from '../../engine/terms/module.js';
import { atOf, covers, decide, isKnown, lookIn, type Case, type Decision, type Look } from './case-table.js';

/** Which laws of the architecture a module breaks in a case: none, when it is well. */
export function broken(module: AnyModule, row: Case): readonly string[] {
  const first = decide(module, row.args, atOf(row), lookIn(row));
  const again = decide(module, row.args, atOf(row), lookIn(row));
  const same = stableStringify(first.verdict as unknown as Json) === stableStringify(again.verdict as unknown as Json);
  return [
    ...(same ? [] : ['it decides differently from the same facts']),
    ...(first.verdict.is === 'change' ? ofChange(module, row, first, first.verdict.change) : []),
  ];
}

function ofChange(module: AnyModule, row: Case, first: Decision, change: Change): readonly string[] {
  const at = atOf(row);
  const sound = module.touches(row.args, at);
  const world = after(row, first, change);
  return [
    ...change.predicts
      .filter((p) => !covers(change.touches, p.ref))
      .map((p) => `predicts ${refKey(p.ref)} and does not touch it`),
    ...change.touches
      .filter((t) =>
        'everything' in t
          ? !sound.some((s) => 'everything' in s && stableStringify(s) === stableStringify(t))
          : !covers(sound, t),
      )
      .map((t) => `its change touches more than the module says: ${stableStringify({ ...t })}`),
    ...leftToDo(module, row, first, world, change),
  ];
}

/** Facts as a plan has them after the change: predictions over what the case states, and unknown where it touches without predicting. */
interface After {
  readonly laid: ReadonlyMap<string, Prediction>;
  readonly look: Look;
  isUnknown(ref: FactRef): boolean;
}

function after(row: Case, first: Decision, change: Change): After {
  const laid = new Map(change.predicts.map((p) => [refKey(p.ref), p]));
  const before: Look = (name, ref) =>
    first.values.has(refKey(ref)) ? first.values.get(refKey(ref)) : lookIn(row)(name, ref);
  return {
    laid,
    isUnknown: (ref) => {
      const p = laid.get(refKey(ref));
      return p === undefined ? ref.fact !== 'done' && covers(change.touches, ref) : !isKnown(p);
    },
    look: (name, ref) => {
      const p = laid.get(refKey(ref));
      if (p !== undefined && isKnown(p)) return p.value;
      // The engine answers this one: after the change of a thing done, it is done.
      return ref.fact === 'done' ? { is: 'done', value: null } : before(name, ref);
    },
  };
}

/** Deciding again over its own predictions leaves nothing to do, or less than before. */
function leftToDo(module: AnyModule, row: Case, first: Decision, world: After, change: Change): readonly string[] {
  const at = { ...atOf(row), timeMs: atOf(row).timeMs + 1 };
  const asked = [...Object.values(module.needs(row.args, at)), ...first.refs.values()];
  if (asked.some((ref) => world.isUnknown(ref))) return [];
  const { verdict, missing } = decide(module, row.args, at, world.look);
  if (missing.length > 0) return [`cannot decide again: no value for ${missing.join(', ')}`];
  if (verdict.is === 'ok' || verdict.is === 'waiting') return [];
  if (verdict.is === 'change' && (verdict.change.left ?? Infinity) < (change.left ?? Infinity)) return [];
  return [
    `is not settled by its own predictions: ${verdict.is === 'change' ? verdict.change.summary : stableStringify(verdict as unknown as Json)}`,
  ];
}
