import { Type, type Static } from 'typebox';
import { absolutePath, create, ownership, text } from '../shared/arguments.js';

export const schema = Type.Object(
  {
    path: absolutePath({ description: 'The file.', examples: ['/etc/apt/sources.list.d/platform.list'] }),
    lines: Type.Optional(
      Type.Array(
        Type.Object(
          {
            line: Type.Optional(
              text({
                description: 'The whole line, without its line ending.',
                pattern: '^[^\\r\\n]*$',
                examples: ['enabled=1'],
              }),
            ),
            match: Type.Optional(
              Type.String({
                description: 'The line to replace or remove. Absent: only an identical line.',
                format: 'regex',
                minLength: 1,
                examples: ['^enabled\\s*='],
              }),
            ),
            after: Type.Optional(
              Type.String({
                description: 'A new line is added after the last line that matches. Default: at the end.',
                format: 'regex',
                minLength: 1,
                examples: ['^\\[platform\\]'],
              }),
            ),
            before: Type.Optional(
              Type.String({
                description: 'A new line is added before the first line that matches.',
                format: 'regex',
                minLength: 1,
                examples: ['^\\[other\\]'],
              }),
            ),
            state: Type.Optional(
              Type.Enum(['present', 'absent'], { description: 'Default: present.', examples: ['present'] }),
            ),
          },
          {
            description: 'One line.',
            additionalProperties: false,
            anyOf: [{ required: ['line'] }, { required: ['match', 'state'] }],
            examples: [{ line: 'enabled=1', match: '^enabled\\s*=', after: '^\\[platform\\]' }],
          },
        ),
        {
          description: 'Lines that must be present, each once, or absent.',
          minItems: 1,
          examples: [[{ line: 'enabled=0', match: '^enabled\\s*=' }]],
        },
      ),
    ),
    block: Type.Optional(
      Type.Object(
        {
          text: Type.Optional(text({ description: 'The lines.', examples: ['net.core.somaxconn = 1024\n'] })),
          marker: Type.Optional(
            Type.String({
              description: 'The markers; `{mark}` becomes BEGIN and END. Default: `# {mark} runbook`.',
              pattern: '\\{mark\\}',
              examples: ['# {mark} platform'],
            }),
          ),
          state: Type.Optional(
            Type.Enum(['present', 'absent'], { description: 'Default: present.', examples: ['present'] }),
          ),
        },
        {
          description: 'Lines between two markers of this module; a new block is added at the end.',
          additionalProperties: false,
          examples: [{ text: 'a = 1\n', marker: '# {mark} platform' }],
        },
      ),
    ),
    replace: Type.Optional(
      Type.Array(
        Type.Object(
          {
            pattern: Type.String({
              description: 'What is replaced.',
              format: 'regex',
              minLength: 1,
              examples: ['^#[ \\t]*(deb .*)$'],
            }),
            with: text({ description: 'The replacement; `$1` is the first group.', examples: ['$1'] }),
            at_least: Type.Optional(
              Type.Integer({
                description: 'How many places must match `already` afterwards; with fewer, the step is refused.',
                minimum: 1,
                examples: [1],
              }),
            ),
            already: Type.Optional(
              Type.String({
                description: 'Matches a place that is already as wanted.',
                format: 'regex',
                minLength: 1,
                examples: ['^deb '],
              }),
            ),
          },
          {
            description: 'One replacement.',
            additionalProperties: false,
            dependentRequired: { at_least: ['already'] },
            examples: [{ pattern: '^#[ \\t]*(deb .*)$', with: '$1', already: '^deb ', at_least: 1 }],
          },
        ),
        { description: 'Replaces every match.', minItems: 1, examples: [[{ pattern: '^(deb .*)$', with: '#$1' }]] },
      ),
    ),
    create,
    ...ownership,
  },
  {
    additionalProperties: false,
    examples: [
      {
        path: '/etc/apt/sources.list.d/platform.list',
        replace: [{ pattern: '^#[ \\t]*(deb .*)$', with: '$1', already: '^deb ', at_least: 1 }],
      },
    ],
  },
);

export type Args = Static<typeof schema>;
