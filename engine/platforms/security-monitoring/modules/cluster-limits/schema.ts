import { Type, type Static } from 'typebox';

/** Knows the indexer's settings and tables (§4.2). */
export const schema = Type.Object(
  {
    endpoint: Type.String({
      description: 'The endpoint of the inventory to read from.',
      minLength: 1,
      examples: ['indexer'],
    }),
    shards_refuse: Type.Optional(
      Type.Number({
        description: 'The share of the limit, in percent, from which it refuses. Default: 98.',
        minimum: 1,
        examples: [98],
      }),
    ),
    shards_warn: Type.Optional(
      Type.Number({
        description: 'The share of the limit, in percent, from which it warns. Default: 85.',
        minimum: 1,
        examples: [85],
      }),
    ),
  },
  {
    additionalProperties: false,
    examples: [{ endpoint: 'indexer', shards_refuse: 98, shards_warn: 85 }],
  },
);

/** A play on the controller may have it. */
export const withoutHost = true;

export type Args = Static<typeof schema>;
