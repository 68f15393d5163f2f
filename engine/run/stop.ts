import type { Stop } from '../terms/event.js';
import type { Run } from './run.js';

/** What asks the run to stop at its next safe point. */
export function stopAsked(run: Run): Stop | undefined {
  if (run.stopping?.() === true) return { by: 'operator' };
  return run.window?.over();
}

export const isStopping = (run: Run): boolean => stopAsked(run) !== undefined;
