import { describe, expect, test } from '@jest/globals';
import {
  nextAfter,
  nextMove,
  noProgress,
  type Moment,
  type Move,
  type Progress,
} from '../../engine/run/task/next-move.js';
import type { Decision } from '../../engine/run/task/decision.js';
import type { Performed } from '../../engine/run/task/expect.js';
import type { Change } from '../../engine/terms/change.js';

const change = (rest: Partial<Change> = {}): Decision => ({
  is: 'change',
  change: {
    summary: 'it starts',
    sign: '~',
    actions: [{ do: 'ask', question: '?' }],
    touches: [],
    predicts: [],
    ...rest,
  },
  args: {},
});
const waiting = (rest: Partial<Extract<Decision, { is: 'waiting' }>> = {}): Decision => ({
  ...{ is: 'waiting', for: 'green', args: {} },
  ...rest,
});
const away: Decision = { is: 'failed', reason: 'no route', unreachable: 'own' };
const OPERATOR = { by: 'operator' } as const;

/** What a move does, and what it leaves of the progress: `act tries=0`. */
function shown(move: Move): string {
  const { progress } = move as { progress?: Progress };
  const rest = Object.entries(move).filter(([key]) => !['do', 'progress', 'change', 'args', 'verdict'].includes(key));
  const left = progress === undefined ? [] : [`tries ${progress.tries}`, `acted ${progress.acted}`];
  return [move.do, ...rest.map(([key, value]) => `${key}=${JSON.stringify(value)}`), ...left].join(' ');
}

type Row = readonly [name: string, Partial<Progress>, Decision, Partial<Moment>, move: string];

const rows: readonly Row[] = [
  ['a false condition', {}, { is: 'skip', because: 'x' }, {}, 'skip because="x"'],
  ['nothing to do', {}, { is: 'ok', because: 'x', args: {} }, {}, 'settle'],
  ['a first change', {}, change(), {}, 'act tries 0 acted 1'],
  [
    'a change after a second Ctrl-C',
    {},
    change(),
    { aborted: true },
    'fail as="failed" reason="interrupted before it was done"',
  ],
  [
    'the same change again',
    { acted: 1 },
    change(),
    {},
    'fail as="failed" reason="did not converge: \\"it starts\\" is still due after it was done"',
  ],
  [
    'the same change again, with a text of its own',
    { acted: 1 },
    change({ notConverged: { reason: 'dead', hint: 'see its log' } }),
    {},
    'fail as="failed" reason="dead" hint="see its log"',
  ],
  [
    'the same change again, retries left',
    { acted: 1 },
    change(),
    { retries: 1 },
    'retry pauseMs=10000 untilStop=false tries 1 acted 0',
  ],
  [
    'the same change again, retries used',
    { acted: 1, tries: 1 },
    change(),
    { retries: 1 },
    'fail as="failed" reason="did not converge: \\"it starts\\" is still due after it was done"',
  ],
  ['a change with less left', { acted: 1, left: 5, tries: 2 }, change({ left: 4 }), {}, 'act tries 0 acted 2'],
  [
    'a change with as much left',
    { acted: 1, left: 5 },
    change({ left: 5 }),
    {},
    'fail as="failed" reason="did not converge: \\"it starts\\" is still due after it was done"',
  ],
  [
    'still due after a lost connection',
    { acted: 1, unsure: { is: 'unknown', why: 'lost', lost: 'host' } },
    change(),
    {},
    'retry pauseMs=2000 untilStop=false tries 1 acted 0',
  ],
  [
    'still due after three lost connections',
    { acted: 1, tries: 2, unsure: { is: 'unknown', why: 'lost', lost: 'host' } },
    change(),
    {},
    'fail as="unreachable" reason="lost"',
  ],
  [
    'still due after a passed limit',
    { acted: 1, unsure: { is: 'unknown', why: 'limit' } },
    change(),
    {},
    'fail as="failed" reason="limit"',
  ],
  ['a stop at a safe point', {}, change({ safePoint: true }), { stop: OPERATOR }, 'stop stop={"by":"operator"}'],
  ['a stop where there is no safe point', {}, change(), { stop: OPERATOR }, 'act tries 0 acted 1'],
  ['an unreachable host', {}, away, { retries: 3 }, 'fail as="unreachable" reason="no route"'],
  [
    'an unreachable host after a change',
    { acted: 1 },
    away,
    { retries: 3 },
    'retry pauseMs=10000 untilStop=true tries 1 acted 1',
  ],
  [
    'an unreachable host after a change, and a stop',
    { acted: 1 },
    away,
    { retries: 3, stop: OPERATOR },
    'fail as="unreachable" reason="no route"',
  ],
  ['another host that is unreachable', {}, { ...away, unreachable: 'other' }, {}, 'fail as="failed" reason="no route"'],
  [
    'a fact that cannot be known',
    {},
    { is: 'unknown', because: 'x', dependsOn: [] },
    {},
    'fail as="failed" reason="x" hint="correct what cannot be read, then run it again"',
  ],
  ['a requirement that is not met', {}, { is: 'blocked', reason: 'x', args: {} }, {}, 'fail as="blocked" reason="x"'],
  [
    'a requirement that is not met, retries left',
    {},
    { is: 'blocked', reason: 'x', args: {} },
    { retries: 1 },
    'retry pauseMs=10000 untilStop=false tries 1 acted 0',
  ],
  [
    'a first reading',
    {},
    waiting(),
    {},
    'wait for="green" forMs=0 limitMs=600000 pauseMs=2000 untilStop=false tries 0 acted 0',
  ],
  [
    'the limit of the step',
    { waitingSinceMs: 0 },
    waiting(),
    { timeoutMs: 1000 },
    'fail as="failed" reason="waited 1 s: green"',
  ],
  [
    'the limit of the module, with its own reason',
    { waitingSinceMs: 0 },
    waiting({ limitMs: 1000, failure: { reason: 'red', hint: 'h' } }),
    { timeoutMs: 9000 },
    'fail as="failed" reason="red (waited 1 s: green)" hint="h"',
  ],
  [
    'the last pause',
    { waitingSinceMs: 0 },
    waiting({ limitMs: 1500 }),
    {},
    'wait for="green" forMs=1000 limitMs=1500 pauseMs=500 untilStop=false tries 0 acted 0',
  ],
  [
    'a long wait',
    { waitingSinceMs: 0 },
    waiting({ warn: { afterMs: 1000, text: 'slow' } }),
    {},
    'wait for="green" forMs=1000 limitMs=600000 pauseMs=2000 untilStop=false warning="slow" tries 0 acted 0',
  ],
  [
    'a long wait that was warned of',
    { waitingSinceMs: 0, warned: true },
    waiting({ warn: { afterMs: 1000, text: 'slow' } }),
    {},
    'wait for="green" forMs=1000 limitMs=600000 pauseMs=2000 untilStop=false tries 0 acted 0',
  ],
  [
    'the first reading that says it is no use',
    {},
    waiting({ failFast: { because: 'dead', readings: 2 } }),
    {},
    'wait for="green" forMs=0 limitMs=600000 pauseMs=2000 untilStop=false tries 0 acted 0',
  ],
  [
    'the second one',
    { failFast: 1 },
    waiting({ failFast: { because: 'dead', readings: 2 } }),
    {},
    'fail as="failed" reason="dead, 2 readings in a row"',
  ],
  [
    'a wait and a second Ctrl-C',
    {},
    waiting(),
    { aborted: true },
    'wait for="green" forMs=0 limitMs=600000 pauseMs=2000 untilStop=false then={"do":"fail","as":"failed","reason":"interrupted while waiting"} tries 0 acted 0',
  ],
  [
    'a wait that changed nothing, and a stop',
    {},
    waiting(),
    { stopsHere: true, stop: OPERATOR },
    'wait for="green" forMs=0 limitMs=600000 pauseMs=2000 untilStop=true then={"do":"stop","stop":{"by":"operator"}} tries 0 acted 0',
  ],
  [
    'a wait after a change, and a stop',
    { changed: true },
    waiting(),
    { stopsHere: true, stop: OPERATOR },
    'wait for="green" forMs=0 limitMs=600000 pauseMs=2000 untilStop=false tries 0 acted 0',
  ],
  [
    'a wait in a play that completes its host, and a stop',
    {},
    waiting(),
    { stop: OPERATOR },
    'wait for="green" forMs=0 limitMs=600000 pauseMs=2000 untilStop=false tries 0 acted 0',
  ],
];

