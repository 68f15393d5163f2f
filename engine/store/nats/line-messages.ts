import type { MsgHdrs } from '@nats-io/transport-node';

/** The number of the message's last line. */
const NUMBER = 'Runbook-Line';
const WRITER = 'Runbook-Writer';
/** A message has as many lines as fit into this, and one in any case: who asks for the number of a run's last line gets the message whole. */
const MESSAGE_BYTES = 64 * 1024;
const NEWLINE = 0x0a;

/** A line of a run. */
export interface Line {
  readonly number: number;
  readonly writer: string;
  readonly bytes: Buffer;
}

interface LineMessage {
  readonly body: Buffer;
  readonly headers: Readonly<Record<string, string>>;
  /** The number of its last line. */
  readonly last: number;
}

/** The first of these lines (there must be one), as many as a message of `most` bytes takes. They come after the line `after`. */
export function messageOf(lines: readonly Buffer[], after: number, writer: string, most: number): LineMessage {
  let bytes = 0;
  const end = lines.findIndex((line) => (bytes += line.length + 1) > Math.min(MESSAGE_BYTES, most));
  const some = end < 0 ? lines : lines.slice(0, Math.max(1, end));
  const body = Buffer.concat(some.flatMap((line, n) => (n === 0 ? [line] : [Buffer.of(NEWLINE), line])));
  const last = after + some.length;
  return { body, last, headers: { [NUMBER]: String(last), [WRITER]: writer } };
}

/** The lines of a message; undefined: another program wrote it. */
export function linesIn(headers: MsgHdrs | undefined, data: Uint8Array): readonly Line[] | undefined {
  const last = headers && lastIn(headers);
  if (last === undefined) return undefined;
  const writer = headers?.get(WRITER) ?? '';
  const lines = splitLines(Buffer.from(data));
  const first = last - lines.length + 1;
  return first < 1 ? undefined : lines.map((bytes, n) => ({ number: first + n, writer, bytes }));
}

/** The number of the last line of a message; undefined: another program wrote it. */
export function lastIn(headers: MsgHdrs): number | undefined {
  const number = Number(headers.get(NUMBER));
  return Number.isSafeInteger(number) && number > 0 ? number : undefined;
}

function splitLines(bytes: Buffer): readonly Buffer[] {
  const lines: Buffer[] = [];
  for (let from = 0; ;) {
    const end = bytes.indexOf(NEWLINE, from);
    lines.push(bytes.subarray(from, end < 0 ? undefined : end));
    if (end < 0) return lines;
    from = end + 1;
  }
}
