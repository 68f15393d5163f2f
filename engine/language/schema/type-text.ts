import { isObject, type Json } from '../../terms/json.js';
import { hintForOldHosts } from '../inventory/hosts-text.js';
import { hintForOld } from '../playbook/old-condition.js';
import type { Finding } from './findings.js';
import { isOfHosts } from './pattern-text.js';
import { like, show, type FindingText } from './shown.js';
import type { Words } from './words.js';

/** A value of another type than its place has. */
export function typeText(name: string, finding: Finding, words: Words): FindingText {
  const { value, params } = finding;
  if (isObject(value) && words.isCondition) return oldConditionText(name, value, words);
  const hint = isObject(value) && isOfHosts(finding) ? hintForOldHosts(value) : undefined;
  if (hint !== undefined) return { message: `${name} is text now: a role, a group or a host`, hint };
  const types = [params['type']].flat().map(String);
  const message = `${name} must be ${types.map((type) => typeNames[type] ?? type).join(' or ')}, and is ${kindOf(value)}`;
  if (!isUnquoted(value, types, words)) return { message, ...like(words) };
  // YAML reads 0o660 and 0660 as numbers: their digits are no longer those that were written.
  return words.pattern?.includes('[0-7]') === true
    ? { message: `${name} must be text`, hint: 'write its octal digits in quotes, such as "0640"' }
    : { message, hint: `put it in quotes: "${String(value)}"` };
}

/** True for a number, `true` or `false` that would be right as text. */
const isUnquoted = (
  value: Json | undefined,
  types: readonly string[],
  { isCondition, pattern = '' }: Words,
): value is number | boolean =>
  types.includes('string') &&
  !isCondition &&
  (typeof value === 'number' || typeof value === 'boolean') &&
  new RegExp(pattern).test(String(value));

/** A condition in the form of maps, which there was before expressions. */
function oldConditionText(name: string, old: Json, { examples }: Words): FindingText {
  const example = examples.find((one) => typeof one === 'string');
  return {
    message: `${name} is text now: an expression${example === undefined ? '' : `, as ${example}`}`,
    hint: hintForOld(old) ?? 'see "Conditions" in docs/reference.md',
  };
}

const typeNames: Readonly<Record<string, string>> = {
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