const moment = (rest: Partial<Moment>): Moment => ({ nowMs: 1000, aborted: false, stopsHere: false, ...rest });

describe('after a decision', () => {
  test.each(rows)('%s', (_name, progress, decision, now, move) =>
    expect(shown(nextMove({ ...noProgress(false), ...progress }, decision, moment(now)))).toBe(move),
  );
});

type After = readonly [name: string, Partial<Progress>, Performed, Partial<Moment>, move: string];

const failed: Performed = { is: 'failed', reason: 'status 1', hint: 'h' };
const asked: Performed = { is: 'failed', reason: '429', retryAfterMs: 700 };
const unknown: Performed = { is: 'unknown', why: 'limit' };

const after: readonly After[] = [
  ['what is done is decided again', { acted: 1 }, { is: 'done' }, {}, 'decide tries 0 acted 1'],
  ['a failure', { acted: 1 }, failed, {}, 'fail as="failed" reason="status 1" hint="h"'],
  [
    'a failure, retries left',
    { acted: 1 },
    failed,
    { retries: 2 },
    'retry pauseMs=10000 untilStop=false tries 1 acted 0',
  ],
  [
    'a failure, retries left, and a second Ctrl-C',
    { acted: 1 },
    failed,
    { retries: 2, aborted: true },
    'fail as="failed" reason="status 1" hint="h"',
  ],
  ['"later" without retries', { acted: 1 }, asked, {}, 'retry pauseMs=700 untilStop=false tries 1 acted 0'],
  ['"later" for the sixtieth time', { acted: 1, tries: 60 }, asked, {}, 'fail as="failed" reason="429"'],
  ['what is not known is decided again', { acted: 1 }, unknown, {}, 'decide tries 0 acted 1'],
  [
    'what is not known, and a second Ctrl-C',
    { acted: 1 },
    unknown,
    { aborted: true },
    'fail as="failed" reason="limit" hint="what became of it is asked by resume"',
  ],
];

describe('after a change that was performed', () => {
  test.each(after)('%s', (_name, progress, performed, now, move) =>
    expect(shown(nextAfter({ ...noProgress(true), ...progress }, performed, moment(now)))).toBe(move),
  );

  test('an outcome that is not known is kept until the next one', () => {
    const first = nextAfter(noProgress(true), unknown, moment({}));
    expect(first).toMatchObject({ progress: { unsure: unknown } });
    const second = nextAfter((first as { progress: Progress }).progress, { is: 'done' }, moment({}));
    expect(second).not.toHaveProperty('progress.unsure');
  });
});

test('a change ends what was waited for before it', () => {
  const move = nextMove({ ...noProgress(false), waitingSinceMs: 0 }, change(), moment({}));
  expect(move).not.toHaveProperty('progress.waitingSinceMs');
});
