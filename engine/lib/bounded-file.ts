import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';

const MIB = 1024 * 1024;

/** The most that is read of each kind of file, bytes: more than large sites have, and no more than fits into memory. */
export const MOST_OF = {
  secret: 64 * 1024,
  /** Playbooks, inventories, variables. */
  text: MIB,
  certificates: MIB,
  /** Files that other programs write: known hosts, checksums, Ansible's inventories. */
  foreign: 16 * MIB,
  /** What this program writes: plans, copies. */
  own: 512 * MIB,
  /** The journal of one run. One of 10,000 hosts takes about a third of it. */
  journal: 1024 * MIB,
} as const;

const CHUNK_BYTES = 64 * 1024;
/** How long the first byte of a pipe is waited for, and how long each look at one that has a writer takes. */
const PIPE_FIRST_MS = 2000;
const PIPE_LOOK_MS = 10;

/** A file that is not read: a device, a pipe without a writer, or larger than the most. The message says which, to stand behind the file's name. */
export class NotRead extends Error {
  readonly code = 'ENOTREAD';
}

/** What came through pipes, by their names: each gives it only once, and an inventory is read by several. */
const piped = new Map<string, Buffer>();

/**
 * A file's bytes, at most so many: a pipe (`-i <(…)`) is read to its end or to the limit, a device is refused, for it may have no end.
 * Throws NotRead, and what the system says.
 */
export function readFileWithin(file: string, most: number): Buffer {
  const before = piped.get(file);
  if (before !== undefined) return before;
  // To open a pipe without a writer would wait for ever.
  const fd = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const found = fstatSync(fd);
    if (!found.isFile() && !found.isFIFO()) throw new NotRead(found.isDirectory() ? 'is a directory' : 'is a device');
    const bytes = readAll(found.isFIFO() ? pipeReader(fd) : (part) => readSync(fd, part), most);
    if (found.isFIFO()) piped.set(file, bytes);
    return bytes;
  } finally {
    closeSync(fd);
  }
}

/** The text of a file of the project; undefined where it cannot be read. */
export function textOrUndefined(file: string): string | undefined {
  try {
    return readFileWithin(file, MOST_OF.text).toString('utf8');
  } catch {
    return undefined;
  }
}

/** Reads what is written to a pipe, to its end. */
function pipeReader(fd: number): (part: Buffer) => number {
  const until = performance.now() + PIPE_FIRST_MS;
  let hasBegun = false;
  return (part) => {
    for (;;) {
      const read = readNow(fd, part);
      if (read !== undefined && (read > 0 || hasBegun)) {
        hasBegun = true;
        return read;
      }
      if (read === 0 && performance.now() > until) throw new NotRead('is a pipe that nothing is written to');
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PIPE_LOOK_MS);
    }
  };
}

/** Undefined: there is a writer, and nothing to read yet. */
function readNow(fd: number, part: Buffer): number | undefined {
  try {
    return readSync(fd, part);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return undefined;
    throw error;
  }
}

function readAll(readInto: (part: Buffer) => number, most: number): Buffer {
  const parts: Buffer[] = [];
  for (let bytes = 0; ;) {
    const part = Buffer.allocUnsafe(CHUNK_BYTES);
    const read = readInto(part);
    if (read === 0) return Buffer.concat(parts);
    bytes += read;
    if (bytes > most) throw new NotRead(`is larger than ${sizeOf(most)}, the most that is read`);
    parts.push(part.subarray(0, read));
  }
}

/** Why a file was not read, in words to stand behind its name; `ENOENT` and its like are said by their codes. */
export const whyNotRead = (error: unknown): string =>
  error instanceof NotRead ? error.message : `cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown'})`;

/** The first bytes of a regular file, as text of one byte a character; of anything else nothing, for a pipe is read only once. */
export function headOf(file: string, bytes: number): string {
  let fd: number;
  try {
    fd = openSync(file, 'r');
  } catch {
    return '';
  }
  try {
    if (!fstatSync(fd).isFile()) return '';
    const head = Buffer.alloc(bytes);
    return head.toString('latin1', 0, readSync(fd, head, 0, bytes, 0));
  } finally {
    closeSync(fd);
  }
}

const sizeOf = (bytes: number): string => (bytes < MIB ? `${bytes / 1024} KiB` : `${bytes / MIB} MiB`);
