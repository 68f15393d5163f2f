import { groupBy } from '../lib/group-by.js';
import type { Line } from './tally.js';

/** What some hosts have in common: a text of one step, or of several that follow each other. */
export interface Outcome {
  readonly hosts: readonly string[];
  readonly texts: readonly string[];
}

/**
 * The lines in the order of the steps, each outcome once for all hosts that share it. A host may lack steps (a loop over its own
 * packages, a condition), so the order of the steps is merged from those of all hosts.
 */
export function outcomesOf(
  lines: readonly Line[],
  hosts: readonly string[],
  textOf: (line: Line) => string,
): readonly Outcome[] {
  const byStep = new Map(groupBy(lines, ({ step }) => step).map((group) => [group[0].step, group]));
  const single = stepOrder(lines).flatMap((step) =>
    groupBy(inOrder(byStep.get(step) ?? [], hosts), textOf).map((group) => ({
      hosts: group.map(({ host }) => host),
      text: textOf(group[0]),
    })),
  );
  return joinNeighbours(single);
}

/** Outcomes that follow each other on the same hosts share their heading. */
function joinNeighbours(single: readonly { readonly hosts: readonly string[]; readonly text: string }[]) {
  const joined: { readonly hosts: readonly string[]; readonly texts: string[] }[] = [];
  for (const { hosts, text } of single) {
    const last = joined.at(-1);
    if (last?.hosts.join() === hosts.join()) last.texts.push(text);
    else joined.push({ hosts, texts: [text] });
  }
  return joined;
}

/** A step that only some hosts have stands before the step that follows it there. */
function stepOrder(lines: readonly Line[]): readonly string[] {
  const order: string[] = [];
  for (const own of groupBy(lines, ({ host }) => host)) {
    let at = order.length;
    for (const { step } of own.toReversed()) {
      const known = order.indexOf(step);
      if (known < 0) order.splice(at, 0, step);
      else at = known;
    }
  }
  return order;
}

/** Hosts in the play's order, not in that in which they answered; others (a step may act elsewhere) after them. */
function inOrder(lines: readonly Line[], hosts: readonly string[]): readonly Line[] {
  const rank = new Map(hosts.map((host, index) => [host, index]));
  const rankOf = (line: Line): number => rank.get(line.host) ?? hosts.length;
  return lines.toSorted((a, b) => rankOf(a) - rankOf(b));
}
