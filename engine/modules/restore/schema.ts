import { Type, type Static } from 'typebox';
import { absolutePath } from '../shared/arguments.js';

export const schema = Type.Object(
  {
    paths: Type.Array(absolutePath({ description: 'One of them.', examples: ['/etc/cassandra'] }), {
      description: 'Files and directories.',
      minItems: 1,
      uniqueItems: true,
      examples: [['/etc/cassandra']],
    }),
    from: absolutePath({
      description: 'The directory that holds the copies, each below it under its own path.',
      examples: ['/var/backups/runbook/2026-11-21'],
    }),
    state: Type.Optional(
      Type.Enum(['restored', 'available'], {
        description: '`restored`, the default, restores them; `available` only checks that the backup contains them.',
        examples: ['available'],
      }),
    ),
    original: Type.Optional(
      absolutePath({
        description:
          'The directory that holds the files as they once came, each below it under its own path: a file that differs from it was changed, which is reported.',
        examples: ['/var/backups/runbook/before-4.14/fetched/former-module'],
      }),
    ),
    changed: Type.Optional(
      Type.Enum(['replace', 'keep'], {
        description:
          'What becomes of a file that differs from `original`: `replace`, the default; `keep` leaves it, and the new file is put beside it, as FILE.new.',
        examples: ['keep'],
      }),
    ),
    skip_if_longer: Type.Optional(
      Type.Array(
        absolutePath({
          description: 'A file at or below one of `paths`.',
          examples: ['/var/platform/etc/client.keys'],
        }),
        {
          description:
            'Files that are left unchanged, with a warning, where they have more lines than in the backup: lines that were added since would be lost.',
          minItems: 1,
          uniqueItems: true,
          examples: [['/var/platform/etc/client.keys']],
        },
      ),
    ),
  },
  {
    additionalProperties: false,
    if: { required: ['changed'] },
    then: { required: ['original'] },
    examples: [
      { paths: ['/etc/cassandra'], from: '/var/backups/runbook/2026-11-21' },
      {
        paths: ['/var/platform/etc'],
        from: '/var/backups/runbook/2026-11-21',
        skip_if_longer: ['/var/platform/etc/client.keys'],
      },
    ],
  },
);

export type RestoreArgs = Static<typeof schema>;
