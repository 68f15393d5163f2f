import { showDuration } from '../../lib/duration.js';
import type { Event } from '../../terms/event.js';
import { taskKey } from '../../terms/task.js';
import { bar, LEAST_FOR_BARS } from './bar.js';
import { printableLine, type Style } from '../style.js';

/** An outermost part of the playbook, as the plan counts it with which the run was begun, or resumed. */
export interface PlannedPhase {
  readonly name: string;
  /** Steps that change something, each on each host. */
  readonly changes: number;
  /** The longest that it is expected to take, milliseconds; absent where no plan estimated it. */
  readonly takesMs?: number;
}

/** How far a run is in its phases, from its events: done and planned changes, and what is left of the estimate. */
export class PhaseBars {
  readonly #done = new Map<string, Set<string>>();
  #now: string | undefined;

  constructor(private readonly planned: readonly PlannedPhase[]) {}

  take(event: Event): void {
    // What was done before a resume is not in its plan.
    if (event.e === 'run-started') this.#done.clear();
    if (event.e === 'play-started') this.#now = event.within[0] ?? event.name;
    // What is restored after a failure belongs to no phase.
    if (event.e !== 'settled' || event.as !== 'done' || this.#now === undefined) return;
    const done = this.#done.get(this.#now) ?? new Set();
    this.#done.set(this.#now, done.add(taskKey(event.task)));
  }

  /** The phase under way with a bar, and what comes after it; nothing before the first one, or without a plan. */
  lines(style: Style, width: number): readonly string[] {
    const at = this.planned.findIndex(({ name }) => name === this.#now);
    const phase = this.planned[at];
    if (phase === undefined) return [];
    const after = this.planned.slice(at + 1).filter(({ changes }) => changes > 0);
    const done = Math.min(this.#done.get(phase.name)?.size ?? 0, phase.changes);
    const share = phase.changes === 0 ? 0 : done / phase.changes;
    const leftMs = this.#leftMs(phase, share, after);
    return [
      ` ${style.bold(printableLine(phase.name))} ${phase.changes === 0 ? '' : `${width < LEAST_FOR_BARS ? '' : `${bar(share)} `}${done}/${phase.changes} changes · `}phase ${at + 1} of ${this.planned.length}${leftMs === undefined ? '' : ` · about ${showDuration(leftMs)} left`}`,
      ...(after.length === 0
        ? []
        : [style.dim(` then ${after.map(({ name, changes }) => `${printableLine(name)} ${changes}`).join(' · ')}`)]),
    ];
  }

  /** In whole minutes, at least one. */
  #leftMs(phase: PlannedPhase, share: number, after: readonly PlannedPhase[]): number | undefined {
    if (phase.takesMs === undefined) return undefined;
    const ms = phase.takesMs * (1 - share) + after.reduce((sum, { takesMs = 0 }) => sum + takesMs, 0);
    return Math.max(1, Math.round(ms / 60_000)) * 60_000;
  }
}
