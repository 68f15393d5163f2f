import { Type, type Static } from 'typebox';
import { absolutePath, ownership } from '../shared/arguments.js';

export const schema = Type.Object(
  {
    url: Type.String({
      description: 'Its URL.',
      pattern: '^https?://',
      examples: ['https://packages.example.com/app/module-0.4.tar.gz'],
    }),
    path: absolutePath({ description: 'Its path on the host.', examples: ['/etc/app/template.json'] }),
    sha256: Type.Optional(
      Type.String({
        description: 'Its SHA-256, in hex.',
        pattern: '^[0-9A-Fa-f]{64}$',
        examples: ['9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'],
      }),
    ),
    size_bytes: Type.Optional(Type.Integer({ description: 'Its size.', minimum: 1, examples: [12345] })),
    expect: Type.Optional(
      Type.Object(
        {
          json: Type.Optional(
            Type.Boolean({ description: 'A JSON object or list of at most 1 MiB.', examples: [true] }),
          ),
          has: Type.Optional(
            Type.Array(
              Type.String({ description: 'A pointer.', pattern: '^(?:/.*)?$', examples: ['/index_patterns'] }),
              { description: 'JSON pointers that must exist.', minItems: 1, examples: [['/index_patterns']] },
            ),
          ),
          starts_with_hex: Type.Optional(
            Type.String({
              description: 'Its first bytes, in hex: `1f8b` is gzip, `d0cf11e0` an MSI.',
              pattern: '^(?:[0-9A-Fa-f]{2})+$',
              examples: ['1f8b'],
            }),
          ),
        },
        {
          description: 'What the file must contain.',
          additionalProperties: false,
          examples: [{ json: true, has: ['/index_patterns'] }],
        },
      ),
    ),
    ca: Type.Optional(
      Type.String({
        description:
          'A file on the controller: CA certificates for the server, PEM. Empty: those that the controller trusts.',
        pattern: '^(?:/|$)',
        format: 'certificates',
        examples: ['/etc/ssl/certs/packages-ca.pem'],
      }),
    ),
    optional: Type.Optional(
      Type.Boolean({
        description:
          'A file that is not available, or fails its checks, is not a failure, and the file on the host stays. Default: false.',
        examples: [true],
      }),
    ),
    from: Type.Optional(
      Type.String({
        description:
          'A directory on the controller with packages and SHA256SUMS: where it has `file`, that file is used, and nothing is downloaded. Empty: none.',
        pattern: '^(?:/|$)',
        examples: ['/srv/offline'],
      }),
    ),
    file: Type.Optional(
      Type.String({
        description: 'Its name in that directory.',
        minLength: 1,
        pattern: '^[^/]+$',
        examples: ['platform-template-4.14.7.json'],
      }),
    ),
    ...ownership,
  },
  {
    additionalProperties: false,
    dependentRequired: { from: ['file'], file: ['from'] },
    examples: [
      {
        url: 'https://packages.example.com/tags/v4.14.7/platform-template.json',
        path: '/etc/app/template.json',
        expect: { json: true, has: ['/index_patterns'] },
        mode: '0644',
      },
    ],
  },
);

export type Args = Static<typeof schema>;
