import type { Recorded } from '../../../engine/terms/event.js';
import { ask, elect, elected } from '../../lab/indexer-client.js';
import { pause } from '../../lab/hosts.js';
import type { Running } from './runbook.js';

/** What was seen of the elected cluster manager while the nodes were upgraded. */
export interface Election {
  /** The hosts in the order in which they were taken, each with the node elected at that moment. */
  readonly taken: readonly { readonly host: string; readonly electedThen: string }[];
  readonly moved: { readonly from: string; readonly to: string } | undefined;
  readonly onEvent: (recorded: Recorded) => void;
  /** Waits for what is still being asked; rejects when the move could not be made. */
  settled(): Promise<void>;
}

const PLAY = 'Upgrade each node';

/**
 * Watches a run's events, and makes the elected manager move to `to` once: when the first node to be upgraded has started. The run is held
 * meanwhile, for else it would be a race whether it looks for the next node before or after. The exclusions are deleted afterwards.
 */
export function watchElection(to: string, run: () => Pick<Running, 'pause' | 'goOn'>): Election {
  const taken: { host: string; electedThen: string }[] = [];
  const asked: Promise<void>[] = [];
  let moved: Election['moved'];
  const move = async (): Promise<void> => {
    run().pause();
    try {
      const from = await elected();
      while (((await ask('GET', '/_cat/nodes?format=json&h=name')) as unknown[]).length < 3) await pause(100);
      await elect(to);
      moved = { from, to };
    } finally {
      run().goOn();
    }
  };
  const onEvent = ({ event }: Recorded): void => {
    if (event.e === 'host-chosen' && event.play.endsWith(`/${PLAY}`)) {
      const { host } = event;
      asked.push(elected().then((electedThen) => void taken.push({ host, electedThen })));
    }
    const isFirstStart =
      event.e === 'settled' && event.task.step.endsWith(`/${PLAY}/Start the indexer`) && taken.length === 1;
    if (isFirstStart) asked.push(move());
  };
  return {
    taken,
    get moved() {
      return moved;
    },
    onEvent,
    async settled() {
      await Promise.all(asked);
    },
  };
}
