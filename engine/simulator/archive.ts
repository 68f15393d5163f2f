import { gunzipSync, gzipSync } from 'node:zlib';

export interface Member {
  readonly path: string;
  readonly type: 'file' | 'directory' | 'link' | 'other';
  readonly target?: string;
  readonly bytes: Buffer;
  readonly mode: string;
}

const BLOCK = 512;
const TYPES: Readonly<Record<string, Member['type']>> = {
  '0': 'file',
  '\0': 'file',
  '5': 'directory',
  '2': 'link',
  '1': 'link',
};

/** A real `.tar.gz` (ustar), the same bytes for the same members. */
export function packArchive(
  members: readonly {
    readonly path: string;
    readonly text?: string;
    readonly type?: Member['type'];
    readonly target?: string;
  }[],
): Buffer {
  const blocks = members.flatMap((m) => {
    const bytes = Buffer.from(m.text ?? '');
    return [
      head(m.path, bytes.length, m.type ?? 'file', m.target ?? ''),
      bytes,
      Buffer.alloc((BLOCK - (bytes.length % BLOCK)) % BLOCK),
    ];
  });
  return gzipSync(Buffer.concat([...blocks, Buffer.alloc(2 * BLOCK)]));
}

/** The members of a `.tar.gz`; undefined when the bytes are none. */
export function unpackArchive(bytes: Buffer): Member[] | undefined {
  const tar = gunzipped(bytes);
  if (tar === undefined) return undefined;
  const members: Member[] = [];
  for (let at = 0; at + BLOCK <= tar.length && tar[at] !== 0;) {
    const text = (from: number, length: number): string =>
      tar.toString('utf8', at + from, at + from + length).replace(/\0.*$/s, '');
    const size = Number.parseInt(text(124, 12).trim() || '0', 8);
    const type = TYPES[String.fromCharCode(tar[at + 156] ?? 48)] ?? 'other';
    const target = text(157, 100);
    members.push({
      path: text(0, 100),
      type,
      ...(type === 'link' ? { target } : {}),
      bytes: tar.subarray(at + BLOCK, at + BLOCK + size),
      mode: text(100, 8).slice(-4),
    });
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
  }
  return members;
}

function gunzipped(bytes: Buffer): Buffer | undefined {
  try {
    return gunzipSync(bytes);
  } catch {
    return undefined;
  }
}

function head(path: string, size: number, type: Member['type'], target: string): Buffer {
  const block = Buffer.alloc(BLOCK);
  const octal = (value: number, length: number): string => `${value.toString(8).padStart(length - 1, '0')}\0`;
  block.write(path, 0, 100);
  block.write(octal(type === 'directory' ? 0o755 : 0o644, 8), 100);
  block.write(octal(0, 8), 108);
  block.write(octal(0, 8), 116);
  block.write(octal(size, 12), 124);
  block.write(octal(0, 12), 136);
  block.write(' '.repeat(8), 148);
  block.write(type === 'directory' ? '5' : type === 'link' ? '2' : '0', 156);
  block.write(target, 157, 100);
  block.write('ustar\0' + '00', 257);
  let sum = 0;
  for (const byte of block) sum += byte;
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return block;
}
