import type { OnSilence, Silence } from '../machines/host-pool.js';

export interface SilentHosts {
  /** A worker says that a host has not answered for some time. */
  hear(host: string, silence: Silence): void;
  /** Ends what waits for hosts that are silent, and for those that are heard of later. */
  stopWaiting(): void;
  /** Work for a host; the signal comes where the host is not waited for any more. */
  waitFor<T>(host: string, work: (givenUp: AbortSignal) => Promise<T>): Promise<T>;
}

/** Hosts that their worker waits for, and what waits for the worker. */
export function silentHosts(onSilence: OnSilence | undefined): SilentHosts {
  const waiting = new Map<string, Set<AbortController>>();
  const silent = new Set<string>();
  const givenUp = new Set<string>();
  let isStopped = false;
  const giveUp = (host: string): void => {
    givenUp.add(host);
    for (const work of waiting.get(host) ?? []) work.abort();
  };
  return {
    hear(host, silence) {
      if (!silent.has(host)) onSilence?.(host, silence);
      silent.add(host);
      if (isStopped) giveUp(host);
    },
    stopWaiting() {
      isStopped = true;
      for (const host of silent) giveUp(host);
    },
    async waitFor(host, work) {
      const mine = new AbortController();
      const all = waiting.get(host) ?? new Set();
      waiting.set(host, all.add(mine));
      if (givenUp.has(host)) mine.abort();
      try {
        return await work(mine.signal);
      } finally {
        all.delete(mine);
        // It has answered, or was given up.
        if (all.size === 0) silent.delete(host);
      }
    },
  };
}
