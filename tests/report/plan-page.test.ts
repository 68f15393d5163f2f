import { describe, expect, test } from '@jest/globals';
import { packageState } from '../../engine/facts/package.js';
import { service } from '../../engine/facts/service.js';
import { planPage } from '../../engine/report/plan/plan-page.js';
import { summaryOf, type PlanContext } from '../../engine/report/plan/plan-summary.js';
import type { Assessment } from '../../engine/terms/assessment.js';
import type { Change } from '../../engine/terms/change.js';
import type { Event } from '../../engine/terms/event.js';
import { need } from '../../engine/terms/fact.js';
import type { StepTime } from '../../engine/terms/step-time.js';
import { change, ended, intent, on, play, record, started, would } from './story.js';

const TERMINAL = { color: false, width: 120 };
const MIN = 60_000;

const COMPONENTS: Assessment['components'] = [
  { name: 'web', package: 'web', unit: 'web', title: 'Web page', note: 'no sign-in' },
  { name: 'store', package: 'store', unit: 'store-unit', title: 'Store' },
];
const BACK_OUT: Assessment['backOut'] = [
  { stage: 'before the first store starts', do: 'runbook rollback', takesMs: 5 * MIN, dataLoss: 'none' },
  {
    stage: 'after that',
    do: 'restore',
    takesMs: 240 * MIN,
    dataLoss: 'all since then',
    because: 'no snapshot was seen',
    snapshot: null,
  },
];

const unit = (name: string, host: string, active: string): Change['predicts'] => [
  { ref: need({ host }, service, name), value: { active } },
];
const stop = (host: string, name: string): Event =>
  would(on(host, `up/Work/Stop ${name}`), change(`${name} stops`, { predicts: unit(name, host, 'inactive') }));
const start = (host: string, name: string, more: Partial<Change> = {}): Event =>
  would(on(host, `up/Work/Start ${name}`), change(`${name} starts`, { predicts: unit(name, host, 'active'), ...more }));
const becomes2 = (host: string, name: string): Change['predicts'] => [
  { ref: need({ host }, packageState, name), value: { installed: '2-1' } },
];
const install = (host: string, name: string): Event =>
  would(
    on(host, `up/Work/Upgrade ${name}`),
    change(`${name} 1 → 2`, {
      predicts: becomes2(host, name),
      marks: { before: need({ host }, packageState, name) },
    }),
  );
const from = (host: string, versions: Readonly<Record<string, string | null>>): Event => ({
  e: 'from',
  host,
  versions,
});
const chosen = (host: string): Event => ({ e: 'host-chosen', play: 'up/Work', host });

const unlock = (host: string, name: string): Event =>
  would(on(host, `up/Work/Unlock ${name}`), change(`${name} no longer held`, { predicts: becomes2(host, name) }));

const time = (minMs: number, more: Partial<StepTime> = {}): StepTime => ({
  ...{ minMs, maxMs: minMs, measured: false, waits: false },
  ...more,
});
const context = (times: Readonly<Record<string, StepTime>> = {}, assessment?: Partial<Assessment>): PlanContext => ({
  assessment: { components: COMPONENTS, backOut: [], ...assessment },
  times: new Map(Object.entries(times).map(([step, t]) => [`up/Work/${step}`, t])),
  forks: 50,
});
const pageOf = (events: readonly Event[], c = context(), terminal = TERMINAL): string =>
  planPage(summaryOf(record([started({ verb: 'plan' }), ...events, ended('done')]), c), terminal);

