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
          'A configuration that names the files. Keys of YAML are dotted; written flat or nested, they are the same. In XML a key is the path of an element from the root, as in a fact.',
        examples: ['/etc/grafana/grafana.yml'],
      }),
    ),
    format: Type.Optional(
      Type.Enum(['yaml', 'xml'], { description: "The configuration's. Default: yaml.", examples: ['xml'] }),
    ),
    authorities: Type.Optional(
      Type.String({
        description:
          'The key under which the configuration names the CA certificates that the service trusts, one or a list: each must exist and be valid. Absent: not checked.',
        minLength: 1,
        examples: ['server.ssl.certificateAuthorities'],
      }),
    ),
    signed: Type.Optional(
      Type.Boolean({
        description: 'One of these CA certificates must have signed the certificate. Default: false.',
        examples: [true],
      }),
    ),
    optional: Type.Optional(
      Type.Boolean({
        description:
          'The configuration may name neither certificate nor key, for a client needs none; the CA certificates are checked all the same. Default: false.',
        examples: [true],
      }),
    ),
    variables: Type.Optional(
      Type.Unsafe<Readonly<Record<string, string>>>({
        description: 'Values of `${NAME}` in the paths of the configuration; another one is refused.',
        type: 'object',
        propertyNames: { pattern: '^\\w+$' },
        additionalProperties: { description: 'Its value.', type: 'string', examples: ['db-1'] },
        examples: [{ HOSTNAME: 'db-1' }],
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
        description: 'The user of the service, who must be able to read all these files. Absent: not checked.',
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
