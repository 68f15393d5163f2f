import { Type } from 'typebox';
import { list, object, orText, text } from '../shared.js';

export const evidence = orText(
  object(
    {
      title: Type.Optional(text({ description: 'A line above it.', examples: ['- saved, + now'] })),
      of: Type.Optional(text({ description: 'The text whose lines are shown.', examples: ['{{fact.indexer_log}}'] })),
      lines: Type.Optional(
        Type.String({
          description: 'Only lines that match this regular expression.',
          format: 'regex',
          minLength: 1,
          examples: ['ERROR|Exception'],
        }),
      ),
      last: Type.Optional(
        Type.Integer({
          description: 'The maximum number of lines, the last ones. Default: 10.',
          minimum: 1,
          maximum: 200,
          examples: [20],
        }),
      ),
      differs: Type.Optional(
        list(text({ description: 'One of the two.', examples: ['{{fact.jvm_options}}'] }), {
          description: 'Two texts: the old one and the new one. Nothing is shown when one of them is empty.',
          minItems: 2,
          maxItems: 2,
          examples: [['{{fact.jvm_options_saved}}', '{{fact.jvm_options}}']],
        }),
      ),
    },
    {
      description: 'A text, lines of a text, or the differences between two texts.',
      minLength: 1,
      examples: ['{{fact.shipper_test}}', { of: '{{fact.indexer_log}}', lines: 'ERROR|Exception', last: 10 }],
    },
  ),
);
