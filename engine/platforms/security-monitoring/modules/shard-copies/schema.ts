import { Type, type Static } from 'typebox';

/** Knows the indexer's cluster state (§9.4.5, §4.2). */
export const schema = Type.Object(
  {
    endpoint: Type.String({
      description: 'The endpoint of the inventory to read from.',
      minLength: 1,
      examples: ['indexer'],
    }),
    without: Type.String({
      description: 'The node that will be stopped, by its name in the cluster.',
      minLength: 1,
      examples: ['{{vars.node_name}}'],
    }),
  },
  {
    additionalProperties: false,
    examples: [{ endpoint: 'indexer', without: '{{vars.node_name}}' }],
  },
);

/** A play on the controller may have it. */
export const withoutHost = true;

export type Args = Static<typeof schema>;
