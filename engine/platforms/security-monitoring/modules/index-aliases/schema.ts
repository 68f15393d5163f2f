import { Type, type Static } from 'typebox';

/** Knows the indexer's aliases (§9.9). */
export const schema = Type.Object(
  {
    endpoint: Type.String({
      description: "The indexer's endpoint in the inventory.",
      minLength: 1,
      examples: ['indexer'],
    }),
    pattern: Type.String({
      description: 'The aliases, and the indices that they may point to; a star matches any text.',
      pattern: '^[^/?#\\s]+$',
      examples: ['.kibana*'],
    }),
    state: Type.Enum(['recorded', 'compared', 'restored'], {
      description: '`recorded`: as they are now. `compared`: compared with `before`. `restored`: as in `before`.',
      examples: ['recorded'],
    }),
    before: Type.Optional(
      Type.Array(
        Type.Object(
          {
            alias: Type.String({ description: 'The alias.', minLength: 1, examples: ['.kibana'] }),
            index: Type.String({ description: 'The index that it pointed to.', minLength: 1, examples: ['.kibana_1'] }),
          },
          {
            description: 'An alias and its index.',
            additionalProperties: false,
            examples: [{ alias: '.kibana', index: '.kibana_1' }],
          },
        ),
        {
          description: 'The recorded aliases; empty where none were recorded.',
          examples: [[{ alias: '.kibana', index: '.kibana_1' }]],
        },
      ),
    ),
  },
  {
    additionalProperties: false,
    allOf: [
      {
        if: { properties: { state: { const: 'recorded' } } },
        then: { properties: { before: false } },
        else: { required: ['before'] },
      },
    ],
    examples: [
      { endpoint: 'indexer', pattern: '.kibana*', state: 'recorded' },
      {
        endpoint: 'indexer',
        pattern: '.kibana*',
        state: 'restored',
        before: [{ alias: '.kibana', index: '.kibana_1' }],
      },
    ],
  },
);

/** A play on the controller may have it. */
export const withoutHost = true;

export type Args = Static<typeof schema>;
