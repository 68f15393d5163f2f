import { printableLine } from '../style.js';
import type { Phase } from './plan-summary.js';

/** A phase that has nothing to do and takes no time is named nowhere. */
export const isBusy = ({ changes, takes }: Phase): boolean => changes > 0 || takes.maxMs > 0;

/** Where a run stops that is to stop; empty where no phase has a safe point. */
export const safeStopParts = (safePoints: readonly string[]): readonly string[] =>
  safePoints.length === 0
    ? []
    : [
        `after each host in ${safePoints.map(printableLine).join(', ')}`,
        'elsewhere after each step',
        'then resume or roll back',
      ];
