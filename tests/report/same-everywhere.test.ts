import { expect, test } from '@jest/globals';
import { exitOf, exitOfPlan } from '../../engine/cli/options/exit.js';
import { service } from '../../engine/facts/service.js';
import { parseWindow } from '../../engine/lib/window.js';
import type { Document, Section } from '../../engine/report/document/document.js';
import { planDocument } from '../../engine/report/document/plan-document.js';
import { render } from '../../engine/report/document/render.js';
import { runDocument } from '../../engine/report/document/run-document.js';
import { endView } from '../../engine/report/end/end-view.js';
import { planPage } from '../../engine/report/plan/plan-page.js';
import { summaryOf } from '../../engine/report/plan/plan-summary.js';
import { planView } from '../../engine/report/plan/plan-view.js';
import type { Assessment } from '../../engine/terms/assessment.js';
import type { Event, Recorded } from '../../engine/terms/event.js';
import { need } from '../../engine/terms/fact.js';
import type { StateNow } from '../../engine/terms/state-now.js';
import { change, ended, intent, on, play, record, settled, started, would } from './story.js';

/*
 * Each situation is reported by the terminal and by the documents in Markdown, HTML and JSON. What they must say is computed here, from the
 * events and the times that they were given, without the functions that sum up: a number that one of them drops or alters is noticed.
 */

const MIN = 60_000;
const TERMINAL = { color: false, width: 240 };
const HOUR_22 = Date.UTC(2026, 10, 21, 22);
const BACK_OUT: Assessment['backOut'] = [
  { stage: 'before that', do: 'runbook rollback', command: 'rollback', takesMs: 7 * MIN, dataLoss: 'none' },
  { stage: 'after that', do: 'restore', takesMs: 240 * MIN, dataLoss: 'all', because: 'no snapshot was seen' },
];
type BackOut = Assessment['backOut'][number];
const WEB: Assessment['components'] = [{ name: 'web', package: 'web', unit: 'web', title: 'Web page' }];

