import type { StepPath } from './task.js';

/** How long something takes at least and at most, milliseconds. */
export interface Range {
  readonly minMs: number;
  readonly maxMs: number;
}

/** Of a step, on one host. */
export interface StepTime extends Range {
  /** In earlier runs of the inventory; else it is the platform's default. */
  readonly measured: boolean;
  /** It waits for something: that takes its time although nothing is changed. */
  readonly waits: boolean;
}

/** By the path of the step; the elements of a loop share that of their step. */
export type StepTimes = ReadonlyMap<StepPath, StepTime>;

/** The step of a task: `Download the package [nginx]` is an element of the loop `Download the package`. */
export const stepOf = (path: StepPath): StepPath => path.replace(/ \[[^/]*\]$/, '');
