import type { Fault, PlatformState } from './state.js';

type Of<K extends Fault['fault']> = Extract<Fault, { fault: K }>;

/** The first fault of a kind that fits and still has times left; it is counted down when it has a number. */
export function strike<K extends Fault['fault']>(
  state: PlatformState,
  kind: K,
  fits: (fault: Of<K>) => boolean = () => true,
): Of<K> | undefined {
  const found = position(state, kind, fits);
  if (found?.times !== undefined) found.times -= 1;
  return found;
}

/** The same without counting: for what lasts. */
export function position<K extends Fault['fault']>(
  state: PlatformState,
  kind: K,
  fits: (fault: Of<K>) => boolean = () => true,
): Of<K> | undefined {
  return state.faults.find((f): f is Of<K> => f.fault === kind && f.times !== 0 && fits(f as Of<K>));
}
