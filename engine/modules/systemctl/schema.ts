import { Type, type Static } from 'typebox';
import { argv, duration } from '../shared/arguments.js';

export const schema = Type.Object(
  {
    unit: Type.String({
      description: 'The unit; without a suffix, a service.',
      pattern: '^[A-Za-z0-9@_.\\\\:-]+$',
      examples: ['cassandra', 'cassandra.service'],
    }),
    state: Type.Optional(
      Type.Enum(['started', 'stopped', 'restarted'], {
        description: 'The desired state; `restarted`: started again once in a run. Absent: unchanged.',
        examples: ['started'],
      }),
    ),
    enabled: Type.Optional(
      Type.Boolean({ description: 'Whether it starts at boot. Absent: unchanged.', examples: [true] }),
    ),
    restart_if_newer: Type.Optional(
      Type.Array(
        Type.String({
          description: 'A package, or an absolute path.',
          minLength: 1,
          pattern: '^(/.*|[^/]+)$',
          examples: ['cassandra', '/etc/cassandra/jvm.options'],
        }),
        {
          description:
            'Packages, and files by their absolute paths: a running unit that started before one of them changed is restarted.',
          minItems: 1,
          uniqueItems: true,
          examples: [['cassandra', '/etc/cassandra/jvm.options']],
        },
      ),
    ),
    ready: Type.Optional(
      Type.Object(
        {
          port: Type.Optional(
            Type.Integer({
              description: 'A local TCP port on which a process must listen.',
              minimum: 1,
              maximum: 65535,
              examples: [9200],
            }),
          ),
          probe: Type.Optional(
            argv(
              {
                description:
                  'A command that only reads: the unit is ready when it exits with status 0, or, where `stdout` is given, when it prints that, whatever its status.',
                examples: [['/usr/sbin/nginx', '-t']],
              },
              ['/usr/sbin/nginx'],
            ),
          ),
          stdout: Type.Optional(
            Type.String({
              description: 'What the probe must print.',
              format: 'regex',
              minLength: 1,
              examples: ['test is successful'],
            }),
          ),
        },
        {
          description: 'When it counts as ready; being active is not enough. The step waits until `timeout`.',
          additionalProperties: false,
          minProperties: 1,
          dependentRequired: { stdout: ['probe'] },
          examples: [{ port: 9200 }, { probe: ['/usr/sbin/nginx', '-t'], stdout: 'test is successful' }],
        },
      ),
    ),
    timeout: Type.Optional(
      duration({
        description:
          "How long systemd may take, and how long to wait until the unit is ready. Default: 5m for systemd; the step's own timeout for the wait.",
        examples: ['5m'],
      }),
    ),
  },
  {
    additionalProperties: false,
    examples: [
      { unit: 'cassandra', state: 'stopped' },
      {
        unit: 'cassandra',
        state: 'started',
        enabled: true,
        restart_if_newer: ['cassandra', '/etc/cassandra/jvm.options'],
        ready: { port: 9200 },
        timeout: '10m',
      },
    ],
  },
);

export type SystemctlArgs = Static<typeof schema>;