/** Text of any format, without its marks: what a reader sees. */
const plain = (text: string): string =>
  text
    .replace(/<(style|svg)[^]*?<\/\1>/g, ' ')
    .replace(/<[^>]*>/g, ' ')
    .replaceAll('&gt;', '>')
    .replaceAll('&lt;', '<')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&')
    .replace(/[*`\\]/g, '')
    .replace(/\s+/g, ' ');

const sectionOf = <I extends Section['is']>(document: Document, is: I): Extract<Section, { is: I }> =>
  document.sections.find((one) => one.is === is) as Extract<Section, { is: I }>;

const count = (events: readonly Event[], fits: (event: Event) => boolean): number => events.filter(fits).length;
const verdicts = (events: readonly Event[], verdict: string): number =>
  count(events, (e) => e.e === 'checked' && e.verdict === verdict);

const steps = (n: number, verdict: 'change' | 'ok' | 'waiting' | 'blocked', host = 'web-1'): readonly Event[] =>
  Array.from({ length: n }, (_, i): Event => {
    const task = on(host, `up/Work/${verdict} ${i}`);
    const what = change(`${verdict} ${i}`);
    if (verdict === 'change') return would(task, what);
    return { e: 'checked', task, name: `${verdict} ${i}`, verdict, because: `reason ${i}` };
  });
const undecided = (n: number): readonly Event[] =>
  Array.from({ length: n }, (_, i): Event => {
    const task = on('web-1', `up/Work/later ${i}`);
    return { e: 'undecided', task, name: `later ${i}`, because: 'see later', dependsOn: [], touches: [] };
  });
const unread = (n: number, end: 'stops' | 'continues'): readonly Event[] =>
  Array.from({ length: n }, (_, i): Event => {
    const task = on('web-1', `up/Work/Unread ${i}`);
    const text = { because: 'it does not answer', dependsOn: [], touches: [] };
    return { e: 'undecided', task, name: `Unread ${i}`, ...text, unread: end };
  });
/** Known after apply. */
const isLater = (e: Event): boolean => e.e === 'undecided' && e.unread === undefined;
const warned = (n: number, hint?: string): readonly Event[] =>
  Array.from({ length: n }, (_, i): Event => {
    const task = on('web-1', `up/Work/change 0`);
    return { e: 'warned', task, text: `${hint === undefined ? 'warning' : 'decision'} ${i}`, ...(hint && { hint }) };
  });
const temporary = (n: number): readonly Event[] =>
  Array.from({ length: n }, (_, i): Event => {
    const task = on('web-1', `up/Work/change ${i}`);
    const wanted = { module: 'service', on: { host: 'web-1' }, args: {} };
    return { e: 'temporary-made', task, name: `temporary ${i}`, restoredBy: wanted, restoring: 'once' as never };
  });
const lost = (host: string, leftOut: boolean): Event => ({
  ...{ e: 'host-lost', host, reason: 'does not answer' },
  ...(leftOut && { leftOut: true }),
});
const unit = (active: string) => [{ ref: need({ host: 'web-1' }, service, 'web'), value: { active } }];
/** Down for so many steps between. */
const down = (between: number): readonly Event[] => [
  would(on('web-1', 'up/Work/stop'), change('web stops', { predicts: unit('inactive') })),
  ...steps(between, 'change'),
  would(on('web-1', 'up/Work/start'), change('web starts', { predicts: unit('active'), starts: true })),
];

interface Situation {
  readonly events: readonly Event[];
  readonly end?: Event;
  /** OPENS/CLOSES on the day of the plan, which is made at 22:00 UTC. */
  readonly window?: string;
  readonly goesOutside?: true;
  readonly isRest?: true;
  /** The plan of a rollback: the back-out that the stopped upgrade has reached, and what must be said of its data loss. */
  readonly takesBack?: { readonly backOut: Assessment['backOut'][number]; readonly loses: string };
  readonly state: readonly [code: string, text: string, exit: number];
}

const READY = ['ready', 'READY', 0] as const;
const w = (opens: string, closes: string): string => `2026-11-21 ${opens}/2026-11-22 ${closes}`;
const unreachable = (throughout: boolean): Event =>
  ended('unreachable', { reason: 'web-9 could not be reached', ...(throughout && { throughout: true }) });

/** Each step that changes something takes a minute. */
const PLANS: Readonly<Record<string, Situation>> = {
  'one change': { events: steps(1, 'change'), state: READY },
  'many changes': { events: [...steps(12, 'change'), ...steps(5, 'ok')], state: READY },
  'known after apply': { events: [...steps(2, 'change'), ...undecided(3)], state: READY },
  'only known after apply': { events: undecided(4), state: READY },
  'to wait for': { events: [...steps(2, 'change'), ...steps(3, 'waiting')], state: READY },
  'temporary changes': { events: [...steps(6, 'change'), ...temporary(4)], state: READY },
  'a service down': { events: down(3), state: READY },
  'a service down long': { events: [...down(9), ...steps(2, 'ok')], state: READY },
  'one warning': { events: [...steps(2, 'change'), ...warned(1)], state: ['ready', 'READY, 1 warning', 0] },
  warnings: { events: [...steps(2, 'change'), ...warned(3)], state: ['ready', 'READY, 3 warnings', 0] },
  'a decision': {
    events: [...steps(2, 'change'), ...warned(1, 'do this')],
    state: ['decisions', '1 decision OPEN, else ready', 0],
  },
  'decisions and warnings': {
    events: [...steps(2, 'change'), ...warned(2), ...warned(3, 'do this')],
    state: ['decisions', '3 decisions OPEN, else ready, 2 warnings', 0],
  },
  nothing: { events: steps(3, 'ok'), state: ['nothing', 'NOTHING TO DO', 0] },
  'nothing but a host left out': {
    events: [lost('web-9', true), ...steps(2, 'ok')],
    end: unreachable(true),
    state: ['left-out', '1 host LEFT OUT, nothing to do on the others', 4],
  },
  'two hosts left out': {
    events: [lost('web-8', true), lost('web-9', true), ...steps(2, 'change')],
    end: unreachable(true),
    state: ['ready', 'READY without 2 hosts', 4],
  },
  incomplete: {
    events: [...steps(2, 'change'), lost('web-9', false)],
    end: unreachable(false),
    state: ['incomplete', 'NOT COMPLETE', 4],
  },
  'a step that cannot be read': {
    events: [...steps(2, 'change'), ...unread(1, 'stops')],
    end: ended('unreachable', { reason: '"Unread 1" cannot be read' }),
    state: ['incomplete', 'NOT COMPLETE', 4],
  },
  'a step that cannot be read where the run goes on without its host': {
    events: [...steps(2, 'change'), ...unread(1, 'continues')],
    state: ['ready', 'READY', 4],
  },
  'rest with a step that cannot be read': {
    events: [...steps(2, 'change'), ...unread(2, 'stops')],
    ...{ end: ended('unreachable', { reason: '"Unread 1" cannot be read' }), isRest: true },
    state: ['incomplete', 'NOT COMPLETE', 4],
  },
  refused: {
    events: [...steps(2, 'change'), ...steps(1, 'blocked')],
    end: ended('refused'),
    state: ['refused', 'REFUSED', 3],
  },
  'refused by three checks': {
    events: [...steps(2, 'change'), ...steps(3, 'blocked')],
    end: ended('refused'),
    state: ['refused', 'REFUSED', 3],
  },
  interrupted: { events: steps(2, 'change'), end: ended('interrupted'), state: ['interrupted', 'INTERRUPTED', 130] },
  'rest of a run': { events: steps(3, 'change'), isRest: true, state: READY },
  'rest that stops again': {
    events: [...steps(3, 'change'), ...steps(2, 'blocked')],
    ...{ end: ended('failed'), isRest: true },
    state: ['will-stop', 'WILL STOP, 2 checks failed', 3],
  },
  'rest that is incomplete': {
    events: [...steps(3, 'change'), lost('web-9', false)],
    ...{ end: unreachable(false), isRest: true },
    state: ['incomplete', 'NOT COMPLETE', 4],
  },
  'a rollback': {
    ...{ events: down(5), takesBack: { backOut: BACK_OUT[0] as BackOut, loses: 'none' } },
    state: READY,
  },
  'a rollback that loses data': {
    events: [...down(2), ...undecided(1)],
    takesBack: { backOut: { ...(BACK_OUT[0] as BackOut), dataLoss: 'what came since' }, loses: 'what came since' },
    state: READY,
  },
  'a rollback that nothing promises': {
    events: [...down(2), ...warned(1, 'do this')],
    takesBack: { backOut: BACK_OUT[1] as BackOut, loses: 'not known: the playbook promises no rollback from here' },
    state: ['decisions', '1 decision OPEN, else ready', 0],
  },
  'a rollback in a window too short': {
    ...{ events: down(18), window: w('23:50', '00:10') },
    takesBack: { backOut: BACK_OUT[0] as BackOut, loses: 'none' },
    state: ['not-ready', 'NOT READY, the window is too short', 5],
  },
  'a rollback that is refused': {
    ...{ events: [...steps(2, 'change'), ...steps(2, 'blocked')], end: ended('refused') },
    takesBack: { backOut: BACK_OUT[0] as BackOut, loses: 'none' },
    state: ['refused', 'REFUSED', 3],
  },
  'window open': { events: down(3), window: w('21:00', '02:00'), state: READY },
  'window later': {
    ...{ events: down(3), window: w('23:00', '02:00') },
    state: ['ready', 'READY from Sat 2026-11-21 23:00 UTC on', 0],
  },
  'window too short': {
    ...{ events: down(18), window: w('23:50', '00:10') },
    state: ['not-ready', 'NOT READY, the window is too short', 5],
  },
  'window too late': {
    ...{ events: [...down(8), ...steps(1, 'ok')], window: '2026-11-21 20:00/2026-11-21 22:10' },
    state: ['not-ready', 'NOT READY, the latest start has passed', 5],
  },
  'window over': {
    ...{ events: down(3), window: '2026-11-21 20:00/2026-11-21 21:00' },
    state: ['not-ready', 'NOT READY, the window is over', 5],
  },
  'window over, with decisions': {
    ...{ events: [...down(3), ...warned(2, 'do this')], window: '2026-11-21 20:00/2026-11-21 21:00' },
    state: ['not-ready', 'NOT READY, the window is over', 5],
  },
  'outside the window on purpose': {
    ...{ events: down(3), window: '2026-11-21 20:00/2026-11-21 21:00', goesOutside: true },
    state: ['ready', 'READY outside its window (the window is over)', 0],
  },
  'window that binds nothing': {
    ...{ events: steps(3, 'change'), window: '2026-11-21 20:00/2026-11-21 21:00' },
    state: READY,
  },
};

test.each(Object.entries(PLANS))('a plan, %s: each format says the same', (_, situation) => {
  const { events: told, end = ended('done'), window: written, isRest, takesBack, state } = situation;
  const [code, text, exit] = state;
  const hosts = ['web-1', 'web-2'];
  const from: Event = { e: 'from', host: 'web-1', versions: { web: '1-1' } };
  const begin = started({ verb: isRest ? 'resume' : 'plan', hosts: hosts.length });
  const events = record([begin, from, play('up/Work', hosts), ...told, end]);
  const names = told.flatMap((e) => ('task' in e && e.e !== 'warned' ? [e.task.step] : []));
  const [opens = '', closes = ''] = (written ?? '').split('/');
  const parsed = written === undefined ? undefined : parseWindow({ opens, closes, zone: 'UTC' });
  if (parsed !== undefined && !('is' in parsed)) throw new Error(parsed.message);
  const summary = summaryOf(events, {
    assessment: { components: WEB, backOut: BACK_OUT },
    times: new Map(names.map((step) => [step, { minMs: MIN, maxMs: MIN, measured: false, waits: false }])),
    forks: 50,
    ...(parsed && { within: { window: parsed, rollbackMs: 7 * MIN } }),
    ...(situation.goesOutside && { goesOutside: true }),
    ...(isRest && { rest: { run: 'r1', past: [] } }),
    ...(takesBack && { takesBack: { past: [], backOut: takesBack.backOut } }),
  });
  const document = planDocument(events, summary);
  const raw = {
    terminal: planPage(summary, TERMINAL, { whole: true }),
    md: render(JSON.parse(JSON.stringify(document)) as Document, 'md'),
    html: render(document, 'html'),
  };
  const texts = Object.values(raw).map(plain);
  const json = sectionOf(document, 'summary');

  // What they must say, from the events.
  const isChange = (e: Event): boolean => (e.e === 'checked' && e.verdict === 'change') || isLater(e);
  const whole = ['ready', 'decisions', 'not-ready'].includes(code);
  const changed = verdicts(told, 'change');
  const minutes = count(told, (e) => isChange(e) || (e.e === 'checked' && e.verdict === 'waiting'));
  const sums: readonly (readonly [number, string])[] = [
    [count(told, isLater), 'known after apply'],
    [verdicts(told, 'waiting'), 'to wait for'],
    [verdicts(told, 'ok'), 'unchanged'],
    [verdicts(told, 'blocked'), 'failed'],
  ];
  const [stopped, startedAgain] = ['stop', 'start'].map((name) =>
    told.filter(isChange).findIndex((e) => 'task' in e && e.e !== 'warned' && e.task.step === `up/Work/${name}`),
  ) as [number, number];
  expect(raw.terminal.split('\n')[0]?.split('   ')[1]).toBe(text);
  expect(/^# .* · (.*)$/m.exec(raw.md)?.[1]).toBe(text);
  expect(raw.html).toContain(`>${text}<`);
  const mustSay = [
    `${changed} will change`,
    ...sums.flatMap(([n, what]) => (n === 0 ? [] : [`${n} ${what}`])),
    ...told.flatMap((e) => (e.e === 'warned' ? [e.text] : e.e === 'host-lost' ? [e.reason] : [])),
    ...told.flatMap((e) =>
      e.e === 'undecided' && e.unread !== undefined ? [`${e.name}: cannot be read: ${e.because}`] : [],
    ),
    ...(takesBack && whole ? [takesBack.loses] : []),
    ...(whole ? [minutes === 1 ? 'about 1 min' : `about ${minutes} min`, '7 min', '4 h', 'no snapshot was seen'] : []),
    ...(stopped < 0 ? [] : [`${startedAgain - stopped + 1} min until the last one is back`]),
  ];
  for (const said of texts) for (const must of mustSay) expect(said).toContain(must);
  expect(exitOfPlan(summary.state)).toBe(exit);
  expect(document).toMatchObject({ state: code, plan: { is: code } });
  expect(json.counts).toMatchObject({
    changed,
    undecided: sums[0]?.[0],
    waiting: sums[1]?.[0],
    unchanged: sums[2]?.[0],
  });
  expect(json.hosts).toBe(hosts.length);
  expect(sectionOf(document, 'warnings').warnings).toHaveLength(count(told, (e) => e.e === 'warned' && !e.hint));
  expect(sectionOf(document, 'decisions').decisions).toHaveLength(
    count(told, (e) => e.e === 'warned' && e.hint !== undefined),
  );
  const made = count(told, (e) => e.e === 'temporary-made');
  expect(json.temporary).toBe(made);
  if (made > 0)
    for (const said of texts) expect(said).toMatch(new RegExp(`${made} temporary changes|${made}, counted`));
  expect(json.estimate?.maxMs).toBe(whole ? minutes * MIN : undefined);

  if (whole) {
    expect(sectionOf(document, 'phases').phases).toEqual([
      { name: 'Work', changes: count(told, isChange), takes: { minMs: minutes * MIN, maxMs: minutes * MIN } },
    ]);
    expect(sectionOf(document, 'back-out').stages.map(({ takesMs }) => takesMs)).toEqual([7 * MIN, 240 * MIN]);
  }
  const isBound = written !== undefined && stopped >= 0;
  expect(json.window === undefined).toBe(!isBound);
  for (const said of texts) expect(said.includes('Window')).toBe(isBound);
  if (!isBound) return;
  const [opensMs, closesMs] = [opens, closes].map((at) => Date.parse(`${at.replace(' ', 'T')}Z`)) as [number, number];
  const latestMs = closesMs - (minutes + 7) * MIN;
  const isShort = latestMs < opensMs && closesMs > HOUR_22;
  const lacks = (Math.max(HOUR_22, opensMs) - latestMs) / MIN;
  const latest = isShort
    ? `TOO SHORT by ${lacks} min`
    : `latest start ${new Date(latestMs).toISOString().slice(11, 16)} UTC`;
  for (const said of texts) expect(said).toContain(latest);
  expect(json.window).toMatchObject({ span: { opensMs, closesMs }, latestStartMs: latestMs, rollbackMs: 7 * MIN });
  for (const said of texts) expect(said.includes('HAS PASSED')).toBe(!isShort && latestMs < HOUR_22);
});

const done = (n: number, host = 'web-1'): readonly Event[] =>
  Array.from({ length: n }, (_, i) => on(host, `up/Work/change ${i}`)).flatMap((task) => [
    intent(task, change('x')),
    settled(task, 'done'),
  ]);
const failed = (n: number): readonly Event[] =>
  Array.from({ length: n }, (_, i) => on('web-1', `up/Work/broken ${i}`)).flatMap((task) => [
    intent(task, change('x')),
    settled(task, 'failed', { reason: `it broke ${task.step}`, hint: 'repair it' }),
  ]);

interface RunSituation {
  readonly events: readonly Event[];
  readonly end?: Extract<Event, { e: 'run-ended' }>;
  readonly isRunning?: true;
  readonly state: readonly [code: string, inDocument: string, onTerminal: string, exit: number];
}

const end = (...args: Parameters<typeof ended>) => ended(...args) as Extract<Event, { e: 'run-ended' }>;
const RUNS: Readonly<Record<string, RunSituation>> = {
  done: { events: done(3), end: end('done'), state: ['done', 'DONE', 'done in', 0] },
  'done with much': { events: done(11), end: end('done'), state: ['done', 'DONE', 'done in', 0] },
  failed: {
    ...{ events: [...done(2), ...failed(1)], end: end('failed', { reason: 'web-1 failed in "Work"' }) },
    state: ['failed', 'FAILED', 'Stopped: web-1 failed in "Work".', 1],
  },
  'failed in three steps': {
    ...{ events: [...done(4), ...failed(3)], end: end('failed', { reason: 'web-1 failed in "Work"' }) },
    state: ['failed', 'FAILED', 'Stopped: web-1 failed in "Work".', 1],
  },
  unreachable: {
    ...{
      events: [...done(2), lost('web-2', false)],
      end: end('unreachable', { reason: 'web-2 could not be reached' }),
    },
    state: ['unreachable', 'STOPPED, HOST UNREACHABLE', 'Stopped: web-2 could not be reached.', 4],
  },
  partial: {
    events: [...done(5), lost('web-2', true)],
    end: end('unreachable', { reason: 'web-2 could not be reached', throughout: true }),
    state: ['partial', 'COMPLETED WITH FAILURES', 'Completed with failures (unreachable: 1)', 4],
  },
  'interrupted by the operator': {
    ...{ events: done(2), end: end('interrupted', { reason: 'in "Work"', stop: { by: 'operator' } }) },
    state: ['interrupted', 'INTERRUPTED', 'Interrupted: in "Work".', 130],
  },
  'interrupted by its window': {
    events: done(6),
    end: end('interrupted', { stop: { by: 'window', closesMs: HOUR_22 + 90 * MIN, zone: 'UTC' } }),
    state: ['interrupted', 'INTERRUPTED', 'The maintenance window closed at 23:30 UTC.', 130],
  },
  closed: { events: done(2), end: end('closed'), state: ['closed', 'CLOSED', 'Run closed.', 0] },
  cut: { events: done(2), state: ['cut', 'INTERRUPTED', 'Run interrupted', 130] },
  running: { events: done(2), isRunning: true, state: ['running', 'RUNNING', 'Run in progress', 130] },
};
const NOW: StateNow = {
  ...{ components: [], away: ['web-7'], status: 'cluster yellow, 7 shards', wait: ['can wait, all is there'] },
  outlook: {
    left: { minMs: 9 * MIN, maxMs: 9 * MIN, counted: true },
    backOut: { stage: 's', do: 'runbook rollback', command: 'rollback', takesMs: 6 * MIN, dataLoss: 'none' },
    window: { closesMs: HOUR_22 + 120 * MIN, zone: 'UTC', nowMs: HOUR_22, rollbackMs: 10 * MIN },
  },
};

test.each(Object.entries(RUNS))('a run, %s: each format says the same', (_, situation) => {
  const { events: told, end: last, isRunning = false, state } = situation;
  const [code, inDocument, onTerminal, exit] = state;
  const events: readonly Recorded[] = record([
    ...[started({ hosts: 2 }), play('up/Work', ['web-1', 'web-2']), ...told],
    ...(last === undefined ? [] : [last]),
  ]);
  const ways = { where: ' -i lab.yaml', backTo: ['4.12.0'] };
  const isAsked = last !== undefined && !['done', 'closed'].includes(last.as);
  const now = isAsked ? { now: NOW } : {};
  const document = runDocument(events, { run: 'r1', isRunning, ways, ...now });
  const options = { ...TERMINAL, diff: false, verbose: false, past: true, short: true, ways, ...now };
  const terminal = plain(
    [planView(events, options), endView(events, { ...options, ...(isRunning && { inUse: { by: 'a process' } }) })].join(
      '\n',
    ),
  );
  const documents = [render(document, 'md'), render(document, 'html')].map(plain);
  const json = sectionOf(document, 'summary');

  const changed = count(told, (e) => e.e === 'settled' && e.as === 'done');
  const broken = told.flatMap((e) => (e.e === 'settled' && e.as === 'failed' ? [e] : []));
  expect(terminal).toContain(onTerminal);
  for (const said of documents) expect(said).toContain(`Report: Upgrade · ${inDocument}`.split(' · ')[1]);
  expect(document.state).toBe(code);
  if (last !== undefined) expect(exitOf(last.as)).toBe(exit);
  expect(json.counts).toMatchObject({ changed, failed: broken.length });
  for (const said of [terminal, ...documents]) {
    expect(said).toContain(`${changed} changed`);
    if (broken.length > 0) expect(said).toContain(`${broken.length} failed`);
    for (const { name, reason = '' } of broken)
      for (const text of [name, reason, 'repair it']) expect(said).toContain(text);
  }
  if (broken.length > 0)
    expect(sectionOf(document, 'failures').first).toMatchObject({ name: broken[0]?.name, others: broken.length - 1 });

  // STATUS, WAIT, WINDOW and NEXT.
  const commands = sectionOf(document, 'next').commands.map(({ command }) => command);
  if (isRunning) expect(commands).toEqual(['attach', 'stop']);
  else expect(commands).toEqual(code === 'done' || code === 'closed' ? [] : ['resume', 'rollback', 'close']);
  for (const command of commands)
    for (const said of [terminal, ...documents]) expect(said).toContain(`runbook ${command} -i lab.yaml`);
  expect(document.sections.some(({ is }) => is === 'state')).toBe(isAsked);
  if (!isAsked) return;
  for (const said of [terminal, ...documents]) {
    for (const text of ['cluster yellow, 7 shards', 'can wait, all is there', 'web-7']) expect(said).toContain(text);
    // The window closes at 00:00: 9 min for the rest and 10 for a rollback after it; 6 min for a rollback from here.
    expect(said).toContain('latest start: resume + rollback (10 min) 23:41 UTC; rollback 23:54 UTC');
    for (const text of ['about 9 min; no data loss', '6 min default; data loss: none']) expect(said).toContain(text);
  }
  expect(sectionOf(document, 'state')).toMatchObject({ status: NOW.status, wait: NOW.wait, away: NOW.away });
});
