import { Type, type Static } from 'typebox';
import { condition } from '../../../../modules/shared/arguments.js';

/** Knows the indexer's table of shards (§2.4, §4.2). */
export const schema = Type.Object(
  {
    endpoint: Type.String({
      description: 'The endpoint of the inventory to read from.',
      minLength: 1,
      examples: ['indexer'],
    }),
    state: Type.Optional(
      Type.Enum(['checked', 'awaited'], {
        description: '`checked`: the current state. `awaited`: waits for it. Default: checked.',
        examples: ['awaited'],
      }),
    ),
    nodes: Type.Optional(
      Type.Integer({
        description: 'The expected number of nodes: green with a missing node does not count.',
        minimum: 1,
        examples: [3],
      }),
    ),
    accepted: Type.Optional(
      condition({
        description: 'Whether replicas that no node can hold are accepted.',
        examples: ['fact.accepted_replicas != ""'],
      }),
    ),
    rolling: Type.Optional(
      condition({
        description:
          'Whether a rolling upgrade is in progress: then a shard is accepted that is unassigned only because of the upgrade.',
        examples: ['fact.indexer_upgrade != ""'],
      }),
    ),
  },
  {
    additionalProperties: false,
    allOf: [
      {
        if: { properties: { state: { const: 'awaited' } }, required: ['state'] },
        else: { properties: { accepted: false } },
      },
      {
        if: { properties: { state: { const: 'awaited' } }, required: ['state'] },
        then: { properties: { rolling: false } },
      },
    ],
    examples: [
      { endpoint: 'indexer' },
      { endpoint: 'indexer', state: 'awaited', nodes: 3, accepted: 'fact.accepted_replicas != ""' },
    ],
  },
);

/** A play on the controller may have it. */
export const withoutHost = true;

export type Args = Static<typeof schema>;
