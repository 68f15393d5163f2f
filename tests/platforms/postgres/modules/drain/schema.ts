import { Type, type Static } from 'typebox';

export const schema = Type.Object(
  {
    endpoint: Type.String({ description: 'The load balancer.', minLength: 1, examples: ['balancer'] }),
    server: Type.String({ description: 'The server, as the balancer calls it.', minLength: 1, examples: ['db-1'] }),
    state: Type.Enum(['drained', 'in service'], {
      description: 'Without new sessions and with none left, or with both.',
      examples: ['drained'],
    }),
  },
  { additionalProperties: false, examples: [{ endpoint: 'balancer', server: 'db-1', state: 'drained' }] },
);

export const withoutHost = true;

export type Args = Static<typeof schema>;