/** Two stores, one at a time, while the web page is stopped. */
const UPGRADE: readonly Event[] = [
  from('web-1', { web: '1-1', store: null }),
  from('store-1', { store: '1-1', web: null }),
  from('store-2', { store: '1-1', web: null }),
  play('up/First', ['web-1'], { within: ['Before'] }),
  would(on('web-1', 'up/First/Stop web'), change('web stops', { predicts: unit('web', 'web-1', 'inactive') })),
  play('up/Work', ['store-1', 'store-2'], { within: ['Stores'], serial: true, pointOfNoReturn: 'the format is new' }),
  ...['store-2', 'store-1'].flatMap((host) => [
    chosen(host),
    stop(host, 'store-unit'),
    install(host, 'store'),
    start(host, 'store-unit'),
  ]),
  play('up/Last', ['web-1'], { within: ['After'] }),
  would(on('web-1', 'up/Last/Start web'), change('web starts', { predicts: unit('web', 'web-1', 'active') })),
];
const TIMES = {
  'Stop store-unit': time(10_000),
  'Upgrade store': time(MIN, { maxMs: 3 * MIN, measured: true }),
  'Start store-unit': time(50_000),
};

test('a host that has the version already is not among those that get it, though its package is unlocked', () => {
  const page = pageOf([
    from('store-1', { store: '1-1' }),
    from('store-2', { store: '1-1' }),
    play('up/Work', ['store-1', 'store-2']),
    unlock('store-1', 'store'),
    install('store-2', 'store'),
    unlock('store-2', 'store'),
  ]);
  expect(page).toMatch(/^VERSIONS {2}store 1-1 → 2-1 on 1$/m);
});

test('the page of a plan: what is down how long, how to go back, versions, phases, totals', () => {
  // The time is that of the machine's own zone.
  const page = pageOf(UPGRADE, context(TIMES, { backOut: BACK_OUT })).replace(
    /\d{4}-\d\d-\d\d \d\d:\d\d [^\s,]+/,
    'DATE',
  );
  expect(page).toBe(
    `Upgrade · 1 → 4.14.7 · 5 hosts   READY
DRY RUN at DATE, nothing was changed · inventory.yaml · plan 7f3a9c2e
Estimate 4 min – 8 min, partly from defaults: earlier runs of this inventory did not measure every step
         the first service stops at once; about 8 min until the last one is back

DOWNTIME
  Web page  DOWN           web-1             4 min – 8 min  no sign-in
  Store     one at a time  store-2, store-1  2 min – 4 min each

BACK-OUT  (times: defaults of the playbook; after a stop, rollback --dry-run counts its steps)
  before the first store starts  runbook rollback  5 min  data loss: none
  after that                     restore           4 h  not promised  data loss: all since then
  not promised: no snapshot was seen
  point of no return in phase Stores, at once: the format is new

VERSIONS  store 1-1 → 2-1 on 2
PHASES    Before 1 step · Stores 6 (4 min – 8 min) · After 1

STEPS     8 will change · all of them: --detail`,
  );
});

describe('downtime', () => {
  const rowsOf = (events: readonly Event[]): string => {
    const page = pageOf([...UPGRADE.slice(0, 3), play('up/Work', ['store-1', 'store-2']), ...events], context(TIMES));
    return /DOWNTIME.*\n?([^]*?)\n\n/.exec(page)?.[0].trim() ?? '';
  };

  test('of all its hosts at once is DOWN', () => {
    const all = ['store-1', 'store-2'].flatMap((host) => [stop(host, 'store-unit'), start(host, 'store-unit')]);
    expect(rowsOf(all)).toContain('  Store  DOWN  store-1, store-2  about 1 min');
  });

  test('of a service that is restarted only', () => {
    expect(rowsOf([start('store-1', 'store-unit')])).toContain('  Store  restart  store-1  about 50 s');
  });

  test('is not there where a service that was down already is started', () => {
    expect(rowsOf([start('store-1', 'store-unit', { starts: true })])).toMatch(/^DOWNTIME {2}none\n/);
  });

  test('that the plan does not end is named', () => {
    expect(rowsOf([stop('store-1', 'store-unit'), install('store-1', 'store')])).toMatch(/STAYS DOWN on store-1$/);
  });

  test('counts what is waited for, where something changed before', () => {
    const waited: Event = {
      ...{ e: 'checked', task: on('store-1', 'up/Work/Answers'), name: 'Answers', verdict: 'ok', because: 'yes' },
    };
    const page = pageOf(
      [play('up/Work', ['store-1']), stop('store-1', 'store-unit'), waited],
      context({ ...TIMES, Answers: time(5 * MIN, { waits: true }) }),
    );
    expect(page).toContain('Estimate about 5 min');
    const idle = pageOf([play('up/Work', ['store-1']), waited], context({ Answers: time(5 * MIN, { waits: true }) }));
    expect(idle).toContain('NOTHING TO DO');
    expect(idle).not.toContain('Estimate');
  });
});

