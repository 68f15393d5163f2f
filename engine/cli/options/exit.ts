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

/** Says one sentence on standard error, and what to do on lines of its own; gives the exit code back. */
export function sorry(code: number, message: string, ...hints: readonly string[]): number {
  // Names of files and arguments are in it, and whoever wrote them must not steer the terminal.
  process.stderr.write(printable(`runbook: ${message}\n${hints.map((h) => `  ${h}\n`).join('')}`));
  return code;
}

export const invalid = (message: string): number => sorry(EXIT.invalid, message);
