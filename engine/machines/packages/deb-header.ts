import type { FileHandle } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { XzReadableStream } from 'xz-decompress';
import { readAt, type PackageHeader } from './package-header.js';

const MAGIC = '!<arch>\n';
const MEMBER_BYTES = 60;
const BLOCK = 512;
const ZSTD_PIECE_BYTES = 64 * 1024;
/** Scripts and the list of hashes of the largest package take a few MiB. */
const largestControlBytes = 32 * 1024 * 1024;
const tooLarge = (): Error => new Error(`its control archive takes more than ${largestControlBytes / 1024 / 1024} MiB`);

/**
 * Reads who a DEB is: an `ar` archive whose member `control.tar.*` holds a file `control`. Undefined when it is none. Throws when that member
 * is too large, packed or unpacked.
 */
export async function debHeader(file: FileHandle): Promise<PackageHeader | undefined> {
  if ((await readAt(file, 0, MAGIC.length))?.toString() !== MAGIC) return undefined;
  for (let at = MAGIC.length; ;) {
    const member = (await readAt(file, at, MEMBER_BYTES))?.toString('latin1');
    if (member?.endsWith('`\n') !== true) return undefined;
    const [name, size] = [member.slice(0, 16).replace(/\/?\s*$/, ''), Number(member.slice(48, 58))];
    // A negative size would lead back to a member read before.
    if (!Number.isInteger(size) || size < 0) return undefined;
    if (name.startsWith('control.tar')) {
      if (size > largestControlBytes) throw tooLarge();
      const bytes = await readAt(file, at + MEMBER_BYTES, size);
      const tar = bytes === undefined ? undefined : await unpacked(name, bytes);
      return tar === undefined ? undefined : headerOf(controlIn(tar));
    }
    at += MEMBER_BYTES + size + (size % 2);
  }
}

async function unpacked(name: string, bytes: Buffer): Promise<Buffer | undefined> {
  if (name === 'control.tar') return bytes;
  if (name.endsWith('.gz')) return unpackedGzip(bytes);
  if (name.endsWith('.zst')) return unpackedZstd(bytes);
  return name.endsWith('.xz') ? unpackedXz(bytes) : undefined;
}

const unpackedGzip = (bytes: Buffer): Promise<Buffer> =>
  promisify(gunzip)(bytes, { maxOutputLength: largestControlBytes }).catch((error: unknown) => {
    throw (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE' ? tooLarge() : error;
  });

/** Piece by piece, so that a small file cannot fill the memory. */
async function unpackedZstd(bytes: Buffer): Promise<Buffer> {
  const { Decompress } = await import('fzstd');
  const out: Uint8Array[] = [];
  let length = 0;
  const stream = new Decompress((chunk) => {
    length += chunk.length;
    if (length <= largestControlBytes) out.push(Uint8Array.from(chunk));
  });
  for (let at = 0; at < bytes.length && length <= largestControlBytes; at += ZSTD_PIECE_BYTES)
    stream.push(bytes.subarray(at, at + ZSTD_PIECE_BYTES), at + ZSTD_PIECE_BYTES >= bytes.length);
  if (length > largestControlBytes) throw tooLarge();
  return Buffer.concat(out);
}

interface Xz {
  readonly XzReadableStream: typeof XzReadableStream;
}

async function unpackedXz(bytes: Buffer): Promise<Buffer> {
  // A CommonJS package: its names stand on its default where the loader does not find them.
  const loaded = (await import('xz-decompress')) as Xz & { readonly default?: Xz };
  const Decompressed = (loaded.default ?? loaded).XzReadableStream;
  const out: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of new Decompressed(
    new Blob([Uint8Array.from(bytes)]).stream(),
  ) as AsyncIterable<Uint8Array>) {
    length += chunk.length;
    // Thrown, not returned: leaving the loop cancels the stream, and its own error would be reported instead.
    if (length > largestControlBytes) throw tooLarge();
    // Its chunks are views of a memory that it uses again.
    out.push(Uint8Array.from(chunk));
  }
  return Buffer.concat(out);
}

function controlIn(tar: Buffer): string | undefined {
  for (let at = 0; at + BLOCK <= tar.length && tar[at] !== 0;) {
    const name = tar.toString('latin1', at, at + 100).replace(/\0.*$/s, '');
    const size = Number.parseInt(tar.toString('latin1', at + 124, at + 136), 8);
    if (!(size >= 0)) return undefined;
    if (name === './control' || name === 'control') return tar.toString('utf8', at + BLOCK, at + BLOCK + size);
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
  }
  return undefined;
}

function headerOf(control: string | undefined): PackageHeader | undefined {
  const field = (name: string): string | undefined =>
    new RegExp(`^${name}:[ \\t]*(\\S+)[ \\t]*$`, 'mi').exec(control ?? '')?.[1];
  const [name, version, architecture] = [field('Package'), field('Version'), field('Architecture')];
  return name === undefined || version === undefined || architecture === undefined
    ? undefined
    : { name, version, architecture };
}
