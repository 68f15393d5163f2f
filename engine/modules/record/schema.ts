import { Type, type Static } from 'typebox';
import type { Json } from '../../terms/json.js';

export const schema = Type.Object(
  {
    values: Type.Unsafe<Readonly<Record<string, Json>>>({
      description: 'Names and values.',
      type: 'object',
      minProperties: 1,
      propertyNames: { pattern: '^[A-Za-z_][A-Za-z0-9_-]*$' },
      additionalProperties: { description: 'Any value.', examples: ['{{fact.allocation}}'] },
      examples: [{ allocation: '{{fact.allocation}}' }],
    }),
  },
  {
    additionalProperties: false,
    examples: [{ values: { allocation: '{{fact.allocation}}', health: '{{fact.health}}' } }],
  },
);

/** A play on the controller may have it. */
export const withoutHost = true;

export type Args = Static<typeof schema>;
