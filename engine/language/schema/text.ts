import { patternMistake } from '../../lib/pattern.js';
import { isObject, type Json } from '../../terms/json.js';
import { hintForOld } from '../playbook/old-condition.js';
import { hintForOldHosts, hostsText } from '../inventory/hosts-text.js';
import type { Finding } from './findings.js';
import type { Words } from './words.js';

/** A finding in words. `where` is what holds the value: `systemctl`, `the inventory`; empty when the words before the message say it. */
export function findingText(
  finding: Finding,
  where: string,
  words: Words,
): { readonly message: string; readonly hint?: string } {
  const { keyword, params, value } = finding;
  const name = nameOf(finding, where);
  const subject = name === '' ? '' : `${name} `;
  switch (keyword) {
    case 'additionalProperties':
    case 'unevaluatedProperties':
      return { message: `unknown key "${finding.key ?? ''}"${where === '' ? '' : ` in ${where}`}` };
    case 'required':
    case 'dependentRequired':
      return { message: `${subject}needs "${String(params['missingProperty'])}"` };
    case 'type':
      if (words.isCondition && isObject(value)) return oldConditionText(name, value, words);
      if (isOfHosts(finding) && isObject(value)) {
        const hint = hintForOldHosts(value);
        if (hint !== undefined) return { message: `${name} is text now: a role, a group or a host`, hint };
      }
      return typeText(name, params['type'], value, words);
    case 'enum':
      return { message: `${name} is ${show(value)}, and may be ${either(params['allowedValues'])}` };
    case 'const':
      return { message: `${name} is ${show(value)}, and may only be ${show(params['allowedValue'])}` };
    case 'pattern':
      if (words.pattern?.includes('secret') === true)
        return {
          message: `${name} must be a secret`,
          hint: 'such as "{{secret.NAME}}", with where it comes from under `secrets`',
        };
      if (isOfHosts(finding)) {
        const text = hostsText(name, value);
        if (text !== undefined) return text;
      }
      if (typeof value === 'string' && isRelative(value, words))
        return {
          message: `${name} is ${show(value)}, a relative path`,
          hint: `write an absolute path: "/${value}"`,
        };
      if (isObject(words.examples[0] ?? null))
        return { message: `${name} must be a map, and is the text ${show(value)}`, ...like(words) };
      return finding.key === undefined
        ? { message: `${name} is ${show(value)}, which is ${kindOfPattern(words)}`, ...like(words) }
        : { message: `"${finding.key}" is no name: letters, digits, _ and - only, and no digit first` };
    case 'format':
      return patternText(name, value);
    case 'minLength':
    case 'minItems':
      return { message: `${name} is empty`, ...like(words) };
    case 'minimum':
    case 'exclusiveMinimum':
      return {
        message: `${name} is ${show(value)}, and must be ${keyword === 'minimum' ? 'at least' : 'more than'} ${String(params['limit'])}`,
      };
    case 'maximum':
    case 'exclusiveMaximum':
      return {
        message: `${name} is ${show(value)}, and must be ${keyword === 'maximum' ? 'at most' : 'less than'} ${String(params['limit'])}`,
      };
    case 'maxItems':
    case 'maxLength':
      return {
        message: `${name} has more than ${String(params['limit'])} ${keyword === 'maxItems' ? 'items' : 'characters'}`,
      };
    case 'uniqueItems':
      return { message: `${name} holds ${show(repeated(value, params['i']))} twice` };
    case 'minProperties':
      return { message: `${subject}is empty`, ...(words.keys.length === 0 ? like(words) : keysOf(words)) };
    case 'maxProperties':
      return { message: `${subject}takes only one of its keys`, ...keysOf(words) };
    default:
      return { message: `${subject}has none of the allowed forms`, ...like(words) };
  }
}

/** The `hosts` of a play, or a word of them; not those of an inventory. */
const isOfHosts = ({ path }: Finding): boolean => path[0] === 'plays' && path[2] === 'hosts';

