import { Type } from 'typebox';
import type { Json } from '../../terms/json.js';
import { hint as anyHint } from '../../terms/schemas/shared.js';
import type { Text } from '../../terms/secret.js';
import type { Truth } from '../../terms/condition.js';

/** What an argument is, for the reference page, `runbook modules` and editors, with values that show its form. */
interface About {
  readonly description: string;
  readonly examples: readonly unknown[];
}

/** A duration as text: `500ms`, `30s`, `1h30m`. */
export const duration = (about: About) => Type.String({ ...about, pattern: '^(?:\\d+(?:\\.\\d+)?(?:ms|s|m|h|d))+$' });

export const absolutePath = (about: About) => Type.String({ ...about, pattern: '^/' });

/** A program and its arguments, which no shell reads. */
export const argv = (about: About, examples: readonly string[]) =>
  Type.Unsafe<readonly [string, ...string[]]>({
    ...about,
    type: 'array',
    minItems: 1,
    items: {
      description: 'One argument, verbatim: it is not passed through a shell.',
      type: 'string',
      examples,
    },
  });

/** A condition of the language: the engine evaluates it and gives the module its Truth. */
export const condition = (about: About) =>
  Type.Unsafe<Truth>({ ...about, $ref: '../playbook.schema.json#/$defs/condition' });

/** Any JSON value. */
export const json = (about: About) => Type.Unsafe<Json>(about);

/** Marks a place of arguments where a secret may stand, and all that is below it: nowhere else may one. */
export const takesSecret = { secret: true } as const;

/** A text that may hold secrets. */
export const text = (about: About & { readonly pattern?: string }) =>
  Type.Unsafe<Text>({ ...about, type: 'string', ...takesSecret });

/** What to do where something does not hold, or what to read first. */
export const hint = (examples: readonly unknown[]) =>
  anyHint({ description: 'What to do then, or `look`: what to read.', examples }, 'journalctl -u nginx -n 50');

/** A release of a package, with or without its revision. */
export const version = (about: About) => Type.String({ ...about, pattern: '^[0-9][A-Za-z0-9.+:~-]*$' });

/** Of a module that edits a file. */
export const create = Type.Optional(
  Type.Boolean({
    description: 'Create the file when it does not exist. Default: false, which refuses.',
    examples: [true],
  }),
);

/** Owner, group and mode of a file. */
export const ownership = {
  owner: Type.Optional(
    Type.String({
      description: 'The owner. Absent: unchanged; a new file belongs to root.',
      pattern: '^[A-Za-z0-9_.][A-Za-z0-9_.$-]*$',
      examples: ['root'],
    }),
  ),
  group: Type.Optional(
    Type.String({
      description: 'The group. Absent: unchanged; a new file belongs to root.',
      pattern: '^[A-Za-z0-9_.][A-Za-z0-9_.$-]*$',
      examples: ['root'],
    }),
  ),
  mode: Type.Optional(
    Type.String({
      description: 'Its mode, octal, as text. Absent: unchanged.',
      pattern: '^[0-7]{3,4}$',
      examples: ['0640', '0660'],
    }),
  ),
};
