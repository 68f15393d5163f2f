import { Type } from 'typebox';
import type { Serial } from '../../playbook.js';
import { oneOrMore } from '../shared.js';

export const hosts = oneOrMore(
  Type.String({ description: 'A word.', pattern: '^[!&]?[^\\s,{}!&:]+$', examples: ['indexer'] }),
  {
    description:
      'The hosts, by words: `all`, a role, a group, a host or a glob of hosts (`web-*`). A list is a union in its order; `"!word"` takes hosts away, `"&word"` keeps those that are also that. Absent, or `controller`: the steps run on the controller.',
    examples: ['indexer', ['worker', 'master'], ['web', '!web-3']],
  },
);

export const last = oneOrMore(
  Type.String({
    description: 'A fact of the platform.',
    pattern: '^fact\\.[a-z][a-z0-9_]*$',
    examples: ['fact.elected'],
  }),
  {
    description:
      'The hosts that this fact, read over HTTP, names come last; with several facts, those of the last one come at the end. Read again before each host.',
    examples: ['fact.elected', ['fact.eligible', 'fact.elected']],
  },
);

export const serial = oneOrMore(
  Type.Unsafe<Serial>({
    description: 'One batch.',
    type: ['integer', 'string'],
    minimum: 1,
    pattern: '^(100|[1-9][0-9]?)%$',
    examples: [1, '25%'],
  }),
  {
    description:
      'How many hosts at once: a number, a share, or a list of them, the last of which repeats. Absent: all at once.',
    examples: [1, '25%', [1, 5, '20%']],
  },
);