test('hosts of a play work side by side, as many as --forks', () => {
  const hosts = ['a', 'b', 'c'];
  const events = [play('up/Work', hosts), ...hosts.map((host) => install(host, 'store'))];
  const c = context({ 'Upgrade store': time(3 * MIN) });
  expect(pageOf(events, c)).toContain('Estimate about 3 min, from defaults');
  expect(pageOf(events, { ...c, forks: 2 })).toContain('Estimate about 6 min');
});

test('has at most 45 lines for 8,000 hosts, and at any width, and says how much it leaves out', () => {
  const hosts = Array.from({ length: 8000 }, (_, i) => `agent-${i}`);
  const events = [
    play('up/Work', hosts),
    ...hosts.flatMap((host, i): Event[] => [
      from(host, { store: `1-${i % 3}` }),
      install(host, 'store'),
      start(host, 'store-unit'),
      ...(i % 2 === 0
        ? [
            {
              e: 'warned' as const,
              task: on(host, 'up/Work/Upgrade store'),
              text: `disk ${i} is almost full: ${'x '.repeat(80)}`,
            },
          ]
        : [{ e: 'host-lost' as const, host, reason: 'no route', leftOut: true as const }]),
    ]),
  ];
  for (const width of [20, 80, 200]) {
    const lines = pageOf(events, context(TIMES, { backOut: BACK_OUT }), { color: false, width }).split('\n');
    expect(lines.length).toBeLessThanOrEqual(43);
    expect(lines.join('\n')).toMatch(/… and \d+ more \(--detail\)/);
    expect(lines.join('\n')).toMatch(width === 20 ? /restart +8000 hosts/ : /restart +agent-0, agent-1 and 7998 more/);
  }
});

test('a point of no return has its time on the clock of the maintenance window; a snapshot its date', () => {
  const snapshot = { name: 'nightly', state: 'SUCCESS', atMs: Date.parse('2026-11-21T02:01:00Z') };
  const [, after = BACK_OUT[0]] = BACK_OUT;
  const c = context(
    { 'Stop web': time(2 * MIN), ...TIMES },
    { backOut: after === undefined ? [] : [{ ...after, snapshot }] },
  );
  const atMs = record([started({ verb: 'plan' })])[0]?.atMs ?? 0;
  const span = { opensMs: atMs + 60 * MIN, closesMs: atMs + 300 * MIN };
  const s = summaryOf(record([started({ verb: 'plan' }), ...UPGRADE, ended('done')]), c);
  const later = s.pointsOfNoReturn.map((point) => ({ ...point, startsAfter: { minMs: 10 * MIN, maxMs: 12 * MIN } }));
  const bounds = { rollbackMs: 0, takesMs: 0, earliestMs: span.opensMs, latestStartMs: span.closesMs };
  const window = { zone: 'UTC', span, ...bounds, is: 'not yet' } as const;
  const page = planPage({ ...s, pointsOfNoReturn: later, window }, TERMINAL);
  expect(page).toContain(
    '  point of no return in phase Stores, after 10 min – 12 min (23:12 UTC, if started as the window opens): the format\n      is new\n',
  );
  expect(page).toMatch(/^ {2}snapshot: nightly SUCCESS 2026-11-21 \d\d:01 \S+; restored on trial: not by runbook$/m);
});

