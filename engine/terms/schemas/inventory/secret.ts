import { Type } from 'typebox';
import { list, object, text } from '../shared.js';

export const secret = object(
  {
    env: Type.Optional(text({ description: 'An environment variable.', examples: ['RUNBOOK_API_PASSWORD'] })),
    file: Type.Optional(
      text({
        description: 'A file, relative to this file; refused when other users can read it.',
        examples: ['secrets/api'],
      }),
    ),
    command: Type.Optional(
      list(Type.String({ description: 'An argument.', examples: ['pass'] }), {
        description: 'A program and its arguments; the value is its standard output without the last newline.',
        minItems: 1,
        examples: [['pass', 'show', 'soc/indexer']],
      }),
    ),
    prompt: Type.Optional(
      text({ description: 'A prompt for the operator at the terminal.', examples: ['Password of the API user'] }),
    ),
  },
  { description: 'The source of one value: exactly one of the keys.', minProperties: 1, maxProperties: 1 },
);

/** A text that names a secret, and is not one. */
export const secretText = (about: { readonly description: string; readonly examples: readonly string[] }) =>
  Type.String({ ...about, pattern: '\\{\\{\\s*secret\\.' });
