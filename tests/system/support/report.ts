import { compare, type Comparison } from './comparison.js';
import type { Ran } from './runbook.js';

/** What a reader of the test's output is to see although nothing failed. */
export function report(heading: string, lines: readonly string[] = []): void {
  process.stderr.write(`\n${heading}\n${lines.map((line) => `  ${line}\n`).join('')}\n`);
}

/** Holds a plan against the apply that followed, and tells what came of it. */
export function comparedAndTold(planned: Ran, applied: Ran): Comparison {
  const comparison = compare(planned.events, applied.events);
  const { right, wrong, onlyAtApply } = comparison;
  report(
    `predicted and done: ${right.length} right, ${wrong.length} wrong, ${onlyAtApply.length} known after apply`,
    onlyAtApply,
  );
  return comparison;
}
