import { doneOf, restoringTask, type RunState, type TaskState } from '../../journal/state.js';
import type { Was } from '../../terms/event.js';
import { hostName } from '../../terms/subject.js';
import { taskKey } from '../../terms/task.js';
import { invalid } from '../options/exit.js';
import type { Flags } from '../options/flags.js';

/** By task key. */
export type Told = ReadonlyMap<string, Was>;

/** `--done` and `--not-done`: what the operator says of acts whose outcome is not known. */
export function toldOf(state: RunState, { done, notDone }: Pick<Flags, 'done' | 'notDone'>): Told {
  const unknown = [...state.tasks.values()].filter(({ task }) => doneOf(state, task).is === 'unknown');
  // What its own command ended since is made again, whatever became of it: the answer that the failure asked for is taken, and changes nothing.
  const ended = [...state.tasks.values()].filter(
    ({ task }) => state.tasks.get(taskKey(restoringTask(task)))?.settled !== undefined,
  );
  const told = new Map<string, Was>();
  for (const [name, was] of [...asTold(done, 'done'), ...asTold(notDone, 'not done')]) {
    const named = unknown.filter((t) => namesOf(t).includes(name));
    const [only] = named;
    if (only === undefined && ended.some((t) => namesOf(t).includes(name))) continue;
    if (only === undefined) throw invalid(notUnknown(name, was, unknown));
    if (named.length > 1) throw invalid(`"${name}" is unknown on several hosts; name one: ${listed(named)}`);
    const key = taskKey(only.task);
    if (told.has(key)) throw invalid(`--done and --not-done: ${listed(named)} is named twice`);
    told.set(key, was);
  }
  return told;
}

const asTold = (names: readonly string[], was: Was) => names.map((name) => [name, was] as const);

const onHost = (t: TaskState): string => `${t.name} on ${hostName(t.task.on)}`;
const namesOf = (t: TaskState): readonly string[] => [
  ...[t.name, onHost(t)],
  ...[t.task.step, `${t.task.step} on ${hostName(t.task.on)}`],
];
const listed = (tasks: readonly TaskState[]): string => tasks.map((t) => `"${onHost(t)}"`).join(', ');

function notUnknown(name: string, was: Was, unknown: readonly TaskState[]): string {
  const option = was === 'done' ? '--done' : '--not-done';
  if (unknown.length === 0) return `${option}: the run has no step whose outcome is unknown`;
  return `${option}: "${name}" is no step whose outcome is unknown; these are: ${listed(unknown)}`;
}
