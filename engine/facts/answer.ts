import { isUtf8 } from 'node:buffer';
import type { Answer } from '../terms/fact.js';
import type { Json } from '../terms/json.js';

/** An answer that holds a value. A parser names its fact's type as V, so that a mistake there does not compile. */
// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- that it is named by the caller is its use
export const answer = <V>(value: V): Answer => ({ is: 'value', value: value as Json });

export const unreadable = (reason: string, hint?: string): Answer => ({
  is: 'failed',
  why: 'unreadable',
  reason,
  ...(hint === undefined ? {} : { hint }),
});

export const denied = (reason: string): Answer => ({
  is: 'failed',
  why: 'denied',
  reason,
  hint: 'may the user that reads here (ssh.become_user) see it?',
});

/** Whether a coreutils message (LC_ALL=C) says that nothing is there, as against: it cannot be seen. */
export const saysAbsent = (message: string): boolean => /No such file or directory|Not a directory/.test(message);

/** The failure that a coreutils message tells of. */
export function failure(message: string): Answer {
  const text = message.trim();
  return /Permission denied|Operation not permitted/.test(text)
    ? denied(text)
    : unreadable(text === '' ? 'the probe said nothing' : text);
}

/** Bytes (as latin1 text) as the text that they most likely are: UTF-8 when they are valid, else each byte a character. */
export function decode(latin1: string): { readonly text: string; readonly encoding: 'utf8' | 'latin1' } {
  const bytes = Buffer.from(latin1, 'latin1');
  return isUtf8(bytes) ? { text: bytes.toString('utf8'), encoding: 'utf8' } : { text: latin1, encoding: 'latin1' };
}
