import { chmod, rm } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import type { Download, SimulatedState } from './state.js';
import type { Answer } from '../terms/fact.js';
import type { Outcome } from '../terms/action.js';
import type { JobState, Swapped } from '../terms/machine.js';
import type { ModelPlatform, SentAnswer } from './simulation.js';
import { eachLine, type ModelAsk, type ModelSaid } from './wire.js';

/** A model's platform over a socket, with what only a model has: its whole state as one value. */
export interface ConnectedModel<S = SimulatedState> extends ModelPlatform {
  state(): Promise<S>;
}

/**
 * Serves a platform on a unix socket (mode 0600), for controllers that come and go: what one began goes on without it, and time
 * is the platform's. An old socket at that path is replaced. `close` ends it and removes the socket.
 */
export async function serveModel(
  state: SimulatedState,
  socketPath: string,
  platform: ModelPlatform,
): Promise<{ close(): Promise<void> }> {
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    socket.on('close', () => open.delete(socket));
    // A controller that was killed leaves a broken connection; the model goes on.
    socket.on('error', () => socket.destroy());
    eachLine(socket, (line) => {
      const asked = JSON.parse(line) as ModelAsk;
      void answerTo(platform, state, asked).then((value) => {
        const said: ModelSaid = { n: asked.n, nowMs: state.nowMs, value };
        if (socket.writable) socket.write(`${JSON.stringify(said)}\n`);
      });
    });
  });
  await rm(socketPath, { force: true });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(socketPath, resolve);
  });
  await chmod(socketPath, 0o600);
  return {
    close: () =>
      new Promise((resolve) => {
        for (const socket of open) socket.destroy();
        server.close(() => resolve());
      }),
  };
}

function answerTo(platform: ModelPlatform, state: SimulatedState, asked: ModelAsk): Promise<unknown> {
  switch (asked.ask) {
    case 'facts':
      return platform.ask(asked.questions);
    case 'perform':
      return platform.perform(asked.host, asked.action, asked.id, asked.lease);
    case 'job':
      return platform.job(asked.host, asked.id);
    case 'swap':
      return platform.swap(asked.swap);
    case 'send':
      return platform.send(asked.request);
    case 'fetch':
      return platform.fetch(asked.url);
    case 'until':
      return platform.clock.until(asked.atMs).then(() => null);
    case 'state':
      return Promise.resolve(state);
  }
}

type Question = ModelAsk extends infer Q ? (Q extends { readonly n: number } ? Omit<Q, 'n'> : never) : never;

/** Connects to a model in another process. Rejects when no process serves that socket; a later loss is an outcome: unknown, unreachable. */
export async function connectModel<S = SimulatedState>(socketPath: string): Promise<ConnectedModel<S>> {
  const waiting = new Map<number, (value: unknown) => void>();
  let nowMs = 0;
  let count = 0;
  const socket = connect(socketPath);
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve);
    socket.once('error', reject);
  });
  socket.on('error', () => socket.destroy());
  socket.on('close', () => {
    for (const settle of waiting.values()) settle(undefined);
    waiting.clear();
  });
  eachLine(socket, (line) => {
    const said = JSON.parse(line) as ModelSaid;
    nowMs = Math.max(nowMs, said.nowMs);
    waiting.get(said.n)?.(said.value);
    waiting.delete(said.n);
  });
  /** Undefined: the connection is gone. */
  const ask = <T>(question: Question): Promise<T | undefined> =>
    new Promise((resolve) => {
      if (!socket.writable) {
        resolve(undefined);
        return;
      }
      count += 1;
      waiting.set(count, resolve as (value: unknown) => void);
      socket.write(`${JSON.stringify({ n: count, ...question })}\n`);
    });
  const until = async (atMs: number, signal?: AbortSignal): Promise<void> => {
    if (signal?.aborted === true) return;
    let wake = (): void => undefined;
    const aborted = new Promise<void>((resolve) => (wake = resolve));
    signal?.addEventListener('abort', wake);
    await Promise.race([ask({ ask: 'until', atMs }), aborted]);
    // A run sleeps often and its signal lives long: listeners would pile up.
    signal?.removeEventListener('abort', wake);
  };
  await ask({ ask: 'until', atMs: 0 });

  const gone = 'the model ended';
  const unreachable: Extract<Answer, { is: 'failed' }> = { is: 'failed', why: 'unreachable', reason: gone };
  return {
    clock: { nowMs: () => nowMs, until, sleep: (ms, signal) => until(nowMs + ms, signal) },
    ask: async (questions) =>
      (await ask<readonly Answer[]>({ ask: 'facts', questions })) ?? questions.map(() => unreachable),
    perform: async (host, action, id, lease) =>
      (await ask<Outcome>({ ask: 'perform', host, action, id, lease })) ?? {
        is: 'unknown',
        why: 'connection',
        detail: gone,
      },
    job: async (host, id) => (await ask<JobState>({ ask: 'job', host, id })) ?? { is: 'unreachable', reason: gone },
    swap: async (swap) => (await ask<Swapped>({ ask: 'swap', swap })) ?? unreachable,
    send: async (request) =>
      (await ask<SentAnswer>({ ask: 'send', request })) ?? { is: 'lost', why: 'connection', detail: gone },
    fetch: async (url) => (await ask<Download | null>({ ask: 'fetch', url })) ?? null,
    state: async () => {
      const state = await ask<S>({ ask: 'state' });
      if (state === undefined) throw new Error(gone);
      return state;
    },
    close: () =>
      new Promise((resolve) => {
        if (socket.destroyed) {
          resolve();
          return;
        }
        socket.once('close', () => resolve());
        socket.destroy();
      }),
  };
}
