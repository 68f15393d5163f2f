import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { RunOptions } from '../../engine/run/run.js';
import type { Actor } from '../../engine/terms/machine.js';
import { taskKey } from '../../engine/terms/task.js';
import { bench, crashingAt, type Ran } from './bench-hosts.js';

/* What may not be done twice, and may have been done: only the operator can tell, and the run goes on with what they say. */

const PAY = `
playbook: P
plays:
  - play: One
    hosts: a
    steps:
      - step: pay
        command: { argv: [sh, -c, "echo paid >>@/paid"], changes: ["@/paid"], timeout: 10s }
      - step: close the books
        command: { argv: [touch, "@/closed"], creates: "@/closed", changes: [], timeout: 10s }
`;

let hosts: ReturnType<typeof bench>;
beforeEach(() => {
  hosts = bench(PAY, ['a']);
});
afterEach(() => hosts.end());

const cut = () => hosts.run('apply', { actor: crashingAt(1, 'after') });
const told = ({ events }: Ran, was: 'done' | 'not done'): Pick<RunOptions, 'told'> => ({
  told: new Map(events.flatMap((e) => (e.e === 'intent' ? [[taskKey(e.task), was] as const] : []))),
});
const paid = (): number => readFileSync(hosts.path('paid'), 'utf8').split('\n').length - 1;

/** The first effect happens, and its answer is lost on the way. */
const silentOnce = (real: Actor): Actor => {
  let effects = 0;
  return {
    ...real,
    async perform(...args) {
      const outcome = await real.perform(...args);
      return (effects += 1) === 1 ? { is: 'unknown', why: 'crash' } : outcome;
    },
  };
};

describe('a resume after a cut in the middle of such a step', () => {
  test.each([
    ['done', 1],
    ['not done', 2],
  ] as const)('asks at a terminal; with the answer "%s" the run goes on to its end', async (answer, times) => {
    const before = await cut();
    const asked: string[] = [];
    const resumed = await hosts.run('resume', {
      past: before.recorded,
      answer: (question) => (asked.push(question), answer),
    });
    expect(resumed.end).toBe('done');
    expect(paid()).toBe(times);
    expect(asked).toEqual([
      `Not known whether "pay" on a was done: sh -c 'echo paid >>${hosts.path('paid')}'\nSee on a whether it happened: done, or not done?`,
    ]);
    expect(resumed.events).toContainEqual(expect.objectContaining({ e: 'answered', answer, was: answer }));
  });

  test.each([
    ['done', 1],
    ['not done', 2],
  ] as const)('takes "%s" from the command line', async (was, times) => {
    const before = await cut();
    const options = told(before, was);
    expect((await hosts.run('resume', { past: before.recorded, options })).end).toBe('done');
    expect(paid()).toBe(times);
  });

  test('asks again until the answer is one of both', async () => {
    const before = await cut();
    const answers = ['', 'yes', 'Not Done '];
    const resumed = await hosts.run('resume', { past: before.recorded, answer: () => answers.shift() });
    expect([resumed.end, answers.length, paid()]).toEqual(['done', 0, 2]);
  });

  test('stops there without an answer, and the next one asks again', async () => {
    const before = await cut();
    const unanswered = await hosts.run('resume', { past: before.recorded, answer: () => undefined });
    expect(unanswered.end).toBe('failed');
    const resumed = await hosts.run('resume', { past: unanswered.recorded, answer: 'done' });
    expect([resumed.end, paid()]).toEqual(['done', 1]);
  });

  test('does not take the same word for what is cut again', async () => {
    const before = await cut();
    const options = told(before, 'not done');
    const again = await hosts.run('resume', { past: before.recorded, options, actor: silentOnce });
    expect([again.end, paid()]).toEqual(['failed', 2]);
  });
});

test('an apply asks at once where the answer of a host was lost', async () => {
  const { end } = await hosts.run('apply', { actor: silentOnce, answer: 'done' });
  expect([end, paid()]).toEqual(['done', 1]);
});

describe('the plan of such a resume', () => {
  const planned = async (more: Parameters<typeof hosts.run>[1], was?: 'done' | 'not done') => {
    const before = await cut();
    const options = was === undefined ? {} : told(before, was);
    const plan = await hosts.run('plan', { ...more, options, past: before.recorded });
    return plan.events.flatMap((e) =>
      e.e === 'undecided' || (e.e === 'settled' && e.name === 'pay')
        ? [e.e === 'undecided' ? ['undecided', e.because] : [e.as, e.reason]]
        : [],
    );
  };

  test('says at a terminal that it will be asked, and goes on to what comes after it', async () => {
    const answer = () => {
      throw new Error('a plan asks nothing');
    };
    expect(await planned({ answer })).toEqual([
      ['undecided', expect.stringMatching(/^asks whether it was done: sh -c /)],
    ]);
  });

  test('refuses without a terminal', async () => {
    expect(await planned({})).toEqual([['blocked', expect.stringContaining('not known whether this was done')]]);
  });

  test('takes the word of the command line', async () => {
    expect(await planned({}, 'done')).toEqual([['ok', expect.stringContaining('done in this run')]]);
  });
});
