import type { Readable } from 'node:stream';
import type { Action } from '../terms/action.js';
import type { HostLease } from '../terms/machine.js';
import type { HostQuestion, SentRequest, Swap } from './simulation.js';

/** A line of JSON from a controller to a model in a process of its own; `n` comes back with the answer. */
export type ModelAsk = { readonly n: number } & (
  | { readonly ask: 'facts'; readonly questions: readonly HostQuestion[] }
  | {
      readonly ask: 'perform';
      readonly host: string;
      readonly action: Action;
      readonly id: string;
      readonly lease?: HostLease | undefined;
    }
  | { readonly ask: 'job'; readonly host: string; readonly id: string }
  | { readonly ask: 'swap'; readonly swap: Swap }
  | { readonly ask: 'send'; readonly request: SentRequest }
  | { readonly ask: 'fetch'; readonly url: string }
  | { readonly ask: 'until'; readonly atMs: number }
  | { readonly ask: 'state' }
);

/** The answer to `n`; `nowMs` is virtual time when it was given. */
export interface ModelSaid {
  readonly n: number;
  readonly nowMs: number;
  readonly value: unknown;
}

/** Calls `take` for each whole line that a stream of text brings. */
export function eachLine(stream: Readable, take: (line: string) => void): void {
  let rest = '';
  stream.setEncoding('utf8');
  stream.on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    lines.forEach(take);
  });
}
