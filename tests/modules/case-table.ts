import { readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { modules } from '../../engine/cli/platforms.js';
import type { Action, Outcome } from '../../engine/terms/action.js';
import type { Change, Prediction, Touch, Verdict } from '../../engine/terms/change.js';
import { refKey, type FactRef, type Needs } from '../../engine/terms/fact.js';
import type { Json, JsonObject } from '../../engine/terms/json.js';
import type { AnyModule, At, Judgement } from '../../engine/terms/module.js';
import { keyOf, type Subject } from '../../engine/terms/subject.js';
import { filesBelow } from '../specification/stamp.js';
import { factTags } from './fact-tags.js';

/** A row of a module's cases.yaml. What `expect` leaves out is not looked at. */
export interface Case {
  readonly case: string;
  readonly args: JsonObject;
  /** By the name of the need (`now`) or by `fact|key`. */
  readonly facts?: JsonObject;
  readonly time_ms?: number;
  /** Where the task is; the host `node-1` when absent. */
  readonly on?: Subject;
  readonly expect: Expected;
  /** What the module makes of outcomes. */
  readonly judge?: readonly ExpectedJudgement[];
}

/** `reason` and `hint` are regular expressions. */
export interface ExpectedJudgement {
  readonly outcome: Outcome;
  /** The action that was applied, where the module reads it too. */
  readonly action?: Action;
  readonly is: Judgement['is'];
  readonly reason?: string;
  readonly hint?: string;
  readonly retryAfterMs?: number;
  readonly items?: JsonObject;
}

export interface Expected {
  readonly is: Verdict['is'];
  /** Exact text. */
  readonly summary?: string;
  readonly sign?: Change['sign'];
  /** Text that the diff contains. */
  readonly diff?: string;
  /** As many as there are, each in part. */
  readonly actions?: readonly JsonObject[];
  readonly touches?: readonly JsonObject[];
  readonly predicts?: readonly JsonObject[];
  readonly left?: number;
  readonly starts?: true;
  /** Of an `ok`. */
  readonly value?: Json;
  /** Of a change or an `ok`: exactly these. */
  readonly warnings?: readonly string[];
  /** What is recorded of items: of exactly these, each in part. */
  readonly items?: JsonObject;
  /** Regular expressions. */
  readonly because?: string;
  readonly for?: string;
  /** Of a `waiting`: limit, interval and warning. */
  readonly pace?: JsonObject;
  readonly reason?: string;
  readonly hint?: string;
}

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** The tables beside the modules, by the name of the module, which is that of its folder. */
const tables: ReadonlyMap<string, string> = new Map(
  filesBelow(ROOT, 'engine', 'cases.yaml').map((file) => [basename(dirname(file)), join(ROOT, file)]),
);

/** The table of one module. */
export const casesOf = (name: string): readonly Case[] => {
  const file = tables.get(name);
  if (file === undefined) throw new Error(`no cases.yaml in the folder of the module ${name}`);
  // The tables are our own: none repeats its anchors to exhaust memory.
  return parse(readFileSync(file, 'utf8'), {
    customTags: factTags,
    merge: true,
    maxAliasCount: -1,
  }) as readonly Case[];
};

export const namesOfTables = (): readonly string[] => [...tables.keys()].sort();

export function moduleNamed(name: string): AnyModule {
  const found = modules.get(name);
  if (found === undefined) throw new Error(`there is no module ${name}`);
  return found;
}

export const atOf = (row: Case): At => ({
  task: { step: 'case/play/step', on: row.on ?? { host: 'node-1' } },
  timeMs: row.time_ms ?? 1_000_000,
});

/** Gives the value of a question, or undefined when the world has none. */
export type Look = (name: string, ref: FactRef) => Json | undefined;

/** What lies beside a configuration file: nothing, unless a case says so. */
const BESIDE = /\.(?:bak|dpkg-dist|dpkg-old|rpmnew|rpmsave|new)$/;

/** Finds the answer to a question by its need's name first, then by `fact|key`. What no case says was never done. */
export const lookIn =
  (row: Case): Look =>
  (name, ref) => {
    const facts = row.facts ?? {};
    if (Object.hasOwn(facts, name)) return facts[name];
    const key = `${ref.fact}|${ref.key}`;
    if (Object.hasOwn(facts, key)) return facts[key];
    if (ref.fact === 'items') return { items: {}, marks: {} };
    // Nothing was staged unless a case says so.
    if (ref.fact === 'package-file') return null;
    if (ref.fact === 'package-staged') return false;
    if (ref.fact === 'package-archived-file') return null;
    if (BESIDE.test(ref.key)) return ref.fact === 'content' ? null : { exists: false };
    return ref.fact === 'done' ? { is: 'never' } : undefined;
  };

/** A decision with everything that it was made from, so that a law can ask again. */
export interface Decision {
  readonly verdict: Verdict;
  readonly refs: ReadonlyMap<string, FactRef>;
  readonly values: ReadonlyMap<string, Json>;
  readonly missing: readonly string[];
}

const ROUNDS = 5;

/** Decides as the engine does, asking again for as long as the module wants more. Values are frozen: a module alters nothing. */
export function decide(module: AnyModule, args: Json, at: At, look: Look): Decision {
  const refs = new Map<string, FactRef>();
  const values = new Map<string, Json>();
  const missing: string[] = [];
  const answer = (needs: Needs): Record<string, Json> => {
    const found: Record<string, Json> = {};
    for (const [name, ref] of Object.entries(needs)) {
      const value = look(name, ref);
      if (value === undefined) missing.push(`${name} (${refKey(ref)})`);
      else {
        found[name] = freeze(value);
        refs.set(refKey(ref), ref);
        values.set(refKey(ref), value);
      }
    }
    return found;
  };
  const now = answer(module.needs(freeze(args), at));
  let more: Record<string, Json> | undefined;
  for (let round = 0; round < ROUNDS; round += 1) {
    if (missing.length > 0)
      return { verdict: { is: 'blocked', reason: `no value for ${missing.join(', ')}` }, refs, values, missing };
    const verdict = module.decide(args, now, at, more);
    if (verdict.is !== 'more') return { verdict, refs, values, missing };
    more = { ...more, ...answer(verdict.needs) };
  }
  throw new Error(`${module.name} wants more facts after ${ROUNDS} rounds`);
}

function freeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    Object.values(value).forEach(freeze);
  }
  return value;
}

/** Does one of these touches take in this fact? */
export const covers = (touches: readonly Touch[], ref: FactRef): boolean =>
  touches.some((t) => ('everything' in t ? keyOf(t.of) === keyOf(ref.of) : refKey(t) === refKey(ref)));

export const isKnown = (p: Prediction): p is Extract<Prediction, { value: Json }> => !('unknown' in p);
