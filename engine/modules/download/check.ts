import type { DownloadState } from '../../facts/http.js';
import { jsonOrUndefined, pointer } from '../../lib/json.js';
import type { Args } from './schema.js';

/** What a file must be to be believed. */
type Believed = Pick<Args, 'sha256' | 'size_bytes' | 'expect'>;

type Fetched = Extract<DownloadState, { is: 'fetched' }>;

/** Why what was fetched is not the file that was meant; undefined when it is. A server's page instead of a file is the usual one. */
export function whyNotBelieved(got: Fetched, { sha256, size_bytes: size, expect = {} }: Believed): string | undefined {
  if (sha256 !== undefined && got.sha256 !== sha256.toLowerCase())
    return `its SHA-256 is ${got.sha256}, and ${sha256.toLowerCase()} is wanted`;
  if (size !== undefined && got.sizeBytes !== size) return `it has ${got.sizeBytes} bytes, and ${size} are wanted`;
  if (got.sizeBytes === 0) return 'it is empty';
  const isPage = /^text\/html\b/i.test(got.contentType) || /^\s*(?:<!doctype html|<html)\b/i.test(got.text ?? '');
  if (isPage && sha256 === undefined) return 'it is a web page, not a file';
  const start = startsOtherwise(got, expect.starts_with_hex);
  if (start !== undefined) return start;
  return expect.json === true || expect.has !== undefined ? whyNoJson(got.text, expect.has) : undefined;
}

function startsOtherwise(got: Fetched, hex: string | undefined): string | undefined {
  if (hex === undefined) return undefined;
  const wanted = hex.toLowerCase();
  const head =
    (got as { readonly headHex?: string }).headHex ??
    (got.text === undefined
      ? undefined
      : Buffer.from(got.text, 'utf8')
          .subarray(0, wanted.length / 2)
          .toString('hex'));
  // Bytes that are no text cannot be seen from here; a page or another text can.
  return head === undefined || head.startsWith(wanted) ? undefined : `it does not start with the bytes ${wanted}`;
}

/** Why a text is not the JSON that was meant; undefined when it is. `has`: pointers that must lead somewhere. */
export function whyNoJson(text: string | undefined, has: readonly string[] = []): string | undefined {
  if (text === undefined) return 'it is no text of at most 1 MiB, and JSON is wanted';
  const json = jsonOrUndefined(text);
  if (json === undefined) return 'it is no JSON';
  if (typeof json !== 'object' || json === null) return 'it is JSON, but neither an object nor a list';
  const lacking = has.find((path) => pointer(json, path) === undefined);
  return lacking === undefined ? undefined : `it is JSON without ${lacking}`;
}
