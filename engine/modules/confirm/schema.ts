import { Type, type Static } from 'typebox';

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
  },
  {
    additionalProperties: false,
    examples: [{ question: 'Allocation was `none` before this run. Restore `all`?', default: 'no' }],
  },
);

/** A play on the controller may have it. */
export const withoutHost = true;

export type Args = Static<typeof schema>;
