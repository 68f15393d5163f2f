import { packageState } from '../../facts/package.js';
import { service } from '../../facts/service.js';
import type { Touch } from '../../terms/change.js';
import { keyOf, type Subject } from '../../terms/subject.js';
import type { StepPath } from '../../terms/task.js';

/** What a step of a plan would do, or may do, where it acts. */
export interface PlannedAct {
  readonly play: string | undefined;
  readonly step: StepPath;
  readonly name: string;
  readonly on: Subject;
  readonly touches: readonly Touch[];
  /** It runs a command. */
  readonly runs: boolean;
  /** Units that it stops. */
  readonly stops: readonly string[];
}

/** What the steps of a plan would do, in order. */
export class PlannedActs {
  readonly #acts: PlannedAct[] = [];
  readonly #hostsWithNewDirectories = new Set<string>();

  add(act: PlannedAct): void {
    this.#acts.push(act);
    for (const touch of act.touches)
      if (mayMakeDirectories(touch, act)) this.#hostsWithNewDirectories.add(keyOf(touch.of));
  }

  last(fits: (act: PlannedAct) => boolean): PlannedAct | undefined {
    return this.#acts.findLast(fits);
  }

  /** What the scripts of a package and the start of a service make cannot be predicted: after one of these no directory is missing for certain. */
  mayHaveMadeDirectories(on: Subject): boolean {
    return this.#hostsWithNewDirectories.has(keyOf(on));
  }
}

const mayMakeDirectories = (touch: Touch, { stops }: PlannedAct): boolean =>
  'fact' in touch && (touch.fact === packageState.name || (touch.fact === service.name && !stops.includes(touch.key)));
