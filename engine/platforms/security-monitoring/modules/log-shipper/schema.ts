import { Type, type Static } from 'typebox';
import { absolutePath, argv, duration } from '../../../../modules/shared/arguments.js';

const LOG = {
  file: '/var/platform/logs/alerts/alerts.json',
  rotated: '/var/platform/logs/alerts/%Y/%b/platform-alerts-%d.json',
  directory: '/var/platform/logs/alerts/kept',
  data: '/var/lib/filebeat',
  test: ['/usr/bin/filebeat', 'test', 'output'],
  ship: ['/usr/bin/filebeat', '--path.data', '/var/platform/logs/alerts/kept/data', 'run', '--once'],
};

export const schema = Type.Object(
  {
    unit: Type.String({ description: "The shipper's service.", minLength: 1, examples: ['filebeat'] }),
    state: Type.Enum(['stopped', 'shipped', 'started'], { description: 'The desired state.', examples: ['stopped'] }),
    log: Type.Object(
      {
        file: Type.String({
          description: 'The current log.',
          pattern: '^/[^|"\\\\&]*$',
          examples: ['/var/platform/logs/alerts/alerts.json'],
        }),
        rotated: absolutePath({
          description:
            "The path of a day's log after rotation, as date(1) formats it; a compressed log ends with `.gz`.",
          examples: ['/var/platform/logs/alerts/%Y/%b/platform-alerts-%d.json'],
        }),
        directory: Type.String({
          description: 'A directory on the same file system, which is created and removed.',
          pattern: '^/[^|"\\\\&]*$',
          examples: ['/var/platform/logs/alerts/kept'],
        }),
        data: absolutePath({ description: "The shipper's data directory.", examples: ['/var/lib/filebeat'] }),
        test: argv(
          {
            description:
              'A command that exits with 0 when the shipper can connect to its output; it runs before shipping.',
            examples: [['/usr/bin/filebeat', 'test', 'output']],
          },
          ['test'],
        ),
        ship: argv(
          {
            description:
              "Ships every log in the directory `directory`, once, with the shipper's data directory `data` in it.",
            examples: [['/usr/bin/filebeat', '--path.data', '/var/platform/logs/alerts/kept/data', 'run', '--once']],
          },
          ['--once'],
        ),
      },
      {
        description: 'The log, and how the shipper reads it.',
        additionalProperties: false,
        examples: [LOG],
      },
    ),
    timeout: Type.Optional(
      duration({ description: 'How long shipping may take. Default: 30 minutes.', examples: ['1h'] }),
    ),
  },
  {
    additionalProperties: false,
    examples: [
      {
        unit: '{{shipper.service}}',
        state: 'stopped',
        log: LOG,
      },
    ],
  },
);

export type LogShipperArgs = Static<typeof schema>;
