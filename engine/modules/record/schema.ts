import { Type, type Static } from 'typebox';
import type { Json } from '../../terms/json.js';
import { duration, json } from '../shared/arguments.js';

/** A step of `baseline.yaml`: what `runbook verify` and the end of a run compare. */
const measure = Type.Object(
  {
    value: json({ description: 'The value: a number, or a text.', examples: ['{{fact.sessions}}', 1190] }),
    worse: Type.Enum(['less', 'more', 'other'], {
      description:
        'Which values are worse than the one before: `less`, `more`, or any `other` one. Two texts are compared as with `other`.',
      examples: ['less'],
    }),
    tolerance: Type.Optional(
      Type.Unsafe<string | number>({
        description: 'How much less or more is not worse yet: a number, or a share of the value before. Default: 0.',
        type: ['string', 'number'],
        pattern: '^\\d+(?:\\.\\d+)?%?$',
        minimum: 0,
        examples: ['5%', 2],
      }),
    ),
    wait: Type.Optional(
      duration({
        description: 'For how long after a run it is read again while it is worse. Default: it is read once.',
        examples: ['5m'],
      }),
    ),
  },
  {
    description: 'Instead of `values`: one value of a baseline, and which change of it is worse.',
    additionalProperties: false,
    examples: [{ value: '{{fact.sessions}}', worse: 'less', tolerance: '5%', wait: '5m' }],
  },
);

export const schema = Type.Object(
  {
    values: Type.Optional(
      Type.Unsafe<Readonly<Record<string, Json>>>({
        description: 'Names and values.',
        type: 'object',
        minProperties: 1,
        propertyNames: { pattern: '^[A-Za-z_][A-Za-z0-9_-]*$' },
        additionalProperties: { description: 'Any value.', examples: ['{{fact.allocation}}'] },
        examples: [{ allocation: '{{fact.allocation}}' }],
      }),
    ),
    measure: Type.Optional(measure),
  },
  {
    additionalProperties: false,
    oneOf: [{ required: ['values'] }, { required: ['measure'] }],
    examples: [
      { values: { allocation: '{{fact.allocation}}', health: '{{fact.health}}' } },
      { measure: { value: '{{fact.sessions}}', worse: 'less', tolerance: '5%', wait: '5m' } },
    ],
  },
);

/** A play on the controller may have it. */
export const withoutHost = true;

export type Args = Static<typeof schema>;