/** A path where only an absolute one is valid. */
const isRelative = (value: string, { examples }: Words): boolean =>
  /^[^/\s]+\/\S*$/.test(value) && examples.flat().some((one) => typeof one === 'string' && one.startsWith('/'));

const kindOfPattern = ({ pattern = '' }: Words): string => (pattern.includes('ms|') ? 'not a duration' : 'invalid');

/** A pattern that cannot be compiled; `regex` is the only format that the schemas use. */
export function patternText(name: string, pattern: Json | undefined): { message: string; hint?: string } {
  const { reason, hint } = patternMistake(typeof pattern === 'string' ? pattern : '') ?? { reason: 'it is no text' };
  return { message: `${name} is no regular expression: ${reason}`, ...(hint === undefined ? {} : { hint }) };
}

function typeText(
  name: string,
  wanted: unknown,
  value: Json | undefined,
  words: Words,
): { message: string; hint?: string } {
  const kinds = (Array.isArray(wanted) ? (wanted as readonly unknown[]) : [wanted]).map(
    (kind) => kindNames[String(kind)] ?? String(kind),
  );
  const message = `${name} must be ${kinds.join(' or ')}, and is ${kindOf(value)}`;
  const quotable =
    kinds.includes('text') &&
    !words.isCondition &&
    (typeof value === 'number' || typeof value === 'boolean') &&
    new RegExp(words.pattern ?? '').test(String(value));
  // YAML reads 0o660 and 0660 as numbers: their digits are no longer those that were written.
  if (quotable && words.pattern?.includes('[0-7]') === true)
    return { message: `${name} must be text`, hint: 'write its octal digits in quotes, such as "0640"' };
  if (quotable) return { message, hint: `put it in quotes: "${String(value)}"` };
  return { message, ...like(words) };
}

/** A condition in the form of maps, which there was before expressions. */
function oldConditionText(name: string, old: Json, { examples }: Words): { message: string; hint: string } {
  const example = examples.find((one) => typeof one === 'string');
  return {
    message: `${name} is text now: an expression${example === undefined ? '' : `, as ${example}`}`,
    hint: hintForOld(old) ?? 'see "Conditions" in docs/reference.md',
  };
}

const kindNames: Readonly<Record<string, string>> = {
  string: 'text',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a map',
  null: 'empty',
};

function kindOf(value: Json | undefined): string {
  if (value === null || value === undefined) return 'empty';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'a map' : show(value);
}

const keysOf = ({ keys }: Words): { hint: string } => ({ hint: `keys: ${keys.slice(0, 12).join(', ')}` });

const nameOf = ({ path, keyword, key }: Finding, where: string): string => {
  const last = path.at(-1);
  if (last === undefined || keyword === 'required' || (key !== undefined && keyword !== 'pattern')) return where;
  return typeof last === 'number'
    ? `item ${last + 1} of "${path.findLast((step) => typeof step === 'string') ?? where}"`
    : `"${last}"`;
};

/** A value on one line, cut where it is long. */
export function show(value: unknown): string {
  const text = JSON.stringify(value) as string | undefined;
  if (text === undefined) return 'nothing';
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}

const either = (values: unknown): string => {
  const all = (Array.isArray(values) ? (values as readonly unknown[]) : []).map(show);
  return all.length < 2 ? all.join('') : `${all.slice(0, -1).join(', ')} or ${all.at(-1) ?? ''}`;
};

function like({ examples }: Words): { hint?: string } {
  const shown = examples.slice(0, 3).map((e) => (typeof e === 'string' ? e : JSON.stringify(e)));
  return shown.length === 0 || shown.join().length > 120 ? {} : { hint: `such as ${shown.join(' or ')}` };
}

const repeated = (value: Json | undefined, index: unknown): Json =>
  Array.isArray(value) ? ((value as readonly Json[])[Number(index)] ?? null) : isObject(value) ? value : null;
