import { keyOf, type Subject } from './subject.js';

/** Names, never indexes: "upgrade/database/Upgrade each node/Stop the database". Stable over resume and edits. */
export type StepPath = string;

/** Of an element of a loop: the path of its step. */
export const withoutElement = (step: StepPath): StepPath => step.replace(/ \[.*$/s, '');

/** A task is a step on a host (or on the controller, for a play without hosts). */
export interface TaskId {
  readonly step: StepPath;
  readonly on: Subject;
}

export const taskKey = (t: TaskId): string => `${t.step}@${keyOf(t.on)}`;
