import { jobDue } from './jobs.js';
import type { Simulation } from './rules.js';
import { serviceDue } from './services.js';
import type { OtherTimer, SimulatedState, Timer } from './state.js';

/**
 * Lets virtual time pass up to `toMs` (milliseconds since the epoch): each timer in its order, at its own moment. Time never goes
 * back: an earlier `toMs` changes nothing.
 */
export function advance(simulation: Simulation, toMs: number): void {
  const { state, rules } = simulation;
  for (let next = takeDue(state, toMs); next !== undefined; next = takeDue(state, toMs)) {
    state.nowMs = Math.max(state.nowMs, next.atMs);
    if (isOurs(next, 'service')) serviceDue(simulation, next);
    else if (isOurs(next, 'job')) jobDue(simulation, next.host, next.id);
    else rules.due?.(state, next);
  }
  state.nowMs = Math.max(state.nowMs, toMs);
  rules.settle?.(state);
}

const isOurs = <K extends Timer['due']>(timer: Timer | OtherTimer, due: K): timer is Extract<Timer, { due: K }> =>
  timer.due === due;

function takeDue(state: SimulatedState, toMs: number): Timer | OtherTimer | undefined {
  let first: Timer | OtherTimer | undefined;
  for (const timer of state.timers)
    if (timer.atMs <= toMs && (first === undefined || timer.atMs < first.atMs)) first = timer;
  if (first !== undefined) state.timers = state.timers.filter((timer) => timer !== first);
  return first;
}
