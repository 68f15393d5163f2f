import { Type, type Static } from 'typebox';
import { absolutePath, duration } from '../shared/arguments.js';

export const schema = Type.Object(
  {
    certificate: Type.String({
      description:
        "The certificate's file (PEM), by its absolute path; with `in`, the key under which the configuration names it.",
      minLength: 1,
      examples: ['/etc/grafana/certs/grafana.pem', 'server.ssl.certificate'],
    }),
    key: Type.String({
      description:
        "The private key's file, by its absolute path; with `in`, the key under which the configuration names it.",
      minLength: 1,
      examples: ['/etc/grafana/certs/grafana-key.pem', 'server.ssl.key'],
    }),
    in: Type.Optional(
      absolutePath({
        description:
          'A YAML configuration that names the two files. Keys are dotted; written flat or nested, they are the same.',
        examples: ['/etc/grafana/grafana.yml'],
      }),
    ),
    relative_to: Type.Optional(
      absolutePath({
        description:
          'The directory that relative paths of the configuration refer to. Absent: a relative path is refused.',
        examples: ['/etc/cassandra'],
      }),
    ),
    readable_by: Type.Optional(
      Type.String({
        description: 'The user of the service, who must be able to read both files. Absent: not checked.',
        minLength: 1,
        examples: ['grafana'],
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
              examples: ['/etc/grafana/certs/grafana.pem'],
            },
            key: {
              description: 'A path.',
              pattern: '^(?:/|.*\\{\\{)',
              examples: ['/etc/grafana/certs/grafana-key.pem'],
            },
          },
        },
      },
    ],
    examples: [
      { certificate: '/etc/nginx/certs/nginx.pem', key: '/etc/nginx/certs/nginx-key.pem', valid_for: '7d' },
      {
        in: '/etc/grafana/grafana.yml',
        certificate: 'server.ssl.certificate',
        key: 'server.ssl.key',
        readable_by: 'grafana',
      },
    ],
  },
);

export type Args = Static<typeof schema>;
