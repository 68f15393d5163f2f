import { Type, type Static } from 'typebox';
import { anything, byName, list, mapOf, name, object, text } from '../shared.js';

const declaredType = Type.Union(
  [Type.Enum(['duration', 'size', 'version', 'count', 'path', 'address']), list(Type.String(), { minItems: 1 })],
  {
    description:
      '`duration` is 90s, 10m or 1h30m; `size` is 500MB or 10GB; `version` is 4.14.7; `count` is a number or a share, 10%; `path` is absolute; `address` is a host, with a port, a path or a scheme if need be.',
  },
);

export type DeclaredType = Static<typeof declaredType>;

export const types = byName(declaredType, {
  description:
    'Types of variables whose defaults do not show them: `duration`, `size`, `version`, `count` (a number or a share as `10%`), `path` (an absolute one), `address` (`mirror.example.com/packages/`), or the list of all values. `validate` checks the values of the inventory and of `-e`.',
  examples: [{ rejoin_limit: 'duration', snapshot: ['take', 'none'] }],
});

const flag = object(
  {
    sets: name({ description: 'A variable of `vars`.', examples: ['agents_from'] }),
    to: anything({ description: 'The value that it sets.', examples: ['0'] }),
    description: text({
      description: 'Its description in `--help`.',
      examples: ['also agents that the target does not manage'],
    }),
  },
  {
    description: 'A flag.',
    examples: [{ sets: 'agents_from', to: '0', description: 'also agents that the target does not manage' }],
  },
);

export type PlatformFlag = Static<typeof flag>;

export const flags = mapOf(flag, {
  description: "Flags of `plan`, `apply` and `validate`, beside the program's own: each sets a variable, as `-e` does.",
  propertyNames: { pattern: '^[A-Za-z_][A-Za-z0-9_.-]*$' },
  examples: [
    {
      'include-old-agents': {
        sets: 'agents_from',
        to: '0',
        description: 'also agents that the target does not manage',
      },
    },
  ],
});
