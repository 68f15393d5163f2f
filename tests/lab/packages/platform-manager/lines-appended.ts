import { closeSync, existsSync, openSync, readSync, statSync } from 'node:fs';

const pollMs = 500;

/** Calls `take` for each whole line appended to `path` from now on; the file may come later, or start anew. */
export function linesAppended(path: string, take: (line: string) => void): void {
  let offset = sizeOf(path);
  let rest = Buffer.alloc(0);
  setInterval(() => {
    const size = sizeOf(path);
    if (size < offset) [offset, rest] = [0, Buffer.alloc(0)];
    if (size === offset) return;
    rest = Buffer.concat([rest, read(path, offset, size - offset)]);
    offset = size;
    const end = rest.lastIndexOf(0x0a);
    const lines = rest
      .subarray(0, end + 1)
      .toString('utf8')
      .split('\n');
    rest = rest.subarray(end + 1);
    for (const line of lines) if (line !== '') take(line);
  }, pollMs);
}

function sizeOf(path: string): number {
  return existsSync(path) ? statSync(path).size : 0;
}

function read(path: string, offset: number, length: number): Buffer<ArrayBuffer> {
  const buffer = Buffer.alloc(length);
  const file = openSync(path, 'r');
  const count = readSync(file, buffer, 0, length, offset);
  closeSync(file);
  return buffer.subarray(0, count);
}
