import type { Pick } from './random.js';

/** A file as it should be, and what may get into its place. */
export interface Source {
  readonly now: Buffer;
  /** The same file of another run. */
  readonly other: Buffer;
  /** The same file as it was earlier; absent where it is written only once. */
  readonly older?: Buffer;
}

/** What a file holds afterwards; `undefined`: it is gone; 'none': there is no such damage of this file. */
export type Damage = (source: Source, pick: Pick) => Buffer | undefined | 'none';

const NEWLINE = 0x0a;
const place = ({ now }: Source, pick: Pick): number => pick(Math.max(1, now.length));
const linesOf = (bytes: Buffer): string[] => bytes.toString('latin1').split(/(?<=\n)/);
const joined = (lines: readonly string[]): Buffer => Buffer.from(lines.join(''), 'latin1');

export const DAMAGES: Readonly<Record<string, Damage>> = {
  'cut tail': (source, pick) => source.now.subarray(0, place(source, pick)),
  'cut tail at a line': ({ now }, pick) => {
    const lines = linesOf(now);
    return lines.length < 2 ? 'none' : joined(lines.slice(0, pick(lines.length)));
  },
  'zeroed range': (source, pick) => {
    const bytes = Buffer.from(source.now);
    const from = place(source, pick);
    return bytes.fill(0, from, Math.min(bytes.length, from + 1 + pick(512)));
  },
  'zeroed tail': (source, pick) => Buffer.from(source.now).fill(0, place(source, pick)),
  'flipped bit': (source, pick) => {
    const bytes = Buffer.from(source.now);
    const at = place(source, pick);
    bytes.writeUInt8(bytes.readUInt8(at) ^ (1 << pick(8)), at);
    return bytes;
  },
  'changed digit': ({ now }, pick) => {
    const bytes = Buffer.from(now);
    const digits = [...bytes.keys()].filter((at) => /\d/.test(String.fromCharCode(bytes.readUInt8(at))));
    const at = digits[pick(digits.length)];
    if (at === undefined) return 'none';
    bytes.writeUInt8(0x30 + ((bytes.readUInt8(at) - 0x30 + 1 + pick(9)) % 10), at);
    return bytes;
  },
  'swapped lines': ({ now }, pick) => {
    const lines = linesOf(now);
    if (lines.length < 2) return 'none';
    const at = pick(lines.length - 1);
    return joined(lines.toSpliced(at, 2, lines[at + 1] ?? '', lines[at] ?? ''));
  },
  'missing line': ({ now }, pick) => {
    const lines = linesOf(now);
    return lines.length < 2 ? 'none' : joined(lines.toSpliced(pick(lines.length), 1));
  },
  'line of another run': ({ now, other }, pick) => {
    const [lines, others] = [linesOf(now), linesOf(other)];
    if (lines.length < 2) return 'none';
    const at = pick(lines.length);
    return joined(lines.toSpliced(at, 1, others[Math.min(at, others.length - 1)] ?? ''));
  },
  'file of another run': ({ other }) => other,
  'part of another run': ({ now, other }, pick) => {
    const at = pick(Math.min(now.length, other.length));
    return Buffer.concat([now.subarray(0, at), other.subarray(at)]);
  },
  'appended bytes': ({ now }, pick) =>
    Buffer.concat([now, Buffer.from(Array.from({ length: 1 + pick(40) }, () => pick(256))), Buffer.of(NEWLINE)]),
  emptied: () => Buffer.alloc(0),
  deleted: () => undefined,
  'older copy': ({ older }) => older ?? 'none',
};
