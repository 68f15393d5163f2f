import { Type, type Static } from 'typebox';
import { absolutePath } from '../shared/arguments.js';

export const schema = Type.Object(
  {
    paths: Type.Array(absolutePath({ description: 'A path.', examples: ['/etc/cassandra'] }), {
      description: 'Files and directories. One that does not exist is passed over.',
      minItems: 1,
      uniqueItems: true,
      examples: [['/etc/cassandra', '/etc/default/cassandra']],
    }),
    before: absolutePath({
      description: 'The directory that holds the backup, each path below it under its own name.',
      examples: ['/var/backups/runbook/before-4.14/4.12.0'],
    }),
    exclude: Type.Optional(
      Type.Array(absolutePath({ description: 'A file or directory.', examples: ['/etc/cassandra/jvm.options'] }), {
        description: 'Files and directories that are reported elsewhere, with what was put aside beside them.',
        uniqueItems: true,
        examples: [['/etc/cassandra/jvm.options']],
      }),
    ),
  },
  {
    additionalProperties: false,
    examples: [
      { paths: ['/etc/cassandra', '/etc/default/cassandra'], before: '/var/backups/runbook/before-4.14/4.12.0' },
    ],
  },
);

export type Args = Static<typeof schema>;
