import { Type, type Static } from 'typebox';
import { hint } from '../shared/arguments.js';

export const schema = Type.Object(
  {
    message: Type.String({
      description: 'The sentence. What is not known then is `(unknown)` in it.',
      minLength: 1,
      examples: ['the packages stay locked after this run'],
    }),
    hint: Type.Optional(hint(['unlock them: runbook apply end-holds.yaml', { look: 'apt-mark showhold' }])),
  },
  {
    additionalProperties: false,
    examples: [{ message: 'the packages stay locked after this run' }],
  },
);

/** A play on the controller may have it. */
export const withoutHost = true;

export type Args = Static<typeof schema>;
