import { modules } from '../../engine/cli/platforms.js';
import { stableStringify } from '../../engine/lib/json.js';
import type { Change, Prediction, Undo } from '../../engine/terms/change.js';
import { refKey, type FactRef } from '../../engine/terms/fact.js';
import { isObject, type Json } from '../../engine/terms/json.js';
import type { AnyModule } from '../../engine/terms/module.js';
import { atOf, covers, decide, isKnown, lookIn, type Case, type Decision, type Look } from './case-table.js';

/** Which laws of the architecture a module breaks in a case: none, when it is well. */
export function broken(
  module: AnyModule,
  row: Case,
  accepts: (module: string, args: Json) => boolean,
): readonly string[] {
  const first = decide(module, row.args, atOf(row), lookIn(row));
  const again = decide(module, row.args, atOf(row), lookIn(row));
  const same = stableStringify(first.verdict as unknown as Json) === stableStringify(again.verdict as unknown as Json);
  return [
    ...(same ? [] : ['it decides differently from the same facts']),
    ...(first.verdict.is === 'change' ? ofChange(module, row, first, first.verdict.change, accepts) : []),
  ];
}

function ofChange(
  module: AnyModule,
  row: Case,
  first: Decision,
  change: Change,
  accepts: (module: string, args: Json) => boolean,
): readonly string[] {
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
    ...undone(row, first, change, world, accepts),
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
  // By what is asked, not by its name: an undo of another module may call another fact the same.
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

/** Its undo, decided over the predicted facts, predicts the facts before. */
function undone(
  row: Case,
  first: Decision,
  change: Change,
  world: After,
  accepts: (module: string, args: Json) => boolean,
): readonly string[] {
  if (!('steps' in change.undo)) return [];
  const facts = new Map<string, Json>();
  const complaints = change.undo.steps.flatMap((wanted) => undoStep(row, wanted, facts, world, accepts));
  if (complaints.length > 0) return complaints;
  // That a thing was done stays in the journal; its undo is another task's.
  const states = change.predicts.filter(isKnown).filter(({ ref }) => ref.fact !== 'done');
  return states.flatMap(({ ref, value }) => {
    const key = `${ref.fact}|${ref.key}`;
    // A fact may be null: nothing there is a value too.
    const had = first.values.has(refKey(ref)) ? first.values.get(refKey(ref)) : lookIn(row)('', ref);
    const was = row.undone !== undefined && Object.hasOwn(row.undone, key) ? row.undone[key] : had;
    const is = facts.has(refKey(ref)) ? (facts.get(refKey(ref)) ?? null) : value;
    return was === undefined || alike(was, is)
      ? []
      : [
          `its undo leaves ${refKey(ref)} as ${stableStringify(timeless(is))}, before it was ${stableStringify(timeless(was))}`,
        ];
  });
}

type Steps = Extract<Undo, { steps: unknown }>['steps'];

function undoStep(
  row: Case,
  wanted: Steps[number],
  facts: Map<string, Json>,
  world: After,
  accepts: (module: string, args: Json) => boolean,
): readonly string[] {
  const module = modules.get(wanted.module);
  if (module === undefined) return [`its undo wants an unknown module ${wanted.module}`];
  if (!accepts(wanted.module, wanted.args))
    return [`its undo gives ${wanted.module} arguments that its schema refuses: ${stableStringify(wanted.args)}`];
  const at = { task: { step: 'case/play/undo', on: wanted.on }, timeMs: atOf(row).timeMs + 2 };
  // What the undo does is another task's: it was never done.
  const look: Look = (_name, ref) => {
    if (facts.has(refKey(ref))) return facts.get(refKey(ref));
    if (ref.fact === 'done') return { is: 'never' };
    return world.look('', ref);
  };
  const { verdict, missing } = decide(module, wanted.args, at, look);
  if (missing.length > 0) return [`its undo cannot be decided: no value for ${missing.join(', ')}`];
  if (verdict.is === 'blocked') return [`its undo is blocked: ${verdict.reason}`];
  if (verdict.is === 'change')
    for (const p of verdict.change.predicts) if (isKnown(p)) facts.set(refKey(p.ref), p.value);
  return [];
}

const alike = (a: Json, b: Json): boolean => stableStringify(timeless(a)) === stableStringify(timeless(b));

/** Times cannot be brought back, and the wording of a JSON answer does not count. */
function timeless(value: Json): Json {
  if (Array.isArray(value)) return (value as readonly Json[]).map(timeless);
  if (!isObject(value)) return value;
  const entries = Object.entries(value).filter(
    ([key]) => !key.endsWith('AtMs') && !(key === 'text' && isObject(value['json'])),
  );
  return Object.fromEntries(entries.map(([key, inner]) => [key, timeless(inner)]));
}
