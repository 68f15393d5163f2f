import type { Fault, OtherFault } from './state.js';

interface Faulty<F extends Fault | OtherFault> {
  readonly faults: readonly F[];
}
type Of<F, K> = Extract<F, { readonly fault: K }>;

/** The first fault of a kind that fits and still has times left; it is counted down when it has a number. */
export function strike<F extends Fault | OtherFault, K extends F['fault']>(
  state: Faulty<F>,
  kind: K,
  fits: (fault: Of<F, K>) => boolean = () => true,
): Of<F, K> | undefined {
  const found = position(state, kind, fits);
  if (found?.times !== undefined) found.times -= 1;
  return found;
}

/** The same without counting: for what lasts. */
export function position<F extends Fault | OtherFault, K extends F['fault']>(
  state: Faulty<F>,
  kind: K,
  fits: (fault: Of<F, K>) => boolean = () => true,
): Of<F, K> | undefined {
  return state.faults.find((f): f is Of<F, K> => f.fault === kind && f.times !== 0 && fits(f as Of<F, K>));
}
