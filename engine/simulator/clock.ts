import type { Clock } from '../terms/machine.js';
import type { Simulation } from './rules.js';
import { advance } from './time.js';

/** The model's time: who sleeps, and who waits for an effect to end, wait in one queue, and time jumps to the next of them. */
export interface ModelClock extends Clock {
  /** Resolves when virtual time has come to `atMs` (milliseconds since the epoch). */
  until(atMs: number, signal?: AbortSignal): Promise<void>;
}

interface Waiter {
  readonly atMs: number;
  readonly wake: () => void;
}

/**
 * A clock over a simulation. Waiting takes no real time: once there is nothing left to do at this moment, time moves to the earliest
 * waiter. So hosts that are worked on in parallel take as long as the slowest, not as long as all together.
 */
export function createModelClock(simulation: Simulation): ModelClock {
  const { state } = simulation;
  const waiters: Waiter[] = [];
  let turning = false;

  const turn = (): void => {
    const next = waiters.reduce<Waiter | undefined>(
      (first, w) => (first === undefined || w.atMs < first.atMs ? w : first),
      undefined,
    );
    if (next === undefined) {
      turning = false;
      return;
    }
    waiters.splice(waiters.indexOf(next), 1);
    advance(simulation, next.atMs);
    next.wake();
    setImmediate(turn);
  };

  const until = (atMs: number, signal?: AbortSignal): Promise<void> => {
    if (signal?.aborted === true) return Promise.resolve();
    return new Promise((resolve) => {
      const callOff = (): void => {
        const at = waiters.indexOf(waiter);
        if (at >= 0) waiters.splice(at, 1);
        resolve();
      };
      const wake = (): void => {
        // A run sleeps often and its signal lives long: listeners would pile up.
        signal?.removeEventListener('abort', callOff);
        resolve();
      };
      const waiter: Waiter = { atMs, wake };
      waiters.push(waiter);
      signal?.addEventListener('abort', callOff, { once: true });
      if (turning) return;
      turning = true;
      setImmediate(turn);
    });
  };

  return { nowMs: () => state.nowMs, sleep: (ms, signal) => until(state.nowMs + ms, signal), until };
}
