import { Type } from 'typebox';
import { duration, hintOfCheck, list, mapOf, name, object, spec, text } from '../shared.js';
import { condition } from './condition.js';

const check = object(
  {
    that: Type.Optional(
      condition({
        description:
          'What must hold. Where no condition can say it, a module stands here instead, with its arguments (`agents: { … }`): it only looks, what it would change is not as required, and no expression may use such a check.',
        examples: ['installed.indexer == platform.target'],
      }),
    ),
    when: Type.Optional(
      condition({
        description: 'Beside a module: where it looks.',
        examples: ['management_api_expected'],
      }),
    ),
    description: text({
      description: 'What holds, as a short sentence: the title of a step that checks it.',
      examples: ["the indexer's package is at the target"],
    }),
    message: Type.Optional(
      text({
        description:
          'What is reported when it does not hold. Text with templates; what is not known then is `(unknown)` in it. Default: `check failed: ` and the description; of a `wait_for`, the condition that is not met.',
        examples: ['{{host.name}} has not rejoined the cluster'],
      }),
    ),
    hint: Type.Optional(hintOfCheck),
    spec: Type.Optional(
      spec({ description: 'The section of the specification, where the check is a requirement.', examples: ['9.2'] }),
    ),
    waivable: Type.Optional(
      Type.Boolean({
        description: 'Whether it can be waived (`--waive`) where it is a requirement. Default: true.',
        examples: [false],
      }),
    ),
    fail_if: Type.Optional(
      condition({
        description: 'A wait for the check ends early when this holds in 10 readings in a row.',
        examples: ['fact.indexer_unit in ["failed", "inactive"]'],
      }),
    ),
  },
  { description: 'A named check.' },
);

export const checks = mapOf(check, {
  description:
    'Conditions with a name, which any expression may use: `when: not(indexer_upgraded)`, `hosts.indexer.all(h, h.indexer_upgraded)`.',
  propertyNames: { pattern: '^[a-z][a-z0-9_]*$' },
  examples: [
    {
      at_target: {
        that: 'installed.indexer == platform.target',
        description: "The indexer's package is at the target.",
      },
    },
  ],
});

export const invariant = object(
  {
    invariant: text({ description: 'What must hold, as a short text.', examples: ['cluster not red'] }),
    roles: list(name({ description: 'A role.', examples: ['indexer'] }), {
      description: 'Plays on hosts of these roles.',
      minItems: 1,
      examples: [['indexer']],
    }),
    condition: condition({
      description: 'What must hold, as an expression.',
      examples: ['fact.health.status != "red"'],
    }),
    within: duration({ description: 'How long it may be false before the run stops.', examples: ['10m'] }),
    spec: Type.Optional(spec({ description: 'The section of the specification.', examples: ['9.4'] })),
  },
  { description: 'A condition that must hold before each host of a serial play.' },
);
