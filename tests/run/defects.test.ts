import { existsSync } from 'node:fs';
import { afterEach, expect, test } from '@jest/globals';
import { modules } from '../../engine/cli/platforms.js';
import { LockLost } from '../../engine/journal/lock.js';
import type { Event } from '../../engine/terms/event.js';
import type { Actor, Reader } from '../../engine/terms/machine.js';
import type { AnyModule } from '../../engine/terms/module.js';
import { openJournal } from '../../engine/journal/journal.js';
import { assess } from '../../engine/run/assess.js';
import { createRun } from '../../engine/run/run.js';
import { bench, createTestClock, type Ran } from './bench-hosts.js';

/* What no code of ours expected: a file too large to be a text, JSON too deep for the stack, a mistake of a module. */

const PLAYBOOK = `
playbook: Test
plays:
  - play: Down
    hosts: all
    steps:
      - step: Open
        command: { argv: [touch, "@/open"], creates: "@/open", changes: ["@/open"], timeout: 10s }
        temporary:
          command: { argv: [rm, -f, "@/open"], unless: { argv: [test, "!", -e, "@/open"] }, changes: ["@/open"], repeatable: true, timeout: 10s }
      - step: Write
        file: { path: "@/written", state: file, content: x }
  - play: After
    hosts: all
    steps:
      - step: After
        file: { path: "@/after", state: file, content: x }
`;

let b: ReturnType<typeof bench>;
afterEach(() => b.end());

const thrown = new RangeError('Invalid string length');
const fail = (): never => {
  throw thrown;
};

/** The module of "Write", with one of its parts replaced. */
function broken(part: Partial<AnyModule>): ReadonlyMap<string, AnyModule> {
  const real = modules.get('file');
  if (real === undefined) throw new Error('no module file');
  const of = (args: unknown): AnyModule => (JSON.stringify(args).includes('/written') ? { ...real, ...part } : real);
  const file: AnyModule = {
    ...real,
    needs: (args, at) => of(args).needs(args, at),
    decide: (args, now, at, more) => of(args).decide(args, now, at, more),
    judge: (args, outcome, action) => of(args).judge?.(args, outcome, action) ?? { is: 'done' },
  };
  return new Map([...modules, ['file', file]]);
}

/** An actor that throws at "Write": before it acts, or after. */
const throwing =
  (when: 'before' | 'after', error: Error = thrown) =>
  (real: Actor): Actor => ({
    ...real,
    async perform(on, action, context) {
      const isIt = JSON.stringify(action).includes('/written');
      if (isIt && when === 'before') throw error;
      const outcome = await real.perform(on, action, context);
      if (isIt) throw error;
      return outcome;
    },
  });

const run = (more: Parameters<typeof b.run>[1], verb: 'apply' | 'plan' = 'apply'): Promise<Ran> => {
  b = bench(PLAYBOOK, ['a']);
  return b.run(verb, more);
};

/** Throws where this is asked. */
const unasked =
  (what: string) =>
  (real: Reader): Reader => ({
    ask: (needs, context) => {
      if (needs.some(({ key }) => key.includes(what))) throw thrown;
      return real.ask(needs, context);
    },
  });

/** Ends a run of "Open" and what is given, with a fact that cannot be asked without a throw. */
const runWithFact = (rest: string, verb: 'apply' | 'plan' = 'apply'): Promise<Ran> => {
  b = bench(PLAYBOOK.slice(0, PLAYBOOK.indexOf('      - step: Write')) + rest, ['a'], FACTS, NAMES);
  return b.run(verb, { reader: unasked('asked'), defects: [] });
};
const FACTS = '  one: { description: One, command: [echo, asked], type: string }\n';
const NAMES = '{ those: { all: ["{{fact.one}}"] } }';
const endOf = ({ events }: Ran) => events.findLast((e) => e.e === 'run-ended');
const settlementOf = ({ events }: Ran, name: string): Extract<Event, { e: 'settled' }> | undefined =>
  events.flatMap((e) => (e.e === 'settled' && e.name === name ? [e] : [])).at(-1);

test.each([
  ['needs', { modules: broken({ needs: fail }) }],
  ['decide', { modules: broken({ decide: fail }) }],
  ['perform, before the act', { actor: throwing('before') }],
  ['the record of the intent', { on: (e: Event) => (e.e === 'intent' && e.name === 'Write' ? fail() : undefined) }],
])('thrown in %s: the step fails, what is temporary is restored, and nothing comes after it', async (_, more) => {
  const defects: unknown[] = [];
  const ran = await run({ ...more, defects });
  expect(ran.end).toBe('failed');
  expect(settlementOf(ran, 'Write')).toMatchObject({
    as: 'failed',
    reason: expect.stringMatching(/^a defect of runbook: RangeError: Invalid string length/) as unknown,
  });
  expect(defects).toContain(thrown);
  expect([existsSync(b.path('open')), existsSync(b.path('written')), existsSync(b.path('after'))]).toEqual([
    false,
    false,
    false,
  ]);
});

