import { Type, type Static } from 'typebox';
import { absolutePath, duration } from '../shared/arguments.js';

export const schema = Type.Object(
  {
    certificate: Type.String({
      description:
        "The certificate's file (PEM), by its absolute path; with `in`, the key under which the configuration names it.",
      minLength: 1,
      examples: ['/etc/platform-dashboard/certs/dashboard.pem', 'server.ssl.certificate'],
    }),
    key: Type.String({
      description:
        "The private key's file, by its absolute path; with `in`, the key under which the configuration names it.",
      minLength: 1,
      examples: ['/etc/platform-dashboard/certs/dashboard-key.pem', 'server.ssl.key'],
    }),
    in: Type.Optional(
      absolutePath({
        description:
          'A YAML configuration that names the two files. Keys are dotted; written flat or nested, they are the same.',
        examples: ['/etc/platform-dashboard/dashboard.yml'],
      }),
    ),
    relative_to: Type.Optional(
      absolutePath({
        description:
          'The directory that relative paths of the configuration refer to. Absent: a relative path is refused.',
        examples: ['/etc/platform-indexer'],
      }),
    ),
    readable_by: Type.Optional(
      Type.String({
        description: 'The user of the service, who must be able to read both files. Absent: not checked.',
        minLength: 1,
        examples: ['platform-dashboard'],
      }),
    ),
    valid_for: Type.Optional(
      duration({ description: 'The minimum remaining validity. Default: now.', examples: ['7d'] }),
    ),
    warn_below: Type.Optional(
      duration({ description: 'A shorter remaining validity is a warning. Default: 30d.', examples: ['30d'] }),
    ),
  },
  {
    additionalProperties: false,
    allOf: [
      {
        if: { not: { required: ['in'] } },
        then: {
          properties: {
            certificate: {
              description: 'A path.',
              pattern: '^(?:/|.*\\{\\{)',
              examples: ['/etc/platform-dashboard/certs/dashboard.pem'],
            },
            key: {
              description: 'A path.',
              pattern: '^(?:/|.*\\{\\{)',
              examples: ['/etc/platform-dashboard/certs/dashboard-key.pem'],
            },
          },
        },
      },
    ],
    examples: [
      { certificate: '/etc/filebeat/certs/filebeat.pem', key: '/etc/filebeat/certs/filebeat-key.pem', valid_for: '7d' },
      {
        in: '/etc/platform-dashboard/dashboard.yml',
        certificate: 'server.ssl.certificate',
        key: 'server.ssl.key',
        readable_by: 'platform-dashboard',
      },
    ],
  },
);

export type Args = Static<typeof schema>;
