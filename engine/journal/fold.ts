import { getOrCreate } from '../lib/get-or-create.js';
import { jsonOrUndefined } from '../lib/json.js';
import type { Outcome } from '../terms/action.js';
import type { Event, Was } from '../terms/event.js';
import type { Json } from '../terms/json.js';
import { keyOf } from '../terms/subject.js';
import { taskKey, type TaskId } from '../terms/task.js';
import { chooseItems, foldItems, itemsAfter, tryItemsAgain } from './items.js';
import { reopen } from './reopen.js';
import {
  blockKey,
  emptyState,
  restoringTask,
  tasksOf,
  type PlayState,
  type RunState,
  type TaskState,
} from './state.js';

/** The state after all these events. */
export function foldAll(events: Iterable<Event>): RunState {
  const state = emptyState();
  for (const event of events) fold(state, event);
  return state;
}

/** Takes one event into the state. In place: a run of thousands of hosts folds hundreds of thousands of events. */
export function fold(state: RunState, event: Event): void {
  switch (event.e) {
    case 'run-started':
      state.run = event.run;
      state.verb = event.verb;
      delete state.ended;
      state.lost.clear();
      state.leftOut.clear();
      if (event.verb === 'resume') {
        askAgain(state);
        tryItemsAgain(state);
      }
      return;
    case 'from':
      if (!state.from.has(event.host)) state.from.set(event.host, event.versions);
      return;
    case 'play-started':
      state.plays.set(event.play, {
        inHand: [],
        left: [],
        ...state.plays.get(event.play),
        hosts: event.hosts,
        without: event.without ?? [],
        ended: false,
        skipped: false,
      });
      return;
    case 'play-skipped':
      state.plays.set(event.play, {
        inHand: [],
        left: [],
        ...state.plays.get(event.play),
        hosts: [],
        without: event.without ?? [],
        ended: true,
        skipped: true,
      });
      return;
    case 'play-ended':
      withPlay(state, event.play, (play) => {
        play.ended = true;
      });
      return;
    case 'host-chosen':
      withPlay(state, event.play, (play) => {
        if (!play.inHand.includes(event.host)) play.inHand.push(event.host);
      });
      return;
    case 'host-left':
      withPlay(state, event.play, (play) => {
        play.inHand = play.inHand.filter((h) => h !== event.host);
        play.left.push(event.host);
      });
      return;
    case 'host-lost':
      state.lost.set(event.host, event.reason);
      if (event.leftOut === true) state.leftOut.add(event.host);
      return;
    case 'run-ended':
      state.ended = {
        as: event.as,
        ...(event.reason === undefined ? {} : { reason: event.reason }),
        ...(event.throughout === undefined ? {} : { throughout: event.throughout }),
      };
      return;
    case 'item':
    case 'items':
      foldItems(state, event);
      return;
    case 'temporary-made': {
      const key = taskKey(event.task);
      const { task, name, restoredBy, restoring, made } = event;
      if (!state.temporaryChanges.has(key))
        state.temporaryChanges.set(key, { task, name, restoredBy, restoring, ...(made === undefined ? {} : { made }) });
      return;
    }
    case 'temporary-restoring':
      if (event.again) reopen(state, event.task);
      return;
    case 'temporary-reverted':
      reopen(state, event.task);
      return;
    case 'temporary-restored':
      state.temporaryChanges.delete(taskKey(event.task));
      return;
    case 'block': {
      const { block, on, members, is, because } = event;
      state.blocks.set(blockKey(block, on), { on, members, is, because });
      return;
    }
    case 'loop-started':
      state.loops.set(taskKey(event.task), event.list);
      return;
    case 'task-skipped': {
      const task = taskOf(state, event.task, event.name);
      task.skipped = event.because;
      delete task.again;
      return;
    }
    case 'checked': {
      const task = taskOf(state, event.task, event.name);
      if (event.verdict === 'change' || event.verdict === 'waiting') task.planned = event.verdict;
      return;
    }
    case 'undecided':
      taskOf(state, event.task, event.name).planned = 'undecided';
      return;
    case 'intent': {
      const task = taskOf(state, event.task, event.name);
      task.attempts = event.attempt;
      task.known = true;
      if (event.change.actions.some((action) => action.do !== 'ask')) task.acted = true;
      task.open = {
        attempt: event.attempt,
        change: event.change,
        marks: event.marks,
        met: 0,
        unsure: false,
        failed: false,
        value: null,
      };
      chooseItems(state, event);
      return;
    }
    case 'effect':
      itemsAfter(state, event);
      foldEffect(taskOf(state, event.task, ''), event);
      return;
    case 'settled': {
      const task = taskOf(state, event.task, event.name);
      task.settled = { ...keptOf(task, event), ...(event.reason === undefined ? {} : { reason: event.reason }) };
      // What failed after an effect that may have happened stays open: resume asks the machine.
      if (event.as !== 'done' && event.as !== 'ok') return;
      task.known = true;
      delete task.open;
      delete task.again;
      forgetRestored(state, event.task);
      return;
    }
    case 'answered':
      if (event.was !== undefined) foldWord(taskOf(state, event.task, ''), event.was);
      return;
    case 'journal-older':
      // What was known before may be out of date.
      for (const task of state.tasks.values()) delete task.known;
      for (const step of event.steps) state.mayBeDone.add(step);
      return;
    case 'observed':
    case 'found':
    case 'close-started':
    case 'waiting':
    case 'warned':
    case 'paused':
    case 'taken-over':
      return;
  }
}

