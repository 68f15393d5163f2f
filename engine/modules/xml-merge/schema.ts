import { Type, type Static } from 'typebox';
import type { JsonObject } from '../../terms/json.js';
import { absolutePath, ownership, takesSecret } from '../shared/arguments.js';

export const schema = Type.Object(
  {
    path: absolutePath({ description: 'The file.', examples: ['/var/platform/etc/platform.conf'] }),
    root: Type.String({
      description: 'The roots that contain the elements.',
      pattern: '^[A-Za-z_][\\w.-]*$',
      examples: ['server_config'],
    }),
    set: Type.Optional(
      Type.Array(
        Type.Object(
          {
            element: Type.String({ description: 'Its name.', pattern: '^[A-Za-z_][\\w.-]*$', examples: ['ruleset'] }),
            children: Type.Optional(
              Type.Unsafe<JsonObject>({
                ...takesSecret,
                description: 'What it must contain; its other content stays unchanged.',
                $ref: '#/$defs/children',
                examples: [{ enabled: 'yes' }],
              }),
            ),
            as_in: Type.Optional(
              absolutePath({
                description:
                  'In place of `children`: the elements of this name become those of another file on the host, byte for byte, and no others stay.',
                examples: ['/var/backups/platform.conf'],
              }),
            ),
            lists: Type.Optional(
              Type.Unsafe<Readonly<Record<string, 'exact' | 'add_missing'>>>({
                description:
                  'How a list is applied, by the path of its child: `exact` (the default: these and no others) or `add_missing` (the others stay).',
                type: 'object',
                additionalProperties: {
                  description: 'How this list is applied.',
                  enum: ['exact', 'add_missing'],
                  examples: ['add_missing'],
                },
                examples: [{ list: 'add_missing' }, { 'hosts/host': 'exact' }],
              }),
            ),
            only_missing: Type.Optional(
              Type.Boolean({
                description: 'Existing elements keep their values; only missing ones are added. Default: false.',
                examples: [true],
              }),
            ),
            several: Type.Optional(
              Type.Enum(['refuse', 'last'], {
                description:
                  'What to do where the element occurs more than once: refuse (the default), or use the last, which is the effective one.',
                examples: ['last'],
              }),
            ),
          },
          {
            description: 'An element.',
            additionalProperties: false,
            oneOf: [
              { required: ['children'] },
              { required: ['as_in'], properties: { lists: false, only_missing: false, several: false } },
            ],
            examples: [
              {
                element: 'vulnerability-detection',
                children: { enabled: 'yes', 'index-status': 'yes', 'feed-update-interval': '60m' },
              },
            ],
          },
        ),
        {
          description: 'Elements that a root must contain.',
          minItems: 1,
          examples: [
            [{ element: 'ruleset', children: { list: ['etc/lists/audit-keys'] }, lists: { list: 'add_missing' } }],
          ],
        },
      ),
    ),
    remove: Type.Optional(
      Type.Array(
        Type.String({ description: 'A name.', pattern: '^[A-Za-z_][\\w.-]*$', examples: ['vulnerability-detector'] }),
        {
          description: 'Elements that no root of that name may contain.',
          minItems: 1,
          uniqueItems: true,
          examples: [['vulnerability-detector']],
        },
      ),
    ),
    ...ownership,
  },
  {
    additionalProperties: false,
    $defs: {
      children: {
        description: 'Elements by name.',
        type: 'object',
        minProperties: 1,
        propertyNames: { pattern: '^[A-Za-z_][\\w.-]*$' },
        additionalProperties: {
          description:
            'The content of the element: a text, a list of texts (one element each, none for an empty text), or elements.',
          anyOf: [
            { type: 'string', pattern: '^[^<>]*$' },
            {
              type: 'array',
              items: {
                description: 'The text of one element.',
                type: 'string',
                pattern: '^[^<>]*$',
                examples: ['etc/lists/audit-keys'],
              },
            },
            { $ref: '#/$defs/children' },
          ],
          examples: ['yes', ['etc/lists/audit-keys'], { host: ['https://10.0.0.11:9200'] }],
        },
        examples: [{ enabled: 'yes', hosts: { host: ['https://10.0.0.11:9200'] } }],
      },
    },
    examples: [
      {
        path: '/var/platform/etc/platform.conf',
        root: 'server_config',
        set: [
          {
            element: 'ruleset',
            children: { list: ['etc/lists/malicious-ioc-md5', 'etc/lists/malicious-ioc-sha1'] },
            lists: { list: 'add_missing' },
          },
        ],
      },
    ],
  },
);

export type Args = Static<typeof schema>;
