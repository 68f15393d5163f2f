import type { Readable } from 'node:stream';
import { quoteOne } from '../../lib/quote.js';
import type { HostLease } from '../../terms/machine.js';
import type { ProbeOutput } from '../../facts/kind.js';

/** A piece of `sh` whose output is wanted apart from its neighbours'. It may `exit`, print any bytes, or not even parse. */
export interface Fragment {
  readonly sh: string;
  /** Standard error into standard output; otherwise it is thrown away. */
  readonly withErrors?: boolean;
  /** Gets the channel's own standard input. Only for a channel that no shell reads commands from. */
  readonly withInput?: boolean;
  /** It begins only where the file has this line. Whoever runs it must be able to read the file. */
  readonly lease?: HostLease | undefined;
}

/** The exit status of a fragment that did not begin, since the lease is another one. */
export const leaseExit = 95;

const compareText = ({ file, text }: HostLease): string =>
  `IFS= read -r l <${quoteOne(file)} && [ "$l" = ${quoteOne(text)} ] || exit ${leaseExit}; `;

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
    const first = f.lease === undefined ? '' : compareText(f.lease);
    return `( ${first}eval ${quoteOne(f.sh)} )${input} ${f.withErrors === true ? '2>&1' : '2>/dev/null'}
printf '\\n%s %s\\n' ${mark.word}.${mark.number}.${i + 1} "$?"
`;
  });
  return `printf '\\n%s\\n' ${mark.word}.${mark.number}.0\n${lines.join('')}`;
}

/** Reads what `frameText` makes a shell print; undefined when the stream ended before. */
export async function readFrames(
  from: MarkedReader,
  mark: FrameMark,
  count: number,
): Promise<readonly ProbeOutput[] | undefined> {
  if ((await from.until(`\n${mark.word}.${mark.number}.0\n`)) === undefined) return undefined;
  const outputs: ProbeOutput[] = [];
  for (let i = 1; i <= count; i += 1) {
    const body = await from.until(`\n${mark.word}.${mark.number}.${i} `);
    const exit = await from.until('\n');
    if (body === undefined || exit === undefined) return undefined;
    outputs.push({ exit: Number(exit.toString('latin1')), stdout: body.toString('latin1') });
  }
  return outputs;
}

/** A byte stream read up to marks. One reader at a time; each byte is looked at once, however it comes in pieces. */
export class MarkedReader {
  #chunks: Buffer[] = [];
  #isEnded = false;
  #wake: (() => void) | undefined;

  constructor(stream: Readable) {
    stream.on('data', (chunk: Buffer) => {
      this.#chunks.push(chunk);
      this.#wake?.();
    });
    const end = (): void => {
      this.#isEnded = true;
      this.#wake?.();
    };
    stream.on('end', end).on('close', end).on('error', end);
  }

  /** The bytes before the next such mark, which is taken away; undefined when the stream ends without it. */
  async until(mark: string): Promise<Buffer | undefined> {
    const wanted = Buffer.from(mark, 'latin1');
    const seen: Buffer[] = [];
    let seenBytes = 0;
    let edge: Buffer = Buffer.alloc(0);
    for (;;) {
      const chunk = this.#chunks.shift();
      if (chunk === undefined) {
        if (this.#isEnded) {
          // What came without its mark is kept: it may say why the stream ended.
          this.#chunks = seen;
          return undefined;
        }
        await new Promise<void>((resolve) => (this.#wake = resolve));
        continue;
      }
      seen.push(chunk);
      // A mark may lie across pieces: the last bytes of the one before are looked at again.
      const view = edge.length === 0 ? chunk : Buffer.concat([edge, chunk]);
      const at = view.indexOf(wanted);
      if (at >= 0) {
        const end = seenBytes - edge.length + at;
        const all = seen.length === 1 ? chunk : Buffer.concat(seen);
        const rest = all.subarray(end + wanted.length);
        if (rest.length > 0) this.#chunks.unshift(rest);
        return all.subarray(0, end);
      }
      seenBytes += chunk.length;
      edge = view.subarray(Math.max(0, view.length - wanted.length + 1));
    }
  }

  /** What has come and was not read, for telling why a stream ended. */
  rest(): string {
    return Buffer.concat(this.#chunks).toString('latin1');
  }
}
