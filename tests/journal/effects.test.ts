import { expect, test } from '@jest/globals';
import { foldAll } from '../../engine/journal/fold.js';
import { doneOf } from '../../engine/journal/state.js';
import type { Event } from '../../engine/terms/event.js';
import type { TaskId } from '../../engine/terms/task.js';

const task: TaskId = { step: 'agents/ask', on: { endpoint: 'api' } };
const request = {
  do: 'request',
  request: { endpoint: 'api', method: 'PUT', path: '/agents/upgrade', timeoutMs: 1 },
  expect: { status: [200] },
} as const;
const intent = (attempt: number): Event => ({
  e: 'intent',
  task,
  name: 'ask',
  attempt,
  change: {
    summary: '',
    sign: '~',
    actions: [request, request, request],
    touches: [],
    predicts: [],
  },
  marks: {},
});
const answered = (attempt: number, index: number, n: number): Event => ({
  e: 'effect',
  task,
  attempt,
  index,
  outcome: { is: 'answered', status: 200, body: JSON.stringify({ n }) },
  met: true,
});

test('what each of several effects answered is remembered, of the last attempt only', () => {
  const state = foldAll([intent(1), answered(1, 0, 0), intent(2), ...[1, 2, 3].map((n, i) => answered(2, i, n))]);
  const value = (n: number) => ({ status: 200, json: { n } });
  expect(doneOf(state, task)).toEqual({ is: 'done', value: value(3), earlier: [value(1), value(2)] });
});

test('of one effect there is nothing earlier', () => {
  const one = {
    ...intent(1),
    change: { ...(intent(1) as Extract<Event, { e: 'intent' }>).change, actions: [request] },
  } as Event;
  expect(doneOf(foldAll([one, answered(1, 0, 7)]), task)).toEqual({
    is: 'done',
    value: { status: 200, json: { n: 7 } },
  });
});
