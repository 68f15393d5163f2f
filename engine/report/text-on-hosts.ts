import { groupBy } from '../lib/group-by.js';
import { hintText } from '../terms/hint.js';
import type { Line } from './tally.js';

/** One text, and where it was said. */
export interface TextOnHosts {
  readonly text: string;
  readonly hint?: string;
  readonly spec?: string;
  readonly hosts: readonly string[];
}

/** Each text once for all of its hosts. */
export const groupTexts = (
  all: readonly (readonly [line: Pick<Line, 'host' | 'hint' | 'spec'>, text: string])[],
): readonly TextOnHosts[] =>
  groupBy(all, ([{ hint }, text]) => JSON.stringify([text, hint])).map((group) => {
    const [[{ hint, spec }, text]] = group;
    return {
      text,
      ...(hint === undefined ? {} : { hint: hintText(hint) }),
      ...(spec === undefined ? {} : { spec }),
      hosts: [...new Set(group.map(([{ host }]) => host))],
    };
  });
