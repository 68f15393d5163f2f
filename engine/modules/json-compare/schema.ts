import { Type, type Static } from 'typebox';
import { absolutePath } from '../shared/arguments.js';

export const schema = Type.Object(
  {
    path: absolutePath({ description: 'The file in use.', examples: ['/etc/app/template.json'] }),
    original: absolutePath({
      description: 'Its original, on the same host.',
      examples: ['/var/backups/runbook/before-4.14/fetched/index-template-4.12.0.json'],
    }),
    hint: Type.Optional(
      Type.String({
        description: 'What happens to the differences, or what to do about them: shown with the warning.',
        minLength: 1,
        examples: ['it is kept as /etc/app/template.json.bak'],
      }),
    ),
  },
  {
    additionalProperties: false,
    examples: [
      {
        path: '/etc/app/template.json',
        original: '/var/backups/runbook/before-4.14/fetched/index-template-4.12.0.json',
      },
    ],
  },
);

export type Args = Static<typeof schema>;
