import type { ConsumerMessages, JsMsg } from '@nats-io/jetstream';
import { DeliverPolicy } from '@nats-io/jetstream';
import { StoreUnavailable, type Appended, type StoredRun } from '../run-store.js';
import { lastIn, linesIn, messageOf } from './line-messages.js';
import type { Link, Sequence } from './link.js';

/** More than the headers of a message. */
const HEADER_BYTES = 512;
/**
 * How long a reader waits for a message before it asks whether there is one, and begins again where it was: a follower, and who knows that there
 * is one (a server was seen to hold back the first one of a new consumer). Milliseconds.
 */
const FOLLOW_MS = 5_000;
const READ_MS = 1_000;

/** The last line of a run; number 0: there is none. */
interface Top {
  readonly number: number;
  readonly seq: Sequence;
}

/** The lines of the runs of one store, or of what else has lines, for one writer. */
export interface Lines {
  list(): Promise<readonly StoredRun[]>;
  read(run: string, after: number): Promise<readonly Buffer[]>;
  follow(run: string, after: number, signal: AbortSignal): AsyncIterable<Buffer>;
  append(run: string, last: number, lines: readonly Buffer[]): Promise<Appended>;
}

/** What has lines: the subject of one, and its name in messages. */
interface Kind {
  readonly subjectOf: (run: string) => string;
  readonly nameOf: (run: string) => string;
}

/**
 * A message has lines one after another, and in headers the number of the last one and their writer. The stream takes it only if the message
 * before it is the subject's last one: this keeps a line from being there twice, with no need for message ids, which a stream forgets after
 * a time. Which lines are a writer's own is read from what is there.
 */
export function linesOf(link: Link, stream: string, { subjectOf, nameOf }: Kind, writer: string): Lines {
  /** The last lines that this writer appended: without them each append would have to ask. */
  const own = new Map<string, Top>();

  const topOf = async (what: string, run: string): Promise<Top> => {
    const message = await link.last(what, stream, subjectOf(run));
    if (message === undefined) return { number: 0, seq: 0 };
    const number = lastIn(message.header);
    if (number === undefined) throw damaged(link, nameOf(run), FOREIGN);
    return { number, seq: message.seq };
  };

  async function* linesFrom(run: string, after: number, until: number | undefined, signal?: AbortSignal) {
    const what = `read ${nameOf(run)}`;
    const appended = own.get(run);
    let start = appended !== undefined && appended.number <= after ? appended.seq + 1 : 1;
    for (let at = after; until === undefined || at < until;) {
      const { messages, end } = await link.persist(what, () => consume(link, stream, subjectOf(run), start));
      try {
        for await (const message of untilIdle(messages, until === undefined ? FOLLOW_MS : READ_MS, signal)) {
          const lines = linesIn(message.headers, message.data);
          if (lines === undefined) throw damaged(link, nameOf(run), FOREIGN);
          for (const line of lines) {
            // A consumer that was made anew begins at its start again; a line that is missing was never there.
            if (line.number <= at) continue;
            if (line.number !== at + 1)
              throw damaged(link, nameOf(run), `line ${at + 1} is followed by line ${line.number}`);
            at = line.number;
            yield line;
            if (at === until) return;
          }
          start = message.seq + 1;
        }
      } finally {
        end();
      }
      if (signal?.aborted === true) return;
      // Nothing came: is there nothing, or does nothing answer?
      await topOf(what, run);
    }
  }

  /** How many of the lines are there already, by this writer. */
  const taken = async (run: string, last: number, lines: readonly Buffer[], top: number): Promise<number> => {
    let count = 0;
    for await (const line of linesFrom(run, last, Math.min(top, last + lines.length))) {
      if (line.writer !== writer || lines[count]?.equals(line.bytes) !== true) break;
      count += 1;
    }
    return count;
  };

  const mustFit = (what: string, body: Buffer, number: number, max: number): void => {
    if (body.length <= max) return;
    const answer = `line ${number} has ${body.length} bytes; the servers take ${max} (max_payload)`;
    throw new StoreUnavailable('too-large', link.named(what), answer, 0);
  };

  async function append(run: string, last: number, lines: readonly Buffer[], done: { count: number }) {
    const what = `append to ${nameOf(run)}`;
    const known = own.get(run);
    let top = lines.length > 0 && known?.number === last ? known : await topOf(what, run);
    for (;;) {
      if (top.number !== last + done.count) {
        done.count = top.number > last ? await taken(run, last, lines, top.number) : 0;
        if (top.number !== last + done.count) return { is: 'fenced', last: top.number, taken: done.count } as const;
      }
      const left = lines.slice(done.count);
      if (left.length === 0) return { is: 'appended', last: top.number } as const;
      const most = link.maxBytes() - HEADER_BYTES;
      const message = messageOf(left, top.number, writer, most);
      mustFit(what, message.body, message.last, most);
      const published = await link.publish(what, { ...message, stream, subject: subjectOf(run), after: top.seq });
      if (published.is === 'stored') {
        done.count += message.last - top.number;
        top = { number: message.last, seq: published.seq };
        own.set(run, top);
      } else top = await topOf(what, run);
    }
  }

  return {
    list: async () => {
      const subjects = await subjectsOf(link, 'list runs', stream, subjectOf('*'));
      const prefix = subjectOf('');
      return Promise.all(
        [...subjects.keys()].map(async (subject) => {
          const last = await link.last('list runs', stream, subject);
          // One that is damaged is listed, and refused when it is read.
          return { run: subject.slice(prefix.length), lines: (last && lastIn(last.header)) ?? 1 };
        }),
      );
    },
    async read(run, after) {
      const { number } = await topOf(`read ${nameOf(run)}`, run);
      const lines: Buffer[] = [];
      for await (const { bytes } of linesFrom(run, after, number)) lines.push(bytes);
      return lines;
    },
    async *follow(run, after, signal) {
      for await (const { bytes } of linesFrom(run, after, undefined, signal)) yield bytes;
    },
    async append(run, last, lines) {
      const done = { count: 0 };
      try {
        return await append(run, last, lines, done);
      } catch (error) {
        if (!(error instanceof StoreUnavailable)) throw error;
        throw new StoreUnavailable(error.code, error.tried, error.answer, error.afterMs, done.count);
      }
    },
  };
}

