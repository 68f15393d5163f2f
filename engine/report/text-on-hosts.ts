import { groupBy } from '../lib/group-by.js';
import { hintText, type Hint } from '../terms/hint.js';

/** One text, and where it was said. */
export interface TextOnHosts {
  readonly text: string;
  readonly hint?: string;
  readonly spec?: string;
  readonly hosts: readonly string[];
}

/** Who said something, and what goes with it. */
interface Said {
  readonly host: string;
  readonly hint?: Hint;
  readonly spec?: string;
}

/** Each text once for all of its hosts. */
export const groupTexts = (all: readonly (readonly [line: Said, text: string])[]): readonly TextOnHosts[] =>
  groupBy(all, ([{ hint }, text]) => JSON.stringify([text, hint])).map((group) => {
    const [[{ hint, spec }, text]] = group;
    return {
      text,
      ...(hint === undefined ? {} : { hint: hintText(hint) }),
      ...(spec === undefined ? {} : { spec }),
      hosts: [...new Set(group.map(([{ host }]) => host))],
    };
  });
