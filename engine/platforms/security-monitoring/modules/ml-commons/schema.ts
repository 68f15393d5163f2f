import { Type, type Static } from 'typebox';
import type { Json } from '../../../../terms/json.js';

/** Knows the searches of the indexer's ML Commons plug-in (§9.3.7). */
export const schema = Type.Object(
  {
    endpoint: Type.String({
      description: "The indexer's endpoint in the inventory.",
      minLength: 1,
      examples: ['indexer'],
    }),
    state: Type.Enum(['recorded', 'compared'], {
      description: "`recorded`: the current ones, for the run's record. `compared`: each in `before` must exist.",
      examples: ['recorded'],
    }),
    before: Type.Optional(
      Type.Unsafe<Readonly<Record<string, Json>>>({
        description: 'What was recorded: an object with `models` and `agents`; empty where nothing was recorded.',
        type: 'object',
        additionalProperties: {
          description: 'A list of the recorded ones.',
          examples: [[{ id: 'N8AE1osB0jLkkocYjz7D', name: 'all-MiniLM-L6-v2' }]],
        },
        examples: [{ models: [{ id: 'N8AE1osB0jLkkocYjz7D', name: 'all-MiniLM-L6-v2' }], agents: [] }],
      }),
    ),
  },
  {
    additionalProperties: false,
    allOf: [
      {
        if: { properties: { state: { const: 'compared' } } },
        then: { required: ['before'] },
        else: { properties: { before: false } },
      },
    ],
    examples: [
      { endpoint: 'indexer', state: 'recorded' },
      {
        endpoint: 'indexer',
        state: 'compared',
        before: { models: [{ id: 'N8AE1osB0jLkkocYjz7D', name: 'all-MiniLM-L6-v2' }], agents: [] },
      },
    ],
  },
);

/** A play on the controller may have it. */
export const withoutHost = true;

export type Args = Static<typeof schema>;
