import { refKey, type FactRef, type Known, type Need } from '../../terms/fact.js';
import type { Json } from '../../terms/json.js';
import type { Reading } from './facts.js';
import type { Run } from '../run.js';

/** Gives what is known of a fact now. What is not known yet is noted, and asked before the function runs again. */
export type FactLookup = (ref: FactRef) => Reading;

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
  for (let round = 0; round < ROUNDS; round += 1) {
    const missing = new Map<string, Need>();
    const result = compute((ref) => {
      const reading = run.facts.lookup(ref) ?? asked.get(refKey(ref));
      if (reading === undefined) missing.set(refKey(ref), ref);
      return reading ?? PENDING;
    });
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

/** What is computed, with the facts that it asked for. */
export function withReads<T>(
  lookup: FactLookup,
  compute: (lookup: FactLookup) => T,
): { readonly found: T; readonly reads: readonly Need[] } {
  const reads = new Map<string, Need>();
  const found = compute((ref) => {
    reads.set(refKey(ref), ref);
    return lookup(ref);
  });
  return { found, reads: [...reads.values()] };
}

/** The facts that the function would ask for now, without asking. */
export function missingOf(run: Run, compute: (lookup: FactLookup) => void): readonly Need[] {
  const missing = new Map<string, Need>();
  compute((ref) => {
    const reading = run.facts.lookup(ref);
    if (reading === undefined) missing.set(refKey(ref), ref);
    return reading ?? PENDING;
  });
  return [...missing.values()];
}
