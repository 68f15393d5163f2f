import { keyOf, type Subject } from './subject.js';

/** Names, never indexes: "upgrade/database/Upgrade each node/Stop the database". Stable over resume and edits. */
export type StepPath = string;

/** A task is a step on a host (or on the controller, for a play without hosts). */
export interface TaskId {
  readonly step: StepPath;
  readonly on: Subject;
}

export const taskKey = (t: TaskId): string => `${t.step}@${keyOf(t.on)}`;