test('what refuses a plan is on its page, with what to do; nothing is promised', () => {
  const failed: Event = {
    ...{ e: 'checked', task: on('a', 'up/Work/Fits'), name: 'Fits', spec: '9.1', verdict: 'blocked' },
    ...{ because: 'it is too large', hint: 'make room' },
  };
  const page = planPage(
    summaryOf(record([started({ verb: 'plan' }), play('up/Work', ['a']), failed, ended('refused')]), context()),
    TERMINAL,
  );
  expect(page).toContain('REFUSED');
  expect(page).toContain('FAILED    1  a: Fits: it is too large (§9.1) → make room\n');
  expect(page).toContain('\nRefused: 1 check failed. Nothing was changed.');
  expect(page).not.toContain('DOWNTIME');
});

test.each([
  [
    'refused',
    'WILL STOP, 1 check failed',
    'If continued: the run does the steps before the failed check, stops there again, and stays open.',
  ],
  [
    'unreachable',
    'NOT COMPLETE',
    'If continued: the run waits where it needs a host that does not answer, stops there if it does not come back,',
  ],
] as const)('the rest of a run that is %s: what a yes does all the same', (as, state, consequence) => {
  const failed: Event =
    as === 'refused'
      ? {
          ...{ e: 'checked', task: on('a', 'up/Work/Fits'), name: 'Fits', verdict: 'blocked', because: 'too large' },
        }
      : { e: 'host-lost', host: 'a', reason: 'no route' };
  const events = record([started({ verb: 'resume' }), play('up/Work', ['a']), failed, ended(as)]);
  const page = planPage(summaryOf(events, { ...context(), rest: { run: 'r', past: [] } }), TERMINAL, { begins: true });
  expect(page).toContain(state);
  expect(page).toContain(`\n${consequence}`);
});

test.each([
  [
    'began a change: it is passed, as in the report',
    [intent(on('store-2', 'up/Work/Stop store'), change('stops'))],
    'PASSED in phase Stores',
  ],
  ['only looked: it is ahead', [], 'in phase Stores, at once'],
] as const)('the point of no return of the rest of a run whose play %s', (_what, acts, text) => {
  const begins = play('up/Work', ['store-1'], { within: ['Stores'], pointOfNoReturn: 'the format is new' });
  const page = pageOf([begins, stop('store-1', 'store')], {
    ...context(),
    rest: { run: 'r', past: record([begins, ...acts]) },
  });
  expect(page.match(/point of no return .*/g)).toEqual([`point of no return ${text}: the format is new`]);
});

test('on 80 columns no line is cut by the terminal', () => {
  const backOut = BACK_OUT.map((one, i) => ({ ...one, because: `${i}: ${'the packages are not there '.repeat(4)}` }));
  const lines = pageOf(UPGRADE, context(TIMES, { backOut }), { ...TERMINAL, width: 80 }).split('\n');
  expect(lines.filter((line) => line.length > 80)).toEqual([]);
});

test('leaves the notes on downtimes out where the page would be too long, and has them with the detail', () => {
  const names = Array.from({ length: 12 }, (_, i) => `store-${i}`);
  const note = 'the others answer; '.repeat(9).trim();
  const components = names.map((name) => ({ name, package: name, unit: name, title: `Store ${name}`, note }));
  const events = [play('up/Work', ['a']), ...names.map((name) => stop('a', name))];
  const summary = summaryOf(record([started({ verb: 'plan' }), ...events, ended('done')]), context({}, { components }));
  const [page, whole] = [planPage(summary, TERMINAL), planPage(summary, TERMINAL, { whole: true })];
  expect([page.split('\n').length <= 43, page.includes('the others answer')]).toEqual([true, false]);
  expect(whole.match(/the others answer/g)?.length).toBeGreaterThan(12);
  expect(page).toMatch(/^ {2}Store store-11 +one at a time +a /m);
});

