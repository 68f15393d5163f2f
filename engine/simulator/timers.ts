import type { OtherTimer, SimulatedState, Timer } from './state.js';

/** Something that happens by itself at `atMs`. */
export function schedule<T extends Timer | OtherTimer>(state: { timers: readonly T[] }, timer: T): void {
  state.timers = [...state.timers, timer];
}

/** A whole number from 0 to `below` - 1 that a text always gives: chance without randomness. */
export function chance(text: string, below: number): number {
  let hash = 2_166_136_261;
  for (const c of text) hash = Math.imul(hash ^ c.charCodeAt(0), 16_777_619);
  return (hash >>> 0) % below;
}

/** A unique number. */
export function nextSerial(state: SimulatedState): number {
  state.serial += 1;
  return state.serial;
}
