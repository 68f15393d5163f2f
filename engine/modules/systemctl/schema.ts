import { Type, type Static } from 'typebox';
import { argv, duration } from '../shared/arguments.js';

export const schema = Type.Object(
  {
    unit: Type.String({
      description: 'The unit; without a suffix, a service.',
      pattern: '^[A-Za-z0-9@_.\\\\:-]+$',
      examples: ['platform-indexer', 'platform-indexer.service'],
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
          examples: ['platform-indexer', '/etc/platform-indexer/jvm.options'],
        }),
        {
          description:
            'Packages, and files by their absolute paths: a running unit that started before one of them changed is restarted.',
          minItems: 1,
          uniqueItems: true,
          examples: [['platform-indexer', '/etc/platform-indexer/jvm.options']],
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
                examples: [['/usr/bin/filebeat', 'test', 'output']],
              },
              ['/usr/bin/filebeat'],
            ),
          ),
          stdout: Type.Optional(
            Type.String({
              description: 'What the probe must print.',
              format: 'regex',
              minLength: 1,
              examples: ['talk to server\\.\\.\\. OK'],
            }),
          ),
        },
        {
          description: 'When it counts as ready; being active is not enough. The step waits until `timeout`.',
          additionalProperties: false,
          minProperties: 1,
          dependentRequired: { stdout: ['probe'] },
          examples: [
            { port: 9200 },
            { probe: ['/usr/bin/filebeat', 'test', 'output'], stdout: 'talk to server\\.\\.\\. OK' },
          ],
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
      { unit: 'platform-indexer', state: 'stopped' },
      {
        unit: 'platform-indexer',
        state: 'started',
        enabled: true,
        restart_if_newer: ['platform-indexer', '/etc/platform-indexer/jvm.options'],
        ready: { port: 9200 },
        timeout: '10m',
      },
    ],
  },
);

export type SystemctlArgs = Static<typeof schema>;
