import { Type, type Static } from 'typebox';
import { absolutePath } from '../shared/arguments.js';

export const schema = Type.Object(
  {
    paths: Type.Array(absolutePath({ description: 'An absolute path.', examples: ['/var/lib/cassandra'] }), {
      description: 'Absolute paths.',
      minItems: 1,
      uniqueItems: true,
      examples: [['/', '/var/backups']],
    }),
    refuse_below: Type.String({
      description: 'Less free space refuses. Powers of ten (`2GB`) or of two (`2GiB`).',
      pattern: '^\\d+(?:\\.\\d+)? ?(?:[kKMGT]i?B|B)$',
      examples: ['2GB'],
    }),
    warn_below: Type.Optional(
      Type.String({
        description: 'Less free space is a warning. Absent: no warning.',
        pattern: '^\\d+(?:\\.\\d+)? ?(?:[kKMGT]i?B|B)$',
        examples: ['10GB'],
      }),
    ),
  },
  {
    additionalProperties: false,
    examples: [{ paths: ['/', '/var/lib/cassandra'], refuse_below: '2GB', warn_below: '10GB' }],
  },
);

export type Args = Static<typeof schema>;
