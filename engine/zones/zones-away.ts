import { failed, type Failed } from '../machines/machine.js';
import type { StoreUnavailable } from '../store/run-store.js';
import { refKey } from '../terms/fact.js';
import type { OpenedZones } from './open-zones.js';

/** The zones of an inventory while the servers of the store cannot be used, for a command that looks at what else there is. */
export function zonesAway(why: StoreUnavailable): OpenedZones {
  const reason = `a worker of its zone reaches it, over the servers of the store: ${why.answer}`;
  const away = failed('unreachable', reason, 'repair the store first');
  const answered = (): Promise<Failed> => Promise.resolve(away);
  return {
    away: why,
    executorOf: () => ({
      ask: (needs) => Promise.resolve(new Map(needs.map((need) => [refKey(need), away]))),
      perform: () => Promise.resolve({ is: 'refused', by: 'machine', found: reason }),
      job: () => Promise.resolve({ is: 'unreachable', reason }),
      forgetJob: () => Promise.resolve(),
      swap: answered,
      exchange: () => Promise.resolve({ is: 'unreachable', reason }),
      close: () => Promise.resolve(),
    }),
    workersOf: () => Promise.resolve([]),
    stopWaiting: () => undefined,
    close: () => Promise.resolve(),
  };
}
