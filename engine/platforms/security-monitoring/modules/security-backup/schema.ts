import { Type, type Static } from 'typebox';
import { absolutePath } from '../../../../modules/shared/arguments.js';

export const schema = Type.Object(
  {
    directory: absolutePath({ description: 'The backup.', examples: ['/etc/platform-indexer/security'] }),
    files: Type.Array(
      Type.String({ description: "A file's name, without `.yml`.", pattern: '^[a-z_]+$', examples: ['roles'] }),
      { description: 'What a complete backup has.', minItems: 1, uniqueItems: true, examples: [['roles', 'tenants']] },
    ),
    before: Type.Optional(
      absolutePath({
        description: 'An earlier backup. A file that it lacks is not compared.',
        examples: ['/var/backups/runbook/before-4.14/4.12.0/security-first'],
      }),
    ),
    loss: Type.Optional(
      Type.Enum(['warning', 'error'], {
        description: 'What a name is that only `before` has. Default: `warning`.',
        examples: ['warning'],
      }),
    ),
  },
  {
    additionalProperties: false,
    examples: [
      {
        directory: '/etc/platform-indexer/security',
        files: ['internal_users', 'roles', 'roles_mapping'],
        before: '/var/backups/runbook/before-4.14/4.12.0/security-first',
        loss: 'warning',
      },
    ],
  },
);

export type Args = Static<typeof schema>;
