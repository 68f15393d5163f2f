import { Type } from 'typebox';
import { list, object, text, url } from '../shared.js';
import { secretText } from './secret.js';

export const endpoint = object(
  {
    url: Type.Optional(url({ description: 'Its URL.', examples: ['https://10.0.0.21:55000'] })),
    urls: Type.Optional(
      list(url({ description: 'A URL.', examples: ['https://10.0.0.11:9200'] }), {
        description: 'Its URLs, one for each node; the node on which the run is working is not used.',
        minItems: 1,
        uniqueItems: true,
        examples: [['https://10.0.0.11:9200', 'https://10.0.0.12:9200']],
      }),
    ),
    path: Type.Optional(
      Type.String({
        description:
          'The path that `doctor` asks, which must answer with a status below 400. Default: `/`, of which 401 and statuses from 500 on are problems.',
        pattern: '^/',
        examples: ['/api/health'],
      }),
    ),
    user: Type.Optional(text({ description: 'The user name.', examples: ['ops'] })),
    password: Type.Optional(secretText({ description: 'The password, as a secret.', examples: ['{{secret.api}}'] })),
    auth: Type.Optional(
      Type.Enum(['basic', 'token', 'none'], {
        description:
          "`basic`: credentials in each request. `token`: authenticate once, then use a bearer token; only where the platform's API has it. Default: `basic` when there is a user.",
        examples: ['token'],
      }),
    ),
    ca: Type.Optional(
      text({
        description: "A PEM file, relative to this file: the CA certificate, or the server's own.",
        examples: ['certs/root-ca.pem'],
      }),
    ),
    servername: Type.Optional(
      text({
        description: 'The name in the certificate, when it differs from the URL.',
        examples: ['indexer.example.com'],
      }),
    ),
    fingerprint: Type.Optional(
      Type.String({
        description: "The certificate's SHA-256, in hex; colons allowed.",
        pattern: '^([0-9A-Fa-f]{2}:?){31}[0-9A-Fa-f]{2}$',
        examples: ['AB:CD:EF:00:AB:CD:EF:00:AB:CD:EF:00:AB:CD:EF:00:AB:CD:EF:00:AB:CD:EF:00:AB:CD:EF:00:AB:CD:EF:00'],
      }),
    ),
    verify: Type.Optional(
      Type.Boolean({ description: '`false` accepts any certificate: only for a test environment.', examples: [true] }),
    ),
    via: Type.Optional(
      Type.String({
        description: 'Through SSH of the hosts of this role (never of a stopped node), or of one host.',
        pattern: '^(role|host)\\..',
        examples: ['role.indexer', 'host.bastion'],
      }),
    ),
  },
  { description: 'An HTTP interface.' },
);
