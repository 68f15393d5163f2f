import { getOrCreate } from '../../lib/get-or-create.js';
import { refKey, type FactRef, type Known, type Need } from '../../terms/fact.js';
import type { Json } from '../../terms/json.js';
import type { Reading } from './facts.js';
import type { Run } from '../run.js';

/** Gives what is known of a fact now. What is not known yet is noted, and asked before the function runs again. */
export interface FactLookup {
  (ref: FactRef): Reading;
  /** What is computed under a key is computed once: no fact changes while it is looked at. */
  readonly once: <T>(key: string, compute: () => T) => T;
}

/** A lookup for one function that runs once. */
export function lookupBy(read: (ref: FactRef) => Reading): FactLookup {
  const computed = new Map<string, unknown>();
  const once = <T>(key: string, compute: () => T): T => getOrCreate(computed, key, compute) as T;
  return Object.assign((ref: FactRef) => read(ref), { once });
}

/** More rounds than any chain of facts that depend on facts needs; past it something keeps forgetting what was asked. */
const ROUNDS = 50;
const PENDING: Known<Json> = { known: false, dependsOn: [], because: 'not asked yet' };

/**
 * Runs a pure, synchronous function that reads facts: again and again, asking for what was missing in between, until nothing
 * is. So whatever depends on facts (a template, a condition, a decision) is written as if they were all there.
 * `ahead` names facts that later steps will need: they are asked in the same round trip.
 */
export async function resolveFacts<T>(
  run: Run,
  compute: (lookup: FactLookup) => T,
  ahead?: () => readonly Need[],
): Promise<T> {
  const asked = new Map<string, Reading>();
  const rounds = new FactRounds((ref) => run.facts.lookup(ref) ?? asked.get(refKey(ref)));
  for (let round = 0; round < ROUNDS; round += 1) {
    const { result, missing } = rounds.next(compute);
    if (missing.size === 0) return result;
    const answers = await run.facts.ask(
      [...missing.values(), ...(round === 0 ? (ahead?.() ?? []) : [])],
      [...run.inHand],
    );
    // Another host's task may make an endpoint's answer be forgotten before we read it: ours was asked for us and is good for this call.
    for (const key of missing.keys()) {
      const reading = answers.get(key);
      if (reading !== undefined) asked.set(key, reading);
    }
  }
  throw new Error(`facts did not settle in ${ROUNDS} rounds`);
}

/** What is known without asking. */
export const knownOnly = (run: Run): FactLookup => lookupBy((ref) => run.facts.lookup(ref) ?? PENDING);

/** What is computed, with the facts that it asked for. */
export function withReads<T>(
  lookup: FactLookup,
  compute: (lookup: FactLookup) => T,
): { readonly found: T; readonly reads: readonly Need[] } {
  const reads = new Map<string, Need>();
  const noted = lookupBy((ref) => {
    reads.set(refKey(ref), ref);
    return lookup(ref);
  });
  const found = compute(noted);
  return { found, reads: [...reads.values()] };
}

/** The facts that the function would ask for now, without asking. */
export const missingOf = (run: Run, compute: (lookup: FactLookup) => void): readonly Need[] => [
  ...new FactRounds((ref) => run.facts.lookup(ref)).next(compute).missing.values(),
];

/** Runs a function over what is known so far. What it computed without a gap in its facts is kept for the next round. */
export class FactRounds {
  #missing = new Map<string, Need>();
  #gaps = 0;
  readonly #whole = new Map<string, unknown>();
  #withGaps = new Map<string, unknown>();
  readonly #lookup: FactLookup;

  constructor(read: (ref: FactRef) => Reading | undefined) {
    const look = (ref: FactRef): Reading => read(ref) ?? this.#gap(ref);
    this.#lookup = Object.assign(look, { once: <T>(key: string, compute: () => T) => this.#once(key, compute) });
  }

  next<T>(compute: (lookup: FactLookup) => T): { readonly result: T; readonly missing: ReadonlyMap<string, Need> } {
    this.#missing = new Map();
    this.#withGaps = new Map();
    const result = compute(this.#lookup);
    return { result, missing: this.#missing };
  }

  #gap(ref: FactRef): Reading {
    this.#gaps += 1;
    this.#missing.set(refKey(ref), ref);
    return PENDING;
  }

  #once<T>(key: string, compute: () => T): T {
    if (this.#whole.has(key)) return this.#whole.get(key) as T;
    const before = this.#gaps;
    if (this.#withGaps.has(key)) {
      // Whatever is computed from it has this gap, too.
      this.#gaps += 1;
      return this.#withGaps.get(key) as T;
    }
    const computed = compute();
    (this.#gaps === before ? this.#whole : this.#withGaps).set(key, computed);
    return computed;
  }
}
