import { Type, type Static } from 'typebox';

export const schema = Type.Object(
  {
    task: Type.String({ description: 'Its name.', pattern: '^[a-z][a-z0-9-]*$', examples: ['security-configuration'] }),
    state: Type.Optional(
      Type.Enum(['pending', 'done'], { description: '`pending`, the default, or `done`.', examples: ['done'] }),
    ),
    text: Type.Optional(
      Type.String({
        description: 'What is recorded with it. Default: `pending`.',
        minLength: 1,
        examples: ['4.12.0-1 4.14.7-1\n'],
      }),
    ),
  },
  {
    additionalProperties: false,
    if: { properties: { state: { const: 'done' } }, required: ['state'] },
    then: { properties: { text: false } },
    examples: [{ task: 'security-configuration' }, { task: 'security-configuration', state: 'done' }],
  },
);

export type Args = Static<typeof schema>;