test('with the detail every warning is on the page', () => {
  const hosts = Array.from({ length: 40 }, (_, i) => `a-${i}`);
  const warned = hosts.flatMap((host): readonly Event[] => [
    stop(host, 'store'),
    { e: 'warned', task: on(host, 'up/Work/Stop store'), text: `${host}'s disk is full` },
  ]);
  const events = record([started({ verb: 'plan' }), play('up/Work', hosts), ...warned, ended('done')]);
  const summary = summaryOf(events, context());
  expect(planPage(summary, TERMINAL)).toMatch(/… and \d+ more \(--detail\)/);
  expect(planPage(summary, TERMINAL, { whole: true }).match(/is full/g)).toHaveLength(40);
});

test('a question that is asked once names no host', () => {
  const asks = change('Are you sure?', { sign: '?', actions: [{ do: 'ask', question: 'Are you sure?' }] });
  const ask = { ...would(on('a', 'up/Work/Sure'), asks), once: true } as Event;
  expect(pageOf([play('up/Work', ['a']), ask])).toContain('DECIDE    1  Are you sure? → the run asks in phase Work\n');
});

test('a question that the run will ask is a decision', () => {
  const ask: Event = would(
    on('a', 'up/Work/Sure'),
    change('Are you sure?', { sign: '?', actions: [{ do: 'ask', question: 'Are you sure?' }] }),
  );
  const page = pageOf([play('up/Work', ['a']), ask]);
  expect(page).toContain('1 decision OPEN, else ready');
  expect(page).toContain('DECIDE    1  a: Are you sure? → the run asks in phase Work\n');
});

test('a warning with something to do is a decision before the run; another one is a warning', () => {
  const warned = { e: 'warned', task: on('a', 'up/Work/Upgrade store') } as const;
  const page = pageOf([
    play('up/Work', ['a']),
    install('a', 'store'),
    { ...warned, text: 'orders has one copy', hint: 'add a replica' },
    { ...warned, text: 'writers go on' },
  ]);
  expect(page).toContain('1 decision OPEN, else ready, 1 warning\n');
  expect(page).toContain(`DECIDE    1  a: orders has one copy → before apply: add a replica
WARNINGS  1  a: writers go on`);
});

test('text of a host cannot write a line of its own, nor steer the terminal', () => {
  const warned: Event = { e: 'warned', task: on('a', 'up/Work/Upgrade store'), text: 'evil\nREADY\u001b[2J\u202e' };
  const page = pageOf([play('up/Work', ['a']), install('a', 'store'), warned]);
  expect(page).not.toMatch(/^READY/m);
  expect(page).toContain('evil ⏎ READY\\x1b[2J\\u202e');
});

test('what an endpoint upgrades, item by item, is on the page under the title of its component', () => {
  const ref = { of: { endpoint: 'api' }, fact: 'sensors', key: '' };
  const asked = change('1190 sensors → 4.14.7 in 3 batches (5, 200, 985)', { predicts: [{ ref, value: null }] });
  const events = [play('up/Work', ['a']), would(on('a', 'up/Work/Sensors'), asked)];
  const items = { name: 'sensor', title: 'Sensors', items: 'sensors' };
  const page = pageOf(events, context({}, { components: [...COMPONENTS, items] }));
  expect(page).toContain('\nSENSORS   1190 sensors → 4.14.7 in 3 batches (5, 200, 985)\n');
  expect(pageOf(events)).not.toContain('1190 sensors');
});

test('a component with releases of its own does not say from which release the plan leads', () => {
  const c = context();
  const summary = (more: object) =>
    summaryOf(record([started(more), from('a', { web: '1-1', store: '7.10.2-1' }), ended('done')]), c).from;
  expect([summary({ ownReleases: ['store'] }), summary({})]).toEqual([['1'], ['1', '7.10.2']]);
});