test.each([
  ['perform, after the act', { actor: throwing('after') }],
  ['judge', { modules: broken({ judge: fail }) }],
  [
    'the record of the outcome',
    {
      on: (e: Event) => (e.e === 'effect' && e.task.step.endsWith('/Write') ? fail() : undefined),
    },
  ],
])('thrown in %s: the host is asked, it was done, and the run goes on with a warning', async (_, more) => {
  const defects: unknown[] = [];
  const ran = await run({ ...more, defects });
  expect([ran.end, settlementOf(ran, 'Write')?.as, existsSync(b.path('after'))]).toEqual(['done', 'done', true]);
  expect(ran.events).toContainEqual(
    expect.objectContaining({
      e: 'warned',
      text: 'a defect of runbook: RangeError: Invalid string length',
      hint: 'this is no fault of the host; its trace is in trace 1',
    }),
  );
  expect(defects).toEqual([thrown]);
});

test('what this machine refuses is no defect of the program', async () => {
  const refused = Object.assign(new Error("EACCES: permission denied, open '/x'"), { code: 'EACCES', syscall: 'open' });
  const ran = await run({ actor: throwing('before', refused), defects: [] });
  expect(settlementOf(ran, 'Write')?.reason).toBe(
    "on this machine: Error: EACCES: permission denied, open '/x'; this is no fault of the host; its trace is in trace 1",
  );
});

test('who lost the run records nothing more', async () => {
  const defects: unknown[] = [];
  await expect(run({ actor: throwing('before', new LockLost()), defects })).rejects.toThrow(LockLost);
  expect(defects).toEqual([]);
  expect(existsSync(b.path('open'))).toBe(true);
});

test('thrown while the list of a loop is read: its step fails, and what is temporary is restored', async () => {
  const ran = await runWithFact(`
      - step: Each
        loop: "{{those.all}}"
        file: { path: "@/written", state: file, content: x }
`);
  expect([ran.end, settlementOf(ran, 'Each')?.reason, existsSync(b.path('open'))]).toEqual([
    'failed',
    'a defect of runbook: RangeError: Invalid string length',
    false,
  ]);
});

test('thrown while the condition of a play is read: the play fails before it begins, and what is temporary is restored', async () => {
  const ran = await runWithFact(`
  - play: After
    hosts: all
    when: hosts.test.exists(h, h.fact.one == "x")
    steps:
      - step: After
        file: { path: "@/after", state: file, content: x }
`);
  expect([ran.end, endOf(ran), existsSync(b.path('open')), existsSync(b.path('after'))]).toEqual([
    'failed',
    expect.objectContaining({
      reason:
        'in "After": a defect of runbook: RangeError: Invalid string length; this is no fault of the host; its trace is in trace 1',
      untouched: ['After'],
      defect: true,
    }),
    false,
    false,
  ]);
});

test.each([
  ['a task', { modules: broken({ decide: fail }) }],
  ['the versions', { reader: () => ({ ask: fail }) }],
])(
  'thrown in a plan, while it judges %s: the plan ends, marked as one that could not judge something',
  async (_, more) => {
    const ran = await run({ ...more, defects: [] }, 'plan');
    expect([ran.end, endOf(ran)]).toEqual(['refused', expect.objectContaining({ defect: true })]);
  },
);

test('a diagnosis goes on past a check that cannot be judged', async () => {
  const ran = await run({ modules: broken({ decide: fail }), options: { diagnosing: true }, defects: [] }, 'plan');
  expect(ran.events).toContainEqual(expect.objectContaining({ e: 'undecided', name: 'Write' }));
  expect(ran.events).toContainEqual(expect.objectContaining({ e: 'found', name: 'After' }));
});

test('thrown while the back-out of a plan is assessed: the plan has it, as one that is not known', async () => {
  const checks = `{ ready: { description: Ready, that: 'hosts.test.exists(h, h.fact.one == "x")', message: No } }`;
  const names = '{ app: { package: app, service: app } }\ndowntime: [{ component: app, title: App }]';
  b = bench(PLAYBOOK, ['a'], FACTS, `${names}\nchecks: ${checks}`);
  const project = await b.project();
  const clock = createTestClock();
  const ports = { reader: unasked('')({ ask: fail }), clock, journal: openJournal({ nowMs: () => clock.nowMs() }) };
  const stage = { stage: 'All', do: 'Roll back', takesMs: 1, dataLoss: 'none', requires: ['ready'] };
  const run = createRun(project, modules, { ...ports, keepTrace: () => 'trace 1' }, { forks: 1 });
  const { backOut, components } = await assess(run, [stage]);
  expect(components).toEqual([{ name: 'app', package: 'app', unit: 'app', title: 'App' }]);
  expect(backOut).toEqual([
    {
      ...{ stage: 'All', do: 'Roll back', takesMs: 1, dataLoss: 'none' },
      because:
        'not known: a defect of runbook: RangeError: Invalid string length; this is no fault of the host; its trace is in trace 1',
    },
  ]);
});

test('thrown by whoever is shown how a task ended: it ended once, as it was recorded', async () => {
  const defects: unknown[] = [];
  let shown = 0;
  const ran = await run({
    defects,
    on: (e) => (e.e === 'settled' && e.name === 'Write' && (shown += 1) === 1 ? fail() : undefined),
  });
  const ends = ran.events.flatMap((e) => (e.e === 'settled' && e.name === 'Write' ? [e.as] : []));
  expect([ran.end, ends, existsSync(b.path('after')), defects]).toEqual(['done', ['done'], true, [thrown]]);
});
