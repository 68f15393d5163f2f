import { Type, type Static } from 'typebox';

/** Knows the indexer's settings interface (§9.9.1). */
export const schema = Type.Object(
  {
    endpoint: Type.String({
      description: 'The endpoint of the inventory to read from.',
      minLength: 1,
      examples: ['indexer'],
    }),
    at_most: Type.String({
      description:
        'The version of the engine (not of the package) that the rollback returns to; empty when none was recorded, which refuses.',
      examples: ['2.19.1'],
    }),
    empty: Type.Optional(
      Type.Enum(['refused', 'allowed'], {
        description:
          'Newer indices to which nothing was ever written: `refused` like all others, or `allowed`, because a later step deletes them (`empty-indices`).',
        default: 'refused',
        examples: ['allowed'],
      }),
    ),
  },
  {
    additionalProperties: false,
    examples: [{ endpoint: 'indexer', at_most: '2.19.1' }],
  },
);

/** A play on the controller may have it. */
export const withoutHost = true;

export type Args = Static<typeof schema>;
