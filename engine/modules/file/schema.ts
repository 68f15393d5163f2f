import { Type, type Static } from 'typebox';
import { absolutePath, ownership, text } from '../shared/arguments.js';

export const schema = Type.Object(
  {
    path: absolutePath({ description: 'The path.', examples: ['/etc/cassandra/security/roles.yml'] }),
    state: Type.Enum(['file', 'directory', 'absent', 'link'], {
      description: 'What must be at the path.',
      examples: ['file'],
    }),
    content: Type.Optional(
      text({
        description: 'Of a file: its whole content. Absent: any content, and a new file is empty.',
        examples: ['a: 1\n'],
      }),
    ),
    encoding: Type.Optional(
      Type.Enum(['utf8', 'latin1'], {
        description: 'The encoding of the content: `utf8` (the default), or `latin1`, one byte for each character.',
        examples: ['utf8'],
      }),
    ),
    from: Type.Optional(
      absolutePath({
        description:
          'Of a file, instead of `content`: another file on the host, of at most 8 MiB, whose content is copied.',
        examples: ['/var/backups/runbook/before-4.14/fetched/index-template.json'],
      }),
    ),
    expect: Type.Optional(
      Type.Object(
        {
          json: Type.Optional(Type.Boolean({ description: 'A JSON object or list.', examples: [true] })),
          has: Type.Optional(
            Type.Array(
              Type.String({ description: 'A pointer.', pattern: '^(?:/.*)?$', examples: ['/index_patterns'] }),
              { description: 'JSON pointers that must exist.', minItems: 1, examples: [['/index_patterns']] },
            ),
          ),
        },
        {
          description: 'Of `from`: what that file must contain; otherwise nothing is replaced.',
          additionalProperties: false,
          examples: [{ json: true, has: ['/index_patterns'] }],
        },
      ),
    ),
    target: Type.Optional(
      Type.String({
        description: 'Of a link: its target.',
        minLength: 1,
        examples: ['/usr/share/cassandra/plugins'],
      }),
    ),
    tree: Type.Optional(
      Type.Boolean({
        description: 'Of `absent`: remove a directory with everything in it. Default: false, which refuses.',
        examples: [true],
      }),
    ),
    ...ownership,
  },
  {
    additionalProperties: false,
    allOf: [
      { if: { properties: { state: { const: 'link' } } }, then: { required: ['target'] } },
      {
        if: { required: ['from'] },
        then: { properties: { state: { const: 'file' }, content: false, encoding: false } },
      },
    ],
    examples: [
      { path: '/etc/cassandra/extra.d', state: 'directory', mode: '0750' },
      { path: '/etc/cron.d/platform', state: 'absent' },
      {
        path: '/etc/app/template.json',
        state: 'file',
        from: '/var/backups/runbook/before-4.14/fetched/index-template.json',
        expect: { json: true, has: ['/index_patterns'] },
        mode: '0644',
      },
    ],
    dependentRequired: { expect: ['from'] },
  },
);

export type Args = Static<typeof schema>;
