import { decode } from '../../expressions/decode.js';
import { ANY, type NameType } from '../../expressions/types.js';
import type { Json } from '../../terms/json.js';
import type { PlatformFact } from '../../terms/playbook.js';

/** The words of `type:` in platform.yaml, those of a playbook's parameters. */
const DECLARED: Readonly<Record<NonNullable<PlatformFact['type']>, string>> = {
  string: 'string',
  number: 'int',
  boolean: 'bool',
  version: 'Version',
  list: 'list<string>',
  json: ANY,
};

/** A word of `type:`; undefined for any other, which the schema refuses. */
export const factType = (word: string | undefined): PlatformFact['type'] =>
  word !== undefined && Object.hasOwn(DECLARED, word) ? (word as NonNullable<PlatformFact['type']>) : undefined;

/**
 * The type of a fact's value: as declared, else as its source shows. A file and what a command prints are text; what stands in an answer,
 * or below a pointer, has the type of the default, and is JSON where that shows none.
 */
export function typeOfFact(fact: PlatformFact): NameType {
  if (fact.type !== undefined) return DECLARED[fact.type];
  if ('disk' in fact) return { free_bytes: 'int', total_bytes: 'int' };
  if (isExitStatus(fact)) return 'int';
  if ('command' in fact && fact.pointer === undefined) return fact.all === true ? 'list<string>' : 'string';
  if (fact.pointer === undefined && 'file' in fact) {
    if (fact.format === 'xml' || fact.format === 'repository') return 'list<string>';
    if (fact.format === 'text' || fact.format === 'sha256') return 'string';
  }
  return fact.pointer === undefined ? ANY : scalarType(fact.default);
}

/** Its value is the exit status of its command. */
export const isExitStatus = (fact: PlatformFact): boolean => 'command' in fact && fact.exit === 'value';

const scalarType = (value: Json | undefined): string =>
  typeof value === 'string' ? 'string' : typeof value === 'number' ? 'int' : typeof value === 'boolean' ? 'bool' : ANY;

/** A fact's value converted to its type, as data: the text of a number becomes a number. A value of another type counts as not read. */
export function decodeFact(fact: PlatformFact, value: Json): { readonly value: Json } | { readonly mistake: string } {
  const type = typeOfFact(fact);
  const decoded = decode(type, value);
  if ('mistake' in decoded) return decoded;
  // A version stays text: templates write it as it was read.
  return { value: type === 'Version' ? value : (decoded.value as Json) };
}
