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
    servers: Type.Optional(
      Type.Object(
        {
          hosts: Type.Array(
            Type.String({ description: 'A host of the inventory.', minLength: 1, examples: ['db-1'] }),
            {
              description: 'Those whose certificates the service verifies, where it connects to them.',
              examples: [['db-1', 'db-2']],
            },
          ),
          in: absolutePath({
            description: 'Their configuration, in YAML, which names the certificate.',
            examples: ['/etc/cassandra/cassandra.yaml'],
          }),
          certificate: Type.String({
            description: 'The key under which it does; empty: nothing is verified.',
            examples: ['server.certificate'],
          }),
          relative_to: absolutePath({
            description: 'The directory that relative paths of it refer to.',
            examples: ['/etc/cassandra'],
          }),
          named_by: Type.Optional(
            Type.Array(Type.String({ description: 'A key.', minLength: 1, examples: ['network.host'] }), {
              description:
                'Keys under which it has addresses that lead to this host, beside its name in the inventory.',
              examples: [['network.host']],
            }),
          ),
          addresses: Type.Optional(
            Type.String({
              description:
                'The key under which the configuration of the service has the addresses that it connects to, one or a list; one that leads to none of the hosts for certain is not judged. One of several is enough: the others are warnings. Absent or empty: it connects to all hosts but its own, and must accept each.',
              examples: ['db.hosts'],
            }),
          ),
          verification: Type.Optional(
            Type.String({
              description:
                'The key under which it says how it verifies: `none`, or `certificate` for the signature alone; otherwise the certificate must also have the name or the IP address that is connected to. Absent or empty: the signature alone.',
              examples: ['db.ssl.verification'],
            }),
          ),
          subjects: Type.Optional(
            Type.String({
              description:
                'The key under which it lists the subjects of the certificates that it accepts. A list with a pattern is not judged. Absent or empty: it accepts each.',
              examples: ['cluster.nodes'],
            }),
          ),
          subjects_unless: Type.Optional(
            Type.Array(Type.String({ description: 'A key.', minLength: 1, examples: ['cluster.nodes_elsewhere'] }), {
              description: 'Keys of it with which this list does not decide, unless they are false.',
              examples: [['cluster.nodes_elsewhere']],
            }),
          ),
        },
        {
          additionalProperties: false,
          description:
            'The service must accept the certificates of these servers: the CA certificates that it trusts must have signed them.',
          examples: [
            {
              hosts: ['db-1'],
              in: '/etc/cassandra/cassandra.yaml',
              certificate: 'server.certificate',
              relative_to: '/etc/cassandra',
              addresses: 'db.hosts',
            },
          ],
        },
      ),
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
