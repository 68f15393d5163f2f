import { Type, type Static } from 'typebox';
import { condition } from '../shared/arguments.js';

export const schema = Type.Object(
  {
    question: Type.String({
      description: 'The question.',
      minLength: 1,
      examples: ['Allocation was `none` before this run. Restore `all`?'],
    }),
    default: Type.Optional(
      Type.Enum(['yes', 'no'], {
        description: 'What an empty answer means. Default: nothing; an empty answer is not accepted.',
        examples: ['no'],
      }),
    ),
    answered: Type.Optional(
      condition({
        description:
          'Whether the operator has said yes beforehand, as a variable of an unattended run does. Then nothing is asked.',
        examples: ['vars.reset_allocation'],
      }),
    ),
  },
  {
    additionalProperties: false,
    examples: [{ question: 'Allocation was `none` before this run. Restore `all`?', default: 'no' }],
  },
);

/** A play on the controller may have it. */
export const withoutHost = true;

export type Args = Static<typeof schema>;
