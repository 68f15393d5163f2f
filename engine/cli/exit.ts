import type { RunEnd } from '../terms/event.js';

/** 0 done · 1 failed, partly changed · 2 invalid input · 3 refused, nothing changed · 4 unreachable · 5 locked · 130 interrupted. */
export const EXIT = { done: 0, failed: 1, invalid: 2, refused: 3, unreachable: 4, locked: 5, interrupted: 130 } as const;

export const exitOf = (end: RunEnd): number => (end === 'released' ? EXIT.done : EXIT[end]);

/** Says one sentence on standard error and gives the code of invalid input. */
export function invalid(message: string): number {
  process.stderr.write(`runbook: ${message}\n`);
  return EXIT.invalid;
}
