import { Type, type Static } from 'typebox';
import { anything, object, text } from '../shared.js';
import { fromCommand, fromFile, overHttp } from './fact-sources.js';

export const fact = object(
  {
    description: text({ description: 'Its meaning.', examples: ['The elected cluster manager, by its host name.'] }),
    ...overHttp,
    ...fromFile,
    ...fromCommand,
    disk: Type.Optional(
      Type.String({
        description: 'A path on the current host: the value is `{ free_bytes, total_bytes }` of its file system.',
        pattern: '^(/|.*\\{\\{)',
        examples: ['/var/lib/platform-indexer'],
      }),
    ),
    type: Type.Optional(
      Type.Enum(['string', 'number', 'boolean', 'version', 'list', 'json'], {
        description:
          'The type of the value, in expressions. Absent: what a command prints and a text file are text, `all`, `xml` and `repository` are lists of text; a value at a pointer has the type of `default`, and is JSON without one. Text of digits becomes a number; an invalid value counts as not read.',
        examples: ['version'],
      }),
    ),
    default: Type.Optional(
      anything({
        description:
          'The value when there is none: the file does not exist, the command prints nothing, nothing matches, the answer is 404, or the pointer has no target.',
        examples: ['all'],
      }),
    ),
  },
  {
    description:
      'A fact: read over HTTP (`endpoint` and `path`), or on the current host (`file`, `command` or `disk`).',
    oneOf: [
      { required: ['endpoint', 'path'] },
      { required: ['file'] },
      { required: ['command'] },
      { required: ['disk'] },
    ],
    dependentRequired: {
      path: ['endpoint'],
      each_node: ['endpoint'],
      absent: ['endpoint'],
      format: ['file'],
      all: ['pattern'],
      exit: ['command'],
      url: ['format'],
      leave_out: ['format'],
      overridden_unless: ['elements'],
      json: ['endpoint'],
    },
    dependentSchemas: { pattern: { anyOf: [{ required: ['command'] }, { required: ['endpoint'] }] } },
  },
);

export type FactEntry = Static<typeof fact>;
