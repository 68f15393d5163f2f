import { sha256 } from './hash.js';
import type { JsonLike } from './json.js';

/** 64 bits of a hash: enough to detect damage, short enough for each record. */
const SUM_DIGITS = 16;
const HEAD = new RegExp(`^\\{"sum":"([0-9a-f]{${SUM_DIGITS}})",$`);
const HEAD_BYTES = '{"sum":"",'.length + SUM_DIGITS;

const sumOf = (covered: string | Buffer): string => sha256(covered).slice(0, SUM_DIGITS);

/**
 * A JSON object's text with a checksum as its first member: of that text, and of the checksum of what it follows, where it follows
 * anything. It stays one line of JSON.
 */
export const seal = (object: string, before = ''): string => `{"sum":"${sumOf(before + object)}",${object.slice(1)}`;

/** The checksum that a sealed text begins with; empty where it begins with none. */
export const sumIn = (sealed: Buffer): string => HEAD.exec(sealed.toString('latin1', 0, HEAD_BYTES))?.[1] ?? '';

/** The object of a sealed text, without its checksum; undefined when a byte of it is not the one that was written, or it follows another. */
export function unseal(sealed: Buffer, before = ''): JsonLike | undefined {
  const sum = sumIn(sealed);
  if (sum === '') return undefined;
  const covered = Buffer.concat([Buffer.from(`${before}{`), sealed.subarray(HEAD_BYTES)]);
  return sumOf(covered) === sum ? (JSON.parse(covered.toString('utf8', before.length)) as JsonLike) : undefined;
}
