import { Type, type Static } from 'typebox';

export const schema = Type.Object(
  {
    state: Type.Enum(['updated', 'forgotten'], {
      description:
        "`updated`: the index of every enabled repository is fetched. `forgotten`: also removes apt's index of a repository that was disabled; dnf and yum keep none.",
      examples: ['updated'],
    }),
    optional: Type.Optional(
      Type.Boolean({
        description: 'A repository that does not answer is not a failure. Default: false.',
        examples: [true],
      }),
    ),
  },
  {
    additionalProperties: false,
    examples: [{ state: 'updated' }],
  },
);

export type Args = Static<typeof schema>;
