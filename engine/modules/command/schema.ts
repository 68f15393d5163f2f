import { Type, type Static } from 'typebox';
import { absolutePath, argv, duration, text } from '../shared/arguments.js';

export const schema = Type.Object(
  {
    argv: argv(
      {
        description: 'The program and its arguments; they are not passed through a shell.',
        examples: [['/usr/sbin/nginx', '-s', 'reload']],
      },
      ['/usr/sbin/nginx'],
    ),
    stdin: Type.Optional(
      text({
        description: 'Text for its standard input; a secret goes here, never into an argument.',
        examples: ['{{secret.cluster}}'],
      }),
    ),
    env: Type.Optional(
      Type.Unsafe<Readonly<Record<string, string>>>({
        description: 'Environment variables besides LC_ALL=C.',
        type: 'object',
        propertyNames: { pattern: '^[A-Za-z_][A-Za-z0-9_]*$' },
        additionalProperties: {
          description: 'A value; never a secret.',
          type: 'string',
          examples: ['/usr/share/java'],
        },
        examples: [{ JAVA_HOME: '/usr/share/java' }],
      }),
    ),
    become: Type.Optional(
      Type.String({
        description: "The user it runs as. Default: the inventory's.",
        minLength: 1,
        examples: ['cassandra'],
      }),
    ),
    exit: Type.Optional(
      Type.Array(Type.Integer({ description: 'A status.', minimum: 0, maximum: 65535, examples: [0] }), {
        description: 'Exit statuses that are success. Default: 0.',
        minItems: 1,
        examples: [[0, 1]],
      }),
    ),
    expect: Type.Optional(
      Type.String({
        description: 'What its standard output must contain.',
        format: 'regex',
        minLength: 1,
        examples: ['Done with success'],
      }),
    ),
    reject: Type.Optional(
      Type.String({
        description: 'What its standard output must not contain.',
        format: 'regex',
        minLength: 1,
        examples: ['^ERR'],
      }),
    ),
    creates: Type.Optional(
      absolutePath({
        description: 'A path that it creates: when the path exists, nothing is run.',
        examples: ['/etc/cassandra/certs/node.pem'],
      }),
    ),
    unless: Type.Optional(
      Type.Object(
        {
          argv: argv({ description: 'The program and its arguments.', examples: [['test', '-s', '/etc/hosts']] }, [
            'test',
          ]),
          stdout: Type.Optional(
            Type.String({ description: 'What it must print.', format: 'regex', minLength: 1, examples: ['^yes$'] }),
          ),
        },
        {
          description: 'A command that only reads: when it exits with status 0 (and prints this), nothing is run.',
          additionalProperties: false,
          examples: [{ argv: ['test', '-s', '/etc/hosts'] }],
        },
      ),
    ),
    repeatable: Type.Optional(
      Type.Boolean({
        description:
          'It may run again when a run was interrupted in the middle of it. Default: false: the operator is asked to check.',
        examples: [true],
      }),
    ),
    changes: Type.Unsafe<'nothing' | 'unobserved' | 'everything' | readonly string[]>({
      description:
        'What it may change: `nothing` (it only reads), `everything` on the host, a list of paths, facts and endpoints (`fact.NAME`, `endpoint.NAME`), or `unobserved`: something that no fact reads, such as a stored password (as an empty list). Steps after it that read what it changes are known after apply.',
      type: ['string', 'array'],
      pattern: '^(nothing|unobserved|everything)$',
      uniqueItems: true,
      items: {
        description: 'An absolute path; a fact of the platform, on this host; or all that an endpoint answers.',
        type: 'string',
        pattern: '^(/|fact\\.[A-Za-z_][A-Za-z0-9_-]*$|endpoint\\.[A-Za-z_][A-Za-z0-9_-]*$)',
        examples: ['/etc/cassandra/jvm.options', 'fact.drained', 'endpoint.cluster'],
      },
      examples: ['nothing', ['/etc/cassandra/security'], ['fact.drained'], 'unobserved'],
    }),
    timeout: duration({ description: 'How long it may run; then it is terminated.', examples: ['5m'] }),
  },
  {
    additionalProperties: false,
    examples: [
      {
        argv: ['/usr/share/cassandra/bin/security-init.sh', '--options', '-backup /etc/cassandra/security -icl -nhnv'],
        expect: 'Done with success',
        changes: ['/etc/cassandra/security'],
        repeatable: true,
        timeout: '5m',
      },
      {
        argv: ['/usr/sbin/nginx', '-t'],
        expect: 'test is successful',
        changes: 'nothing',
        timeout: '1m',
      },
    ],
  },
);

export type Args = Static<typeof schema>;
