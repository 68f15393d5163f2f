import { inflateRawSync } from 'node:zlib';

/** A part of a file, by its offset; shorter where the file ends. */
export type ReadPart = (offset: number, length: number) => Buffer;

const END = 0x06054b50;
const ENTRY = 0x02014b50;
/** The record at the end of a zip, with the longest comment that may follow it. */
const END_BYTES = 22;
const MOST_COMMENT = 0xffff;
/** Far above the directory of any archive that belongs here, and above any text that is asked for. */
const MOST_DIRECTORY = 64 * 1024 ** 2;
const MOST_TEXT = 1024 ** 2;

/**
 * The texts of those members of a zip that have one of these names in any directory, by their whole paths. Undefined: it is no zip. Of a
 * large archive only the directory at its end and these members are read.
 */
export function zipTexts(
  read: ReadPart,
  sizeBytes: number,
  names: readonly string[],
): Readonly<Record<string, string>> | undefined {
  try {
    const directory = directoryOf(read, sizeBytes);
    if (directory === undefined) return undefined;
    const found = entriesOf(directory).filter(({ path }) => names.includes(path.slice(path.lastIndexOf('/') + 1)));
    return Object.fromEntries(found.map((entry) => [entry.path, textOf(read, entry)]));
  } catch {
    return undefined;
  }
}

function directoryOf(read: ReadPart, sizeBytes: number): Buffer | undefined {
  const from = Math.max(0, sizeBytes - END_BYTES - MOST_COMMENT);
  const tail = read(from, sizeBytes - from);
  for (let at = tail.length - END_BYTES; at >= 0; at--) {
    if (tail.readUInt32LE(at) !== END) continue;
    const [length, offset] = [tail.readUInt32LE(at + 12), tail.readUInt32LE(at + 16)];
    return length > MOST_DIRECTORY ? undefined : read(offset, length);
  }
  return undefined;
}

interface Entry {
  readonly path: string;
  readonly method: number;
  readonly packed: number;
  readonly offset: number;
}

function entriesOf(directory: Buffer): readonly Entry[] {
  const entries: Entry[] = [];
  for (let at = 0; at < directory.length;) {
    if (directory.readUInt32LE(at) !== ENTRY) throw new Error('no directory of a zip');
    const [name, extra, comment] = [28, 30, 32].map((field) => directory.readUInt16LE(at + field)) as [
      number,
      number,
      number,
    ];
    entries.push({
      path: directory.toString('utf8', at + 46, at + 46 + name),
      method: directory.readUInt16LE(at + 10),
      packed: directory.readUInt32LE(at + 20),
      offset: directory.readUInt32LE(at + 42),
    });
    at += 46 + name + extra + comment;
  }
  return entries;
}

/** The header in front of a member may have other extra fields than the directory. */
function textOf(read: ReadPart, { method, packed, offset }: Entry): string {
  const header = read(offset, 30);
  const from = offset + 30 + header.readUInt16LE(26) + header.readUInt16LE(28);
  const bytes = read(from, Math.min(packed, MOST_TEXT));
  return (method === 0 ? bytes : inflateRawSync(bytes, { maxOutputLength: MOST_TEXT })).toString('utf8');
}
