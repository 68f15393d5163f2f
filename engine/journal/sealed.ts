import { sha256 } from '../lib/hash.js';
import type { Json } from '../terms/json.js';

/** 64 bits of a hash: enough to detect damage, short enough for each record. */
const SUM_DIGITS = 16;
const HEAD = new RegExp(`^\\{"sum":"([0-9a-f]{${SUM_DIGITS}})",$`);
const HEAD_BYTES = '{"sum":"",'.length + SUM_DIGITS;

const sumOf = (object: string | Buffer): string => sha256(object).slice(0, SUM_DIGITS);

/** A JSON object's text with a checksum of that text as its first member. It stays one line of JSON. */
export const seal = (object: string): string => `{"sum":"${sumOf(object)}",${object.slice(1)}`;

/** The object of a sealed text, without its checksum; undefined when a byte of it is not the one that was written. */
export function unseal(sealed: Buffer): Json | undefined {
  const [, sum] = HEAD.exec(sealed.toString('latin1', 0, HEAD_BYTES)) ?? [];
  if (sum === undefined) return undefined;
  const object = Buffer.concat([Buffer.from('{'), sealed.subarray(HEAD_BYTES)]);
  return sumOf(object) === sum ? (JSON.parse(object.toString('utf8')) as Json) : undefined;
}
