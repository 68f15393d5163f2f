import { Type, type Static } from 'typebox';

/** Knows the indexer's statistics of shards, and how it deletes indices (§9.9.1). */
export const schema = Type.Object(
  {
    endpoint: Type.String({
      description: "The indexer's endpoint in the inventory.",
      minLength: 1,
      examples: ['indexer'],
    }),
    names: Type.Array(Type.String({ description: 'An index.', minLength: 1, examples: ['alerts-2026.11.28'] }), {
      description: 'The indices; one that is not there is passed over.',
      examples: [['alerts-2026.11.28']],
    }),
    state: Type.Literal('absent', {
      description: '`absent`: deleted, but only if nothing was ever written to any of them.',
      examples: ['absent'],
    }),
  },
  {
    additionalProperties: false,
    examples: [{ endpoint: 'indexer', names: ['alerts-2026.11.28'], state: 'absent' }],
  },
);

/** A play on the controller may have it. */
export const withoutHost = true;

export type Args = Static<typeof schema>;