/** What a task came to. One that was done and is decided again finds nothing to do: it stays done, by what it did then. */
function keptOf(
  { settled }: TaskState,
  { as, changed, value }: Extract<Event, { e: 'settled' }>,
): NonNullable<TaskState['settled']> {
  const before = as === 'ok' && settled?.as === 'done' ? settled : { as, changed };
  return { ...before, ...(value === undefined ? {} : { value }) };
}

/** A temporary change that was made (again) must be restored (again). */
function forgetRestored(state: RunState, id: TaskId): void {
  const end = state.tasks.get(taskKey(restoringTask(id)));
  delete end?.settled;
  delete end?.open;
}

function foldEffect(task: TaskState, event: Extract<Event, { e: 'effect' }>): void {
  const open = task.open;
  if (open?.attempt !== event.attempt) return;
  open.unsure = event.outcome.is === 'unknown';
  open.failed = !event.met && !open.unsure;
  if (!event.met) return;
  if (event.index > 0) (open.earlier ??= []).push(open.value);
  open.met = event.index + 1;
  open.value = valueOf(event.outcome);
}

/** The operator knows what became of the last act: what it answered, where it was done, stays unknown. */
function foldWord(task: TaskState, was: Was): void {
  const { open } = task;
  task.known = true;
  if (open === undefined) {
    // The record of its act is missing.
    if (was === 'done') task.settled = { as: 'done', changed: true };
    return;
  }
  open.unsure = false;
  open.failed = was === 'not done';
  if (was === 'done') open.met = open.change.actions.length;
}

/** What an outcome leaves behind for `register` and for the fact `done`. */
export function valueOf(outcome: Outcome): Json {
  // What was cut is never read.
  if (outcome.is === 'ended')
    return { exit: outcome.exit, ...(outcome.cut === true ? {} : { stdout: outcome.stdout }) };
  if (outcome.is === 'answered') {
    if (outcome.cut === true) return { status: outcome.status };
    const json = jsonOrUndefined(outcome.body);
    return { status: outcome.status, json: json ?? null, ...(json === undefined ? { text: outcome.body } : {}) };
  }
  if (outcome.is === 'said') return outcome.answer;
  return null;
}

function withPlay(state: RunState, path: string, change: (play: PlayState) => void): void {
  const play = state.plays.get(path);
  if (play !== undefined) change(play);
}

function taskOf(state: RunState, id: TaskId, name: string): TaskState {
  const key = taskKey(id);
  const found = state.tasks.get(key);
  if (found?.name === '') found.name = name;
  if (found !== undefined) return found;
  const made: TaskState = { task: id, name, nth: state.tasks.size, attempts: 0 };
  state.tasks.set(key, made);
  getOrCreate(state.byStep, id.step, () => []).push(made);
  for (const { index } of id.step.matchAll(/ \[/g))
    getOrCreate(state.elements, id.step.slice(0, index), () => []).push(made);
  return made;
}

/** A block in which nothing was changed yet is asked again by a resume; one that was begun is finished, whatever its condition says by then. */
function askAgain(state: RunState): void {
  for (const [key, { on, members }] of state.blocks) {
    const acted = members.some((step) =>
      tasksOf(state, step).some((t) => t.acted === true && keyOf(t.task.on) === keyOf(on)),
    );
    if (!acted) state.blocks.delete(key);
  }
}
