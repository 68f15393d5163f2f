import type { Readable } from 'node:stream';
import { quoteOne } from '../../lib/quote.js';
import { markerFile, type HostLease } from '../../terms/machine.js';
import type { ProbeOutput } from '../../facts/kind.js';
import type { SendLimits } from './limits.js';

/** A piece of `sh` whose output is wanted apart from its neighbours'. It may `exit`, print any bytes, or not even parse. */
export interface Fragment {
  readonly sh: string;
  /** Standard error into standard output; otherwise it is thrown away. */
  readonly withErrors?: boolean;
  /** Gets the channel's own standard input. Only for a channel that no shell reads commands from. */
  readonly withInput?: boolean;
  /** The most bytes that it may print; absent: what one question may be answered with. */
  readonly most?: number;
  /** It begins only where the file has this line, and leaves the marker there. Whoever runs it must be able to read the file. */
  readonly lease?: HostLease | undefined;
}

/** The exit status of a fragment that did not begin, since the lease is another one. */
export const leaseExit = 95;

const leaseText = ({ file, text, marker }: HostLease): string =>
  `IFS= read -r l <${quoteOne(file)} && [ "$l" = ${quoteOne(text)} ] || exit ${leaseExit}; ${
    marker === undefined ? '' : markText(markerFile(file), marker)
  }`;

/**
 * Over the marker before it, in one write: all have one length, so a cut leaves one or the other, and it takes no process. Where it cannot be
 * written the action is done all the same: a marker that is behind does no harm.
 */
const markText = (file: string, marker: string): string =>
  `{ printf '%s\\n' ${quoteOne(marker)} 1<>${quoteOne(file)}; } 2>/dev/null; `;

/** A mark that no output can contain by chance: `word` is random, and the fragments do not know it. */
export interface FrameMark {
  readonly word: string;
  readonly number: number;
}

/**
 * Shell source that runs the fragments in order and prints a mark with the exit status after each. Output before the first mark belongs
 * to no fragment: a daemon that an earlier fragment left behind may still be writing.
 */
export function frameText(mark: FrameMark, fragments: readonly Fragment[]): string {
  const lines = fragments.map((f, i) => {
    const input = f.withInput === true ? '' : ' </dev/null';
    // `eval` inside the subshell, so that a fragment which does not parse ends itself alone.
    const first = f.lease === undefined ? '' : leaseText(f.lease);
    return `( ${first}eval ${quoteOne(f.sh)} )${input} ${f.withErrors === true ? '2>&1' : '2>/dev/null'}
printf '\\n%s %s\\n' ${mark.word}.${mark.number}.${i + 1} "$?"
`;
  });
  return `printf '\\n%s\\n' ${mark.word}.${mark.number}.0\n${lines.join('')}`;
}

/** Reads what `frameText` makes a shell print: fewer outputs when the stream ended before, or one was longer than it may be. */
export async function readFrames(
  from: MarkedReader,
  mark: FrameMark,
  fragments: readonly Fragment[],
  limits: SendLimits,
): Promise<readonly ProbeOutput[]> {
  const outputs: ProbeOutput[] = [];
  if ((await from.until(`\n${mark.word}.${mark.number}.0\n`)) === undefined) return outputs;
  for (const [i, { most }] of fragments.entries()) {
    from.most = most ?? limits.answer;
    const body = await from.until(`\n${mark.word}.${mark.number}.${i + 1} `);
    const exit = await from.until('\n');
    if (body === undefined || exit === undefined) return outputs;
    outputs.push({ exit: Number(exit.toString('latin1')), stdout: body.toString('latin1') });
  }
  from.most = limits.unasked;
  return outputs;
}

/**
 * A byte stream read up to marks. One reader at a time; each byte is looked at once, however it comes in pieces. A stream that sends more than
 * `most` before a mark, or while it is not read, is ended: what has come is held in memory.
 */
export class MarkedReader {
  #chunks: Buffer[] = [];
  #unread = 0;
  #isRead = false;
  #isEnded = false;
  #wake: (() => void) | undefined;
  #flood: (() => void) | undefined;
  /** Settles when too much came. */
  readonly flooded: Promise<void>;
  isFlooded = false;

  constructor(
    private readonly stream: Readable,
    public most: number,
  ) {
    this.flooded = new Promise((resolve) => (this.#flood = resolve));
    stream.on('data', (chunk: Buffer) => {
      if (this.isFlooded) return;
      this.#chunks.push(chunk);
      this.#unread += chunk.length;
      if (!this.#isRead && this.#unread > this.most) this.#overflow();
      this.#wake?.();
    });
    const end = (): void => {
      this.#isEnded = true;
      this.#wake?.();
    };
    stream.on('end', end).on('close', end).on('error', end);
  }

  #overflow(): undefined {
    this.isFlooded = true;
    this.#chunks = [];
    // Whatever sends it cannot write any more.
    this.stream.destroy();
    this.#flood?.();
    return undefined;
  }

  /** The bytes before the next such mark, which is taken away; undefined when the stream ends without it, or sends too much before it. */
  async until(mark: string): Promise<Buffer | undefined> {
    this.#isRead = true;
    try {
      return await this.#until(Buffer.from(mark, 'latin1'));
    } finally {
      this.#isRead = false;
    }
  }

  async #until(wanted: Buffer): Promise<Buffer | undefined> {
    const seen: Buffer[] = [];
    let seenBytes = 0;
    let edge: Buffer = Buffer.alloc(0);
    for (;;) {
      const chunk = this.#chunks.shift();
      if (chunk === undefined) {
        if (this.#isEnded || this.isFlooded) {
          // What came without its mark is kept: it may say why the stream ended.
          this.#chunks = seen;
          return undefined;
        }
        await new Promise<void>((resolve) => (this.#wake = resolve));
        continue;
      }
      this.#unread -= chunk.length;
      seen.push(chunk);
      // A mark may lie across pieces: the last bytes of the one before are looked at again.
      const view = edge.length === 0 ? chunk : Buffer.concat([edge, chunk]);
      const at = view.indexOf(wanted);
      if (at >= 0) {
        const end = seenBytes - edge.length + at;
        if (end > this.most) {
          this.#overflow();
          return;
        }
        const all = seen.length === 1 ? chunk : Buffer.concat(seen);
        const rest = all.subarray(end + wanted.length);
        if (rest.length > 0) this.#chunks.unshift(rest);
        this.#unread += rest.length;
        return all.subarray(0, end);
      }
      seenBytes += chunk.length;
      if (seenBytes > this.most + wanted.length) {
        this.#overflow();
        return;
      }
      edge = view.subarray(Math.max(0, view.length - wanted.length + 1));
    }
  }

  /** What has come and was not read, for telling why a stream ended. */
  rest(): string {
    return Buffer.concat(this.#chunks).toString('latin1');
  }
}
