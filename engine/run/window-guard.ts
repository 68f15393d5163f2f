import type { Clock } from '../terms/machine.js';
import type { Stop } from '../terms/event.js';
import type { Play } from '../terms/playbook.js';

/** What a maintenance window asks of a run. */
export interface Bounds {
  readonly zone: string;
  readonly closesMs: number;
  /** How long a rollback takes. */
  readonly rollbackMs: number;
  /** How long the run takes from a play with a point of no return on, by the path of the play. */
  readonly restMs: Readonly<Record<string, number>>;
}

export type Over = Extract<Stop, { by: 'window' }>;

/** The window of a run. Its end is read from the clock each time, so that a machine that slept is late at once. */
export class WindowGuard {
  constructor(
    private readonly bounds: Bounds,
    private readonly clock: Pick<Clock, 'nowMs'>,
  ) {}

  /** Why the run stops at its next safe point. */
  over(): Over | undefined {
    const { zone, closesMs } = this.bounds;
    return this.clock.nowMs() < closesMs ? undefined : { by: 'window', closesMs, zone };
  }

  /** Why the run stops before this play: what is left of it, and a rollback, do not fit into the window. */
  noRoomFor({ path, name, pointOfNoReturn }: Play): Stop | undefined {
    if (pointOfNoReturn === undefined) return undefined;
    const { zone, closesMs, rollbackMs, restMs } = this.bounds;
    const takesMs = restMs[path] ?? 0;
    const leftMs = closesMs - this.clock.nowMs();
    if (takesMs + rollbackMs <= leftMs) return undefined;
    return { by: 'no room', play: name, pointOfNoReturn, closesMs, zone, takesMs, rollbackMs };
  }
}
