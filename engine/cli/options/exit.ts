import type { PlanState } from '../../report/plan/plan-state.js';
import { printable } from '../../report/style.js';
import type { RunEnd } from '../../terms/event.js';

/** 0 done · 1 failed, partly changed · 2 invalid input · 3 refused, nothing changed · 4 unreachable, or not readable · 5 locked, or outside the window · 6 done, but worse than before (`--fail-if-worse`) · 130 interrupted. */
export const EXIT = {
  done: 0,
  failed: 1,
  invalid: 2,
  refused: 3,
  unreachable: 4,
  locked: 5,
  worse: 6,
  interrupted: 130,
} as const;

/** What apply would exit with, where it would refuse this plan whenever it is begun. */
export function exitOfPlan({ is, unreachable, unread }: PlanState): number {
  switch (is) {
    case 'not-ready':
      return EXIT.locked;
    case 'refused':
    case 'will-stop':
      return EXIT.refused;
    case 'incomplete':
      return EXIT.unreachable;
    case 'interrupted':
      return EXIT.interrupted;
    default:
      return unreachable + unread > 0 ? EXIT.unreachable : EXIT.done;
  }
}

export const exitOf = (end: RunEnd): number => (end === 'closed' ? EXIT.done : EXIT[end]);

/**
 * What was asked for cannot be done, and nothing was begun. Thrown where that is found; `main` says it and ends with `exit`. `text` is what
 * standard error shows; empty: it was shown already.
 */
export class Refusal extends Error {
  constructor(
    readonly exit: number,
    readonly text = '',
  ) {
    super(text);
  }
}

/** One sentence, and what to do on lines of its own. */
export const refusal = (exit: number, message: string, ...hints: readonly string[]): Refusal =>
  new Refusal(exit, `runbook: ${message}\n${hints.map((hint) => `  ${hint}\n`).join('')}`);

export const invalid = (message: string): Refusal => refusal(EXIT.invalid, message);

/** Gives the exit code. */
export function say({ exit, text }: Refusal): number {
  // Names of files and arguments are in it, and whoever wrote them must not steer the terminal.
  process.stderr.write(printable(text));
  return exit;
}
