import { basename } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { stateOf, type Holder } from '../../journal/holder.js';
import { holdersOf, keepTeamHolder, lockFolder } from '../../journal/lock.js';
import { otherKind, type Runs } from '../../journal/run-folder.js';
import { sha256 } from '../../lib/hash.js';
import type { StoreHealth } from '../../store/nats/nats-store.js';
import type { NatsSettings } from '../../store/nats/options.js';
import { StoreUnavailable, type RunStore } from '../../store/run-store.js';
import { exchange, type SetAside } from './exchange.js';
import { storeText } from './say-store.js';
import { natsOptions, storeName, type TeamSettings } from './settings.js';

/** The runs of an inventory in the store of a team. */
export interface Team {
  readonly store: RunStore;
  /** As it is shown. */
  readonly name: string;
  readonly close: () => Promise<void>;
}

/** Throws StoreUnavailable. The client library is loaded in this file, and nowhere else. `create`: makes the store where it is missing. */
export async function openTeam(settings: TeamSettings, create?: NatsSettings): Promise<Team> {
  const { openNatsStore } = await import('../../store/nats/nats-store.js');
  const store = await openNatsStore({ ...natsOptions(settings), ...(create === undefined ? {} : { create }) });
  return { store, name: storeName(settings), close: () => store.close() };
}

/** The same, only to see how it is. */
export async function inspectTeam(settings: TeamSettings): Promise<StoreHealth> {
  const { inspectNatsStore } = await import('../../store/nats/nats-store.js');
  return inspectNatsStore(natsOptions(settings));
}

/** The lock of an inventory there: the file's name in words that a subject takes. */
export function lockName({ inventory, ofModel }: Runs): string {
  const file = basename(inventory);
  const plain = file.replaceAll(/[^A-Za-z0-9_-]/g, '_').slice(0, 60);
  return `${ofModel ? 'model' : 'hosts'}_${plain}_${sha256(file).slice(0, 8)}`;
}

const REFRESH_MS = 1_000;

/** Reads the store again and again, until the signal; one that does not answer is asked again. */
export async function keepReading(
  team: Team,
  runs: Runs,
  signal: AbortSignal,
  say: (text: string) => void,
): Promise<void> {
  let isSaid = false;
  while (!signal.aborted) {
    try {
      await readTeam(team, runs);
      isSaid = false;
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error;
      if (!isSaid) say(`${storeText(error)}; it is asked again`);
      isSaid = true;
    }
    await pause(REFRESH_MS, undefined, { signal }).catch(() => undefined);
  }
}

/** Brings the folder of runs, and who works with the inventory, to what the store has; for commands that only read. */
export async function readTeam({ store }: Team, runs: Runs): Promise<readonly SetAside[]> {
  const holders = await Promise.all(
    [runs, otherKind(runs)].map(async (one) => [one, await holderElsewhere(store, one)] as const),
  );
  // A process of this machine writes its own run.
  const aside = holdersOf(lockFolder(runs)).length > 0 ? [] : await exchange(store, runs, false);
  // Last: who waits for the end of a run reads its last lines then.
  for (const [one, holder] of holders) keepTeamHolder(one, holder);
  return aside;
}

/** Who works with the inventory, if that is no process that the inventory's own lock knows. */
async function holderElsewhere(store: RunStore, runs: Runs): Promise<Holder | undefined> {
  const holder = await store.holderOf(lockName(runs));
  const own = holdersOf(lockFolder(runs)).some(({ token }) => token === holder?.token);
  return holder === undefined || own || stateOf(holder) === 'ended' ? undefined : holder;
}
