import { getOrCreate } from '../lib/get-or-create.js';
import type { Line } from './tally.js';

/** One text, and where it was said. */
export interface Told {
  readonly text: string;
  readonly hint?: string;
  readonly spec?: string;
  readonly hosts: readonly string[];
}

/** Each text once for all of its hosts. */
export function grouped(all: readonly (readonly [line: Line, text: string])[]): readonly Told[] {
  const groups = new Map<string, { readonly line: Line; readonly text: string; readonly hosts: Set<string> }>();
  for (const [line, text] of all)
    getOrCreate(groups, JSON.stringify([text, line.hint]), () => ({ line, text, hosts: new Set<string>() })).hosts.add(
      line.host,
    );
  return [...groups.values()].map(({ line: { hint, spec }, text, hosts }) => ({
    text,
    ...(hint === undefined ? {} : { hint }),
    ...(spec === undefined ? {} : { spec }),
    hosts: [...hosts],
  }));
}
