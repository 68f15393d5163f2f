import type { Mutant } from './mutants.js';

/** The numbers of a share of the mutants, the same for the same seed. */
export function sampled(
  mutants: readonly Mutant[],
  { seed, share, fits = () => true }: { seed: number; share: number; fits?: (mutant: Mutant) => boolean },
): readonly number[] {
  const random = generator(seed);
  return mutants.flatMap((mutant, nth) => (random() < share && fits(mutant) ? [nth] : []));
}

/** mulberry32 */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}
