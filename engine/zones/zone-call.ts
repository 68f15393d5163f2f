import { createInbox, type Msg, type NatsConnection } from '@nats-io/transport-node';
import { open } from 'node:fs/promises';
import type { Silence } from '../machines/host-pool.js';
import { sha256 } from '../lib/hash.js';
import type { MayAct } from '../machines/executor.js';
import { encode, SILENT_MS, type FromWorker, type Results, type Work, type WorkerRefusal } from './messages.js';

/** What a request to a worker needs beside its message. */
export interface Means {
  readonly mayAct?: MayAct | undefined;
  readonly signal?: AbortSignal | undefined;
  /** The host is not waited for any more. */
  readonly givenUp?: AbortSignal;
  /** The host has not answered for some time. */
  readonly onSilence?: (silence: Silence) => void;
  /** The only file that the worker may read, by its path here. */
  readonly file?: string;
}

/**
 * `gone`: no worker is at that subject any more; nothing was done. `lost`: it went silent, `mayHaveActed` where it had been allowed to act
 * by then. It is allowed nothing afterwards.
 */
export type Called<D extends Work['do']> =
  | { readonly is: 'done'; readonly result: Results[D] }
  | { readonly is: 'refused'; readonly refusal: WorkerRefusal }
  | { readonly is: 'gone' }
  | { readonly is: 'lost'; readonly mayHaveActed: boolean };

/** A server says that nothing subscribes to a subject. */
export const isNoResponder = (message: Msg): boolean => message.data.length === 0 && message.headers?.code === 503;

/** Sends work to one worker and answers its questions until it is done. Throws what `mayAct` throws. */
export async function callWorker<D extends Work['do']>(
  connection: NatsConnection,
  { subject, replies, most }: { readonly subject: string; readonly replies: string; readonly most: number },
  body: Buffer,
  { mayAct, signal, givenUp, file, onSilence }: Means,
): Promise<Called<D>> {
  const inbox = createInbox(replies);
  const messages = connection.subscribe(inbox);
  let mayHaveActed = false;
  let isOver = false;
  let silence: NodeJS.Timeout | undefined;
  const listen = (): void => {
    clearTimeout(silence);
    silence = setTimeout(() => messages.unsubscribe(), SILENT_MS);
  };
  const stop = (): void => messages.unsubscribe();
  for (const end of [signal, givenUp]) end?.addEventListener('abort', stop, { once: true });
  const isEnded = (): boolean => signal?.aborted === true || givenUp?.aborted === true;
  const parts: Buffer[] = [];

  async function permit(message: Msg): Promise<void> {
    // The store may not answer for longer than a silence.
    clearTimeout(silence);
    try {
      await mayAct?.();
    } catch (error) {
      message.respond(encode({ may: false }));
      throw error;
    }
    // Who was given up while the store was asked gets no answer that it could act upon.
    if (isOver || isEnded()) return;
    mayHaveActed = true;
    message.respond(encode({ may: true }));
    listen();
  }

  async function next(message: Msg): Promise<Called<D> | undefined> {
    if (isNoResponder(message)) return { is: 'gone' };
    const said = message.json<FromWorker>();
    listen();
    switch (said.is) {
      case 'working':
        return undefined;
      case 'silent':
        onSilence?.(said.silence);
        return undefined;
      case 'may-act':
        await permit(message);
        return undefined;
      case 'bytes':
        message.respond(
          file === undefined ? Buffer.alloc(0) : await bytesOf(file, said.from, Math.min(said.most, most)),
        );
        return undefined;
      case 'part':
        parts.push(Buffer.from(said.bytes, 'base64'));
        return undefined;
      case 'done': {
        if ('result' in said) return { is: 'done', result: said.result as Results[D] };
        const bytes = Buffer.concat(parts);
        // A part was lost with the connection.
        if (sha256(bytes) !== said.sha256) return { is: 'lost', mayHaveActed };
        return { is: 'done', result: JSON.parse(bytes.toString()) as Results[D] };
      }
      case 'refused':
        return said;
    }
  }

  try {
    if (isEnded()) return { is: 'lost', mayHaveActed };
    connection.publish(subject, body, { reply: inbox });
    listen();
    for await (const message of messages) {
      const called = await next(message);
      if (called !== undefined) return called;
    }
    return { is: 'lost', mayHaveActed };
  } finally {
    isOver = true;
    clearTimeout(silence);
    for (const end of [signal, givenUp]) end?.removeEventListener('abort', stop);
    messages.unsubscribe();
  }
}

/** Empty where it cannot be read: then the worker has not what it was told to have. */
async function bytesOf(path: string, from: number, most: number): Promise<Buffer> {
  const isRange = Number.isSafeInteger(from) && Number.isSafeInteger(most) && from >= 0 && most >= 0;
  const file = isRange ? await open(path).catch(() => undefined) : undefined;
  if (file === undefined) return Buffer.alloc(0);
  try {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(most), 0, most, from);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}
