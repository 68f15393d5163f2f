import { isObject, type Json } from '../../terms/json.js';
import type { Finding } from './findings.js';
import { patternText, regexText } from './pattern-text.js';
import { like, show, type FindingText } from './shown.js';
import { typeText } from './type-text.js';
import type { Words } from './words.js';

/** A finding with what its text is made of. */
interface Wrong {
  readonly finding: Finding;
  /** The value in words: `"port"`, `item 2 of "roles"`. */
  readonly name: string;
  /** The same at the beginning of a message, with the space after it; empty where the words before the message say it. */
  readonly subject: string;
  /** What holds the value; may be empty as well. */
  readonly where: string;
  readonly words: Words;
}

/** A finding in words. `where` is what holds the value: `systemctl`, `the inventory`; empty when the words before the message say it. */
export function findingText(finding: Finding, where: string, words: Words): FindingText {
  const name = nameOf(finding, where);
  const wrong = { finding, where, name, subject: name === '' ? '' : `${name} `, words };
  return (texts[finding.keyword] ?? noFormText)(wrong);
}

const unknownKeyText = ({ finding: { key = '' }, where }: Wrong): FindingText => ({
  message: `unknown key "${key}"${where === '' ? '' : ` in ${where}`}`,
});

const missingText = ({ finding: { params }, subject }: Wrong): FindingText => ({
  message: `${subject}needs "${String(params['missingProperty'])}"`,
});

const emptyText = ({ name, words }: Wrong): FindingText => ({ message: `${name} is empty`, ...like(words) });

const noFormText = ({ subject, words }: Wrong): FindingText => ({
  message: `${subject}has none of the allowed forms`,
  ...like(words),
});

/** Of a number beyond a limit. */
const limitText =
  (must: string) =>
  ({ finding: { params, value }, name }: Wrong): FindingText => ({
    message: `${name} is ${show(value)}, and must be ${must} ${String(params['limit'])}`,
  });

/** Of a list or a text that is too long. */
const tooManyText =
  (parts: string) =>
  ({ finding: { params }, name }: Wrong): FindingText => ({
    message: `${name} has more than ${String(params['limit'])} ${parts}`,
  });

/** The text of a finding, by the keyword of the schema that found it. */
const texts: Readonly<Record<string, (wrong: Wrong) => FindingText>> = {
  additionalProperties: unknownKeyText,
  unevaluatedProperties: unknownKeyText,
  required: missingText,
  dependentRequired: (wrong) => ({
    message: `${missingText(wrong).message} beside "${String(wrong.finding.params['property'])}"`,
  }),
  type: ({ finding, name, words }) => typeText(name, finding, words),
  enum: ({ finding: { params, value }, name }) => ({
    message: `${name} is ${show(value)}, and may be ${either(params['allowedValues'])}`,
  }),
  const: ({ finding: { params, value }, name }) => ({
    message: `${name} is ${show(value)}, and may only be ${show(params['allowedValue'])}`,
  }),
  pattern: ({ finding, name, words }) => patternText(name, finding, words),
  format: ({ finding: { value }, name }) => regexText(name, value),
  minLength: emptyText,
  minItems: emptyText,
  minimum: limitText('at least'),
  exclusiveMinimum: limitText('more than'),
  maximum: limitText('at most'),
  exclusiveMaximum: limitText('less than'),
  maxItems: tooManyText('items'),
  maxLength: tooManyText('characters'),
  uniqueItems: ({ finding: { params, value }, name }) => ({
    message: `${name} holds ${show(repeated(value, params['i']))} twice`,
  }),
  minProperties: ({ subject, words }) => ({
    message: `${subject}is empty`,
    ...(words.keys.length === 0 ? like(words) : keysOf(words)),
  }),
  maxProperties: ({ subject, words }) => ({ message: `${subject}takes only one of its keys`, ...keysOf(words) }),
};

const keysOf = ({ keys }: Words): { hint: string } => ({ hint: `keys: ${keys.slice(0, 12).join(', ')}` });

function nameOf({ path, keyword, key }: Finding, where: string): string {
  const last = path.at(-1);
  if (last === undefined || keyword === 'required' || (key !== undefined && keyword !== 'pattern')) return where;
  return typeof last === 'number'
    ? `item ${last + 1} of "${path.findLast((step) => typeof step === 'string') ?? where}"`
    : `"${last}"`;
}

const either = (values: unknown): string => {
  const all = (Array.isArray(values) ? (values as readonly unknown[]) : []).map(show);
  return all.length < 2 ? all.join('') : `${all.slice(0, -1).join(', ')} or ${all.at(-1) ?? ''}`;
};

const repeated = (value: Json | undefined, index: unknown): Json =>
  Array.isArray(value) ? ((value as readonly Json[])[Number(index)] ?? null) : isObject(value) ? value : null;
