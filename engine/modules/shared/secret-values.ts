import { secret } from '../../facts/secret.js';
import { escapePattern } from '../../lib/escape-pattern.js';
import { createRedactor } from '../../lib/redact.js';
import { blocked, type Verdict } from '../../terms/change.js';
import { need, type Need } from '../../terms/fact.js';
import { isWithheld, secretNames, textParts, type SecretRef, type Text } from '../../terms/secret.js';
import type { Subject } from '../../terms/subject.js';

/**
 * The values of the secrets that a module's arguments name. An edit needs them: only so it knows what the file must hold, to the byte. They leave
 * the decision as references in its action, and as `{{secret.NAME}}` in what people read.
 */
export interface SecretValues {
  /** Whether there are any. */
  readonly some: boolean;
  /** The name of one whose value only the worker of a zone has: what it would be in a file of some syntax cannot be judged. */
  readonly withheld: string | undefined;
  /** A text with its values; `as` says how a value is written there. */
  text(text: Text, as?: (value: string) => string): string;
  /** For people. */
  readonly hide: (text: string) => string;
  /** For the action: a reference wherever a value stands. */
  refer(text: string): Text;
}

/** What a module needs to have them. */
export const secretNeeds = (on: Subject, args: object): Readonly<Record<string, Need<string>>> =>
  Object.fromEntries(secretNames(args).map((name) => [needName(name), need(on, secret, name)]));

const needName = (name: string): string => `secret ${name}`;

/** `now` is what the module was given for its needs. */
export function secretValues(args: object, now: object): SecretValues {
  const given = now as Readonly<Record<string, string>>;
  const values = new Map(secretNames(args).map((name) => [name, given[needName(name)] ?? '']));
  if (values.size === 0) return NO_SECRETS;
  return {
    some: true,
    withheld: [...values.keys()].find((name) => isWithheld(values.get(name) ?? '')),
    text: (text, as = (value) => value) =>
      textParts(text)
        .map((part) => (typeof part === 'string' ? part : as(values.get(part.$secret) ?? '')))
        .join(''),
    hide: createRedactor(values),
    refer: (text) => withReferences(text, values),
  };
}

/** Of arguments without any. */
export const NO_SECRETS: SecretValues = {
  some: false,
  withheld: undefined,
  text: (text) => (typeof text === 'string' ? text : ''),
  hide: (text) => text,
  refer: (text) => text,
};

/** Why a file of a syntax cannot get these; undefined when it can. */
export const whyNotWritten = ({ withheld }: SecretValues, syntax: string): Verdict | undefined =>
  withheld === undefined
    ? undefined
    : blocked(
        `only the worker of this zone has the secret "${withheld}": how ${syntax} must write it is not known here`,
        'write its line with `file-edit`',
      );

function withReferences(text: string, values: ReadonlyMap<string, string>): Text {
  const names = new Map([...values].map(([name, value]) => [value, name]));
  // Of two values that begin at one place the longer one stands there.
  const longest = [...names.keys()].sort((a, b) => b.length - a.length);
  const parts: (string | SecretRef)[] = [];
  let at = 0;
  for (const { 0: value, index } of text.matchAll(new RegExp(longest.map(escapePattern).join('|'), 'g'))) {
    if (index > at) parts.push(text.slice(at, index));
    parts.push({ $secret: names.get(value) ?? '' });
    at = index + value.length;
  }
  if (parts.length === 0) return text;
  return { $text: at < text.length ? [...parts, text.slice(at)] : parts };
}

/** What a secret replaces may be the secret before it: where a group of lines gets one, the lines that go are hidden. */
export const hideReplaced = (diff: string): string =>
  diff.replace(/^@@[^]*/m, (hunks) =>
    hunks.replace(/(?:^[-+].*\n?)+/gm, (group) =>
      /^\+.*(?:\{\{secret\.|\[hidden)/m.test(group) ? group.replace(/^-.*$/gm, '-[hidden]') : group,
    ),
  );
