import { Type, type Static } from 'typebox';
import { absolutePath } from '../shared/arguments.js';

export const schema = Type.Object(
  {
    packages: Type.Array(
      Type.String({
        description: 'A package.',
        pattern: '^[A-Za-z0-9][A-Za-z0-9.+_-]*$',
        examples: ['cassandra'],
      }),
      {
        description: 'Their names. Packages that are not installed are skipped.',
        minItems: 1,
        uniqueItems: true,
        examples: [['haproxy', 'nginx']],
      },
    ),
    state: Type.Enum(['held', 'free'], {
      description: '`held`; or `free`: the packages in the record are no longer held, and the record is removed.',
      examples: ['held'],
    }),
    note: absolutePath({
      description:
        'The record: a file on the host, in an existing directory, with the names of packages that were not held before, one in each line.',
      examples: ['/var/lib/runbook-holds'],
    }),
  },
  {
    additionalProperties: false,
    examples: [
      { packages: ['haproxy', 'nginx'], state: 'held', note: '/var/lib/runbook-holds' },
      { packages: ['haproxy', 'nginx'], state: 'free', note: '/var/lib/runbook-holds' },
    ],
  },
);

export type Args = Static<typeof schema>;
