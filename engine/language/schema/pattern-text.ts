import { patternMistake } from '../../lib/pattern.js';
import { isObject, type Json } from '../../terms/json.js';
import { hostsText } from '../inventory/hosts-text.js';
import type { Finding } from './findings.js';
import { like, show, type FindingText } from './shown.js';
import type { Words } from './words.js';

/** A text that does not have the form of its place: what is known of the place says more than its pattern. */
export const patternText = (name: string, finding: Finding, words: Words): FindingText =>
  secretText(name, words) ??
  (isOfHosts(finding) ? hostsText(name, finding.value) : undefined) ??
  relativeText(name, finding, words) ??
  mapText(name, finding, words) ??
  keyText(finding) ?? {
    message: `${name} is ${show(finding.value)}, which is ${kindOfPattern(words)}`,
    ...like(words),
  };

/** The `hosts` of a play, or a word of them; not those of an inventory. */
export const isOfHosts = ({ path }: Finding): boolean => path[0] === 'plays' && path[2] === 'hosts';

function secretText(name: string, { pattern }: Words): FindingText | undefined {
  if (pattern?.includes('secret') !== true) return undefined;
  return {
    message: `${name} must be a secret`,
    hint: 'such as "{{secret.NAME}}", with where it comes from under `secrets`',
  };
}

/** A path where only an absolute one is valid. */
function relativeText(name: string, { value }: Finding, { examples }: Words): FindingText | undefined {
  if (typeof value !== 'string' || !/^[^/\s]+\/\S*$/.test(value)) return undefined;
  if (!examples.flat().some((one) => typeof one === 'string' && one.startsWith('/'))) return undefined;
  return { message: `${name} is ${show(value)}, a relative path`, hint: `write an absolute path: "/${value}"` };
}

/** A text where a map is expected. */
function mapText(name: string, { value }: Finding, words: Words): FindingText | undefined {
  if (!isObject(words.examples[0])) return undefined;
  return { message: `${name} must be a map, and is the text ${show(value)}`, ...like(words) };
}

const keyText = ({ key }: Finding): FindingText | undefined =>
  key === undefined ? undefined : { message: `"${key}" is no name: letters, digits, _ and - only, and no digit first` };

const kindOfPattern = ({ pattern = '' }: Words): string => (pattern.includes('ms|') ? 'not a duration' : 'invalid');

/** A pattern that cannot be compiled; `regex` is the only format that the schemas use. */
export function regexText(name: string, pattern: Json | undefined): FindingText {
  const { reason, hint } = patternMistake(typeof pattern === 'string' ? pattern : '') ?? { reason: 'it is no text' };
  return { message: `${name} is no regular expression: ${reason}`, ...(hint === undefined ? {} : { hint }) };
}
