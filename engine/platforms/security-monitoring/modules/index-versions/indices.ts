import { http, type HttpAnswer } from '../../../../facts/http.js';
import { pointer } from '../../../../lib/json.js';
import { need, type Need } from '../../../../terms/fact.js';
import { isObject, type Json, type JsonObject } from '../../../../terms/json.js';

const CREATED = '/_settings?expand_wildcards=all&filter_path=*.settings.index.version.created';
const WRITTEN = '/_stats/docs?level=shards&expand_wildcards=all&filter_path=indices.*.shards.*.seq_no.max_seq_no';

/** By index, the engine that created it: hidden and closed ones too. */
export const created = (endpoint: string): Need<HttpAnswer> => need({ endpoint }, http, { path: CREATED });
/** By index and shard, the number of the newest write in each started copy; closed ones are not there. */
export const written = (endpoint: string): Need<HttpAnswer> => need({ endpoint }, http, { path: WRITTEN });

export interface CreatedIndex {
  readonly index: string;
  readonly version: string;
}

/** Of each index, in the engine's own numbers: 136407927 is 2.19.1. Its predecessor's lack the bit, and are all older. */
export function createdVersions(settings: JsonObject): readonly CreatedIndex[] {
  return Object.entries(settings)
    .map(([index, value]) => ({ index, version: versionOf(pointer(value, '/settings/index/version/created')) }))
    .sort((a, b) => (a.index < b.index ? -1 : 1));
}

const BIT = 0x08000000;

function versionOf(number: Json | undefined): string {
  const whole = Number(number);
  if (!Number.isInteger(whole)) return 'unknown';
  if (whole < BIT) return '0.0.0';
  const own = whole ^ BIT;
  return [Math.floor(own / 1_000_000), Math.floor(own / 10_000) % 100, Math.floor(own / 100) % 100].join('.');
}

/**
 * Indices to which nothing was ever written: every started copy of each shard counts -1. One whose name could be read as a pattern or as
 * several is not among them: a call that deletes takes patterns.
 */
export function neverWritten(stats: Json): ReadonlySet<string> {
  const indices = pointer(stats, '/indices');
  return new Set(
    Object.entries(isObject(indices) ? indices : {}).flatMap(([index, value]) =>
      ONE_NAME.test(index) && isEmpty(pointer(value, '/shards')) ? [index] : [],
    ),
  );
}

const ONE_NAME = /^(?![-_+])[^\s*?,<>"\\/|#:]+$/;

function isEmpty(shards: Json | undefined): boolean {
  const copies = isObject(shards) ? Object.values(shards) : [];
  return (
    copies.length > 0 &&
    copies.every(
      (of) => Array.isArray(of) && of.length > 0 && of.every((c: Json) => pointer(c, '/seq_no/max_seq_no') === -1),
    )
  );
}
