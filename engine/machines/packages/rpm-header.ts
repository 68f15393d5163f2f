import type { FileHandle } from 'node:fs/promises';
import { readAt, type PackageHeader } from './package-header.js';

const LEAD_BYTES = 96;
const LEAD_MAGIC = 'edabeedb';
const HEADER_MAGIC = '8eade801';
/** The list of files of the largest package takes a few MiB. */
const largestHeaderBytes = 64 * 1024 * 1024;
const TAG = { name: 1000, version: 1001, release: 1002, epoch: 1003, architecture: 1022, source: 1044 } as const;

/** Reads who an rpm is: a lead, the header of signatures, padded to 8 bytes, and then the header proper. Undefined when it is none. */
export async function rpmHeader(file: FileHandle): Promise<PackageHeader | undefined> {
  const lead = await readAt(file, 0, LEAD_BYTES);
  if (lead?.toString('hex', 0, 4) !== LEAD_MAGIC) return undefined;
  const signatures = await sizeAt(file, LEAD_BYTES);
  if (signatures === undefined) return undefined;
  const start = LEAD_BYTES + Math.ceil(signatures.bytes / 8) * 8;
  const size = await sizeAt(file, start);
  const header = size === undefined ? undefined : await readAt(file, start, size.bytes);
  if (size === undefined || header === undefined) return undefined;
  const tags = tagsOf(header, size.entries);
  const [name, version, release] = [tags.text(TAG.name), tags.text(TAG.version), tags.text(TAG.release)];
  const epoch = tags.number(TAG.epoch) ?? 0;
  const architecture = tags.text(TAG.source) === undefined ? 'src' : tags.text(TAG.architecture);
  if (name === undefined || version === undefined || release === undefined || architecture === undefined)
    return undefined;
  return { name, version: `${epoch === 0 ? '' : `${epoch}:`}${version}-${release}`, architecture };
}

async function sizeAt(
  file: FileHandle,
  at: number,
): Promise<{ readonly entries: number; readonly bytes: number } | undefined> {
  const intro = await readAt(file, at, 16);
  if (intro?.toString('hex', 0, 4) !== HEADER_MAGIC) return undefined;
  const entries = intro.readUInt32BE(8);
  const bytes = 16 + 16 * entries + intro.readUInt32BE(12);
  return bytes > largestHeaderBytes ? undefined : { entries, bytes };
}

/** An entry is a tag, a type, an offset into the store behind all entries, and a count. */
function tagsOf(header: Buffer, entries: number) {
  const store = header.subarray(16 + 16 * entries);
  const offsets = new Map<number, number>();
  for (let i = 0; i < entries; i++) offsets.set(header.readUInt32BE(16 + 16 * i), header.readUInt32BE(24 + 16 * i));
  return {
    text: (tag: number): string | undefined => {
      const at = offsets.get(tag);
      const end = at === undefined ? -1 : store.indexOf(0, at);
      return at === undefined || end === -1 ? undefined : store.toString('utf8', at, end);
    },
    number: (tag: number): number | undefined => {
      const at = offsets.get(tag);
      return at === undefined || at + 4 > store.length ? undefined : store.readUInt32BE(at);
    },
  };
}
