import { Type, type Static } from 'typebox';
import { absolutePath } from '../shared/arguments.js';

const SIZE = '^\\d+(?:\\.\\d+)? ?(?:[kKMGT]i?B|B)$';

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
      pattern: SIZE,
      examples: ['2GB'],
    }),
    warn_below: Type.Optional(
      Type.String({
        description: 'Less free space is a warning. Absent: no warning.',
        pattern: SIZE,
        examples: ['10GB'],
      }),
    ),
    to_be_written: Type.Optional(
      Type.String({
        description: 'What a later step writes there: it counts as used already. Absent: nothing.',
        pattern: SIZE,
        examples: ['40GB'],
      }),
    ),
  },
  {
    additionalProperties: false,
    examples: [{ paths: ['/', '/var/lib/cassandra'], refuse_below: '2GB', warn_below: '10GB' }],
  },
);

export type Args = Static<typeof schema>;