/** Subjects that match, with the number of their messages. */
export const subjectsOf = (
  { manager, persist }: Link,
  what: string,
  stream: string,
  filter: string,
): Promise<ReadonlyMap<string, number>> =>
  persist(what, async () => {
    const { state } = await manager.streams.info(stream, { subjects_filter: filter });
    return new Map(Object.entries(state.subjects ?? {}).sort(([a], [b]) => (a < b ? -1 : 1)));
  });

interface Consuming {
  readonly messages: ConsumerMessages;
  readonly end: () => void;
}

async function consume({ js }: Link, stream: string, subject: string, seq: Sequence): Promise<Consuming> {
  const consumer = await js.consumers.get(stream, {
    filter_subjects: subject,
    deliver_policy: DeliverPolicy.StartSequence,
    opt_start_seq: seq,
  });
  const messages = await consumer.consume();
  const end = (): void => {
    // `close` would wait for an iterator that no longer runs.
    messages.stop();
    // The server removes it after some minutes anyway.
    consumer.delete().catch(() => undefined);
  };
  return { messages, end };
}

/** The messages that come, until none came for a time or the signal. */
async function* untilIdle(
  messages: ConsumerMessages,
  idleMs: number,
  signal: AbortSignal | undefined,
): AsyncGenerator<JsMsg> {
  const iterator = messages[Symbol.asyncIterator]();
  const ended = { done: true, value: undefined } as const;
  for (;;) {
    let timer: NodeJS.Timeout | undefined;
    let stop = (): void => undefined;
    const idle = new Promise<typeof ended>((resolve) => {
      stop = () => resolve(ended);
      timer = setTimeout(stop, idleMs);
      signal?.addEventListener('abort', stop);
      if (signal?.aborted === true) stop();
    });
    const next = await Promise.race([iterator.next(), idle]);
    clearTimeout(timer);
    signal?.removeEventListener('abort', stop);
    if (next.done === true) return;
    yield next.value;
  }
}

/** Another program wrote it. */
const FOREIGN = 'a message in it is not such a line';

const damaged = (link: Link, name: string, answer: string): StoreUnavailable =>
  new StoreUnavailable('damaged', link.named(`read ${name}`), answer, 0);
