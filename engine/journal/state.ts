import type { Change, Wanted } from '../terms/change.js';
import type { Done, Items, ItemState } from '../terms/fact.js';
import type { Json } from '../terms/json.js';
import type { RunEnd, Settled, Verb } from '../terms/event.js';
import type { Restoring } from '../terms/restoring.js';
import { keyOf, type Subject } from '../terms/subject.js';
import { taskKey, withoutElement, type StepPath, type TaskId } from '../terms/task.js';

/** A temporary change that is not restored yet. */
export interface TemporaryChange {
  readonly task: TaskId;
  readonly name: string;
  /** The state that restores it. */
  readonly restoredBy: Wanted;
  readonly restoring: Restoring;
  /** What must hold until it is restored. */
  readonly made?: Wanted;
}

/** An intent whose task is not settled: its effects so far. */
export interface OpenIntent {
  readonly attempt: number;
  readonly change: Change;
  readonly marks: Readonly<Record<string, Json>>;
  /** Effects that were recorded as met, in order. */
  met: number;
  /** The last effect may have happened without our knowing. */
  unsure: boolean;
  /** The last effect failed and is known not to have been done. */
  failed: boolean;
  /** The last met outcome's value, and those of the effects before it. */
  value: Json;
  earlier?: Json[];
}

export interface TaskState {
  readonly task: TaskId;
  name: string;
  /** How many tasks were met before it. */
  readonly nth: number;
  attempts: number;
  /** Something was begun that may have altered something: more than a question asked. */
  acted?: true;
  open?: OpenIntent;
  settled?: { readonly as: Settled; readonly changed: boolean; readonly value?: Json; readonly reason?: string };
  skipped?: string;
  /** Its temporary change, or one that it depends on, is no longer in effect: the task is decided again, though it is settled. */
  again?: true;
  /** Since the journal was found older than the hosts, what became of its last act was recorded. */
  known?: true;
  /** In a plan: decided as a change, or not decidable. */
  planned?: 'change' | 'waiting' | 'undecided';
}

export interface PlayState {
  hosts: readonly string[];
  /** Hosts that it was gone through without: they were lost. */
  without: readonly string[];
  inHand: string[];
  left: string[];
  ended: boolean;
  skipped: boolean;
}

/** What the condition of a block was on one host when its first step began there. */
export interface BlockState {
  readonly on: Subject;
  readonly members: readonly StepPath[];
  readonly is: boolean;
  readonly because: string;
}

export const blockKey = (block: string, on: Subject): string => `${block}@${keyOf(on)}`;

/** Exactly the fold of a run's events: there is no other memory. Only `fold` writes it. */
export interface RunState {
  run?: string;
  verb?: Verb;
  readonly from: Map<string, Readonly<Record<string, string | null>>>;
  readonly tasks: Map<string, TaskState>;
  /** The same by the path of their step, for whoever asks what became of a step wherever it ran: in the order met. */
  readonly byStep: Map<string, TaskState[]>;
  /** The elements of loops, by the path of the step that loops. */
  readonly elements: Map<string, TaskState[]>;
  /** Steps that may have been done after the last record, on whatever host: the journal was older than hosts. */
  readonly mayBeDone: Set<StepPath>;
  /** Temporary changes in effect, by task key, oldest first. */
  readonly temporaryChanges: Map<string, TemporaryChange>;
  /** Plays begun, skipped or ended, by path. */
  readonly plays: Map<string, PlayState>;
  readonly lost: Map<string, string>;
  /** Those of the lost hosts that the run does without: no condition asks them either. */
  readonly leftOut: Set<string>;
  /** The conditions of blocks, by block and subject (`blockKey`). */
  readonly blocks: Map<string, BlockState>;
  /** The lists of loops that were read from facts, by task key. */
  readonly loops: Map<string, readonly Json[]>;
  /** By task key, then by item. */
  readonly items: Map<string, Map<string, ItemState>>;
  ended?: { readonly as: RunEnd; readonly reason?: string; readonly throughout?: true };
}

export const emptyState = (): RunState => ({
  from: new Map(),
  tasks: new Map(),
  byStep: new Map(),
  elements: new Map(),
  mayBeDone: new Set(),
  temporaryChanges: new Map(),
  plays: new Map(),
  lost: new Map(),
  leftOut: new Set(),
  blocks: new Map(),
  loops: new Map(),
  items: new Map(),
});

/** The engine's own answer to the fact `done`: was this task's effect done, never begun, or is it unknown? */
export function doneOf(state: RunState, id: TaskId): Done {
  const task = state.tasks.get(taskKey(id));
  const open = task?.open;
  if (open === undefined && task?.settled?.as === 'done')
    return { is: 'done', value: task.settled.value ?? null, ...(task.again === true ? { again: true } : {}) };
  if (open === undefined || open.failed)
    return task?.known !== true && mayBeDone(state, id) ? { is: 'unknown', marks: open?.marks ?? {} } : { is: 'never' };
  if (!open.unsure && open.met === open.change.actions.length)
    return { is: 'done', value: open.value, ...(open.earlier === undefined ? {} : { earlier: open.earlier }) };
  return { is: 'unknown', marks: open.marks };
}

/** Of an element of a loop: as its step. */
const mayBeDone = ({ mayBeDone: steps }: RunState, { step }: TaskId): boolean =>
  steps.size > 0 && (steps.has(step) || steps.has(withoutElement(step)));

/** The engine's own answer to the fact `items`. */
export const itemsOf = (state: RunState, key: string): Items => ({
  items: Object.fromEntries(state.items.get(key) ?? []),
  marks: state.tasks.get(key)?.open?.marks ?? {},
});

export const isSettledWell = (t: TaskState | undefined): boolean =>
  t?.again !== true && (t?.skipped !== undefined || t?.settled?.as === 'done' || t?.settled?.as === 'ok');

/** Of a step on whatever host, also of the elements of its loop, in the order met. */
export const tasksOf = (state: RunState, step: StepPath): readonly TaskState[] => [
  ...(state.byStep.get(step) ?? []),
  ...(state.elements.get(step) ?? []),
];

/** The task that ends a temporary change has an id of its own, beside that of its step. */
export const restoringTask = ({ step, on }: TaskId): TaskId => ({ step: `${step}${RESTORING}`, on });
export const isRestoring = (step: StepPath): boolean => step.endsWith(RESTORING);
const RESTORING = ' (restored)';

/** A run that another must not overtake: begun, and neither done, refused before any change, nor released. */
export const isUnfinished = (state: RunState): boolean =>
  state.run !== undefined &&
  state.ended?.as !== 'done' &&
  state.ended?.as !== 'closed' &&
  !(state.ended !== undefined && state.temporaryChanges.size === 0 && !hasActed(state));

/** It changed something, or may have: of a journal that is older than hosts, not all is known. */
export const hasActed = ({ tasks, mayBeDone: steps }: Pick<RunState, 'tasks' | 'mayBeDone'>): boolean =>
  steps.size > 0 || [...tasks.values()].some((t) => t.acted === true);
