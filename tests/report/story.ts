import type { Change } from '../../engine/terms/change.js';
import type { Event, Recorded } from '../../engine/terms/event.js';
import type { TaskId } from '../../engine/terms/task.js';

const START_MS = Date.UTC(2026, 10, 21, 22, 0, 0);

/** Events as a journal has them, one second apart. */
export const record = (events: readonly Event[]): readonly Recorded[] =>
  events.map((event, index) => ({ seq: index + 1, atMs: START_MS + index * 1000, event }));

export const on = (host: string, step: string): TaskId => ({ step, on: { host } });

export const started = (more: Partial<Extract<Event, { e: 'run-started' }>> = {}): Event => ({
  e: 'run-started',
  run: '2026-11-21T22-00-00Z',
  verb: 'apply',
  playbook: 'Upgrade',
  inventory: 'inventory.yaml',
  hosts: 5,
  target: '4.14.7',
  hash: '7f3a9c2e0000',
  ...more,
});

export const play = (
  path: string,
  hosts: readonly string[],
  more: Partial<Extract<Event, { e: 'play-started' }>> = {},
): Event => ({
  e: 'play-started',
  play: path,
  name: path.split('/').at(-1) ?? '',
  within: [],
  hosts,
  serial: false,
  ...more,
});

export const change = (summary: string, more: Partial<Change> = {}): Change => ({
  summary,
  sign: '~',
  actions: [{ do: 'remove', path: '/x' }],
  touches: [],
  predicts: [],
  ...more,
});

type Told = { readonly task: TaskId; readonly name: string; readonly spec?: string };
const told = (task: TaskId): Told => ({ task, name: task.step.split('/').at(-1) ?? '' });

export const intent = (task: TaskId, what: Change): Event => ({
  e: 'intent',
  ...told(task),
  attempt: 1,
  change: what,
  marks: {},
});
export const would = (task: TaskId, what: Change, spec?: string): Event => ({
  e: 'checked',
  ...told(task),
  ...(spec === undefined ? {} : { spec }),
  verdict: 'change',
  because: what.summary,
  change: what,
});
export const settled = (
  task: TaskId,
  as: Extract<Event, { e: 'settled' }>['as'],
  more: Partial<Extract<Event, { e: 'settled' }>> = {},
): Event => ({
  e: 'settled',
  ...told(task),
  as,
  changed: as === 'done',
  tookMs: 1000,
  ...more,
});
export const ended = (
  as: Extract<Event, { e: 'run-ended' }>['as'],
  more: Partial<Extract<Event, { e: 'run-ended' }>> = {},
): Event => ({
  e: 'run-ended',
  as,
  untouched: [],
  notRestored: [],
  tookMs: 65_000,
  ...more,
});
