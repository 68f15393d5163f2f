import { describe, expect, test } from '@jest/globals';
import { createProgress, type LiveOptions } from '../../engine/report/live/live.js';
import type { Event } from '../../engine/terms/event.js';
import { change, ended, intent, on, play, record, settled, started } from './story.js';
import { Terminal } from './terminal.js';

const OPTIONS: Omit<LiveOptions, 'nowMs'> = { verbosity: 0, diff: false, stepsOf: () => 4, lines: true };

/** Shows events on a terminal, in order; `tick` redraws as time does. */
function watch(columns = 100, rows = 24, options: Partial<LiveOptions> = {}) {
  let terminal = new Terminal(columns, rows);
  let nowMs = 0;
  let writes = 0;
  let redraw = (): void => undefined;
  const size = () => ({ columns: terminal.columns, rows });
  const every = (_ms: number, call: () => void) => ((redraw = call), () => (redraw = () => undefined));
  const write = (text: string): void => {
    writes += 1;
    terminal.write(text);
  };
  const screen = { write, size, every };
  const progress = createProgress(
    screen,
    { color: true, width: columns },
    { ...OPTIONS, nowMs: () => nowMs, ...options },
  );
  return {
    terminal,
    progress,
    writes: () => writes,
    /** The terminal becomes so narrow, and wraps what it shows. */
    narrow: (to: number) => {
      const shown = terminal.text();
      terminal = new Terminal(to, rows);
      terminal.write(`${shown}\n`);
    },
    show: (events: readonly Event[]) => {
      for (const recorded of record(events)) {
        nowMs = recorded.atMs;
        progress.on(recorded);
      }
      redraw();
      return terminal.text().split('\n');
    },
    tick: (ms: number) => {
      nowMs += ms;
      redraw();
      return terminal.text().split('\n');
    },
  };
}

const STEP = on('indexer-2', 'up/Nodes/Start the node');
const WAIT: Event = {
  e: 'waiting',
  task: STEP,
  for: 'indexer-2 not yet in the node list',
  forMs: 12_000,
  limitMs: 60_000,
};
const BEGUN: readonly Event[] = [
  started(),
  play('up/Nodes', ['indexer-2', 'indexer-1'], { within: ['Indexer'], serial: true, spec: '9.4' }),
  { e: 'host-chosen', play: 'up/Nodes', host: 'indexer-2' },
  settled(on('indexer-2', 'up/Nodes/Look'), 'ok'),
];

describe('on a terminal', () => {
  test('the host at work has a line: a bar, the steps settled, the time gone, its step, then what it waits for', () => {
    const { show, tick } = watch();
    const lines = ['Indexer / Nodes  §9.4', '  ~ indexer-2  Start the node: node starts'];
    expect(show([...BEGUN, intent(STEP, change('node starts'))])).toEqual([
      ...lines,
      ' indexer-2 ▕███         ▏  1/4    0 s  Start the node',
      ' Indexer / Nodes · 1 done · 4 s',
    ]);
    expect(tick(75_000).at(-2)).toBe(' indexer-2 ▕███         ▏  1/4  1 min 15 s  Start the node');
    const waiting = watch();
    expect(waiting.show([...BEGUN, intent(STEP, change('node starts')), WAIT])).toEqual([
      ...lines,
      ' indexer-2 ▕███         ▏  1/4    1 s  waiting, 48 s left: indexer-2 not yet in the node list',
      ' Indexer / Nodes · 1 done · 5 s',
    ]);
  });

  const PHASES = [
    { name: 'Prepare', changes: 9, takesMs: 60_000 },
    { name: 'Indexer', changes: 2, takesMs: 600_000 },
    { name: 'Rest', changes: 0, takesMs: 0 },
    { name: 'Server', changes: 4, takesMs: 300_000 },
  ];
  const SHIPPER = on('server-1', 'up/Shippers/Stop the shipper');
  const made: Event = {
    e: 'temporary-made',
    task: SHIPPER,
    name: 'Stop the shipper',
    restoredBy: { module: 'file', args: {}, on: { host: 'node-1' } },
    restoring: {},
  };

  test('the phase under way, what comes after it, what is temporarily changed, and the warnings', () => {
    const { show } = watch(100, 24, { phases: PHASES });
    const shown = show([
      ...BEGUN,
      made,
      { e: 'warned', text: 'beware' },
      intent(STEP, change('x')),
      settled(STEP, 'done'),
    ]);
    expect(shown.slice(-4)).toEqual([
      ' temporary: Stop the shipper (server-1)',
      ' Indexer ▕██████      ▏ 1/2 changes · phase 2 of 4 · about 10 min left',
      ' then Server 4',
      ' Indexer / Nodes · 2 done, 1 warning · 7 s'.replace(',', ' ·'),
    ]);
    const after = show([
      { e: 'temporary-restored', task: SHIPPER, by: 'step' },
      play('up/S', ['server-1'], { within: ['Server'] }),
    ]);
    expect(after.slice(-2)).toEqual([
      ' Server ▕            ▏ 0/4 changes · phase 4 of 4 · about 5 min left',
      ' Server / S · 2 done · 1 warning · 1 s',
    ]);
  });

  test('a resume counts what its own plan counted, not what was done before', () => {
    const { show } = watch(100, 24, { phases: PHASES });
    const [begun] = BEGUN;
    const shown = show([...BEGUN, settled(STEP, 'done'), begun as Event, ...BEGUN.slice(1)]);
    expect(shown.at(-3)).toBe(' Indexer ▕            ▏ 0/2 changes · phase 2 of 4 · about 15 min left');
  });

  test('nothing is written where nothing changed, so that nothing flickers', () => {
    const { show, tick, writes } = watch();
    show([...BEGUN, intent(STEP, change('x'))]);
    tick(100);
    const before = writes();
    tick(100);
    tick(100);
    expect(writes()).toBe(before);
    tick(1000);
    expect(writes()).toBe(before + 1);
  });

  test('a terminal that became narrower shows the region once', () => {
    const { show, tick, narrow } = watch(100, 24, { lines: false });
    show([
      ...BEGUN,
      intent(STEP, change('x')),
      { ...WAIT, for: 'the node that was just started to be in the node list' },
    ]);
    narrow(40);
    expect(tick(1000).filter((line) => line.startsWith(' '))).toHaveLength(2);
  });

  test('at the end exactly the lines of what happened are left, in order', () => {
    const { show, progress, terminal } = watch(60, 10);
    const hosts = Array.from({ length: 40 }, (_, i) => `web-${i}`);
    const tasks = hosts.map((h) => on(h, 'up/Agents/Upgrade'));
    show([
      started(),
      play('up/Agents', hosts),
      ...tasks.map((t) => intent(t, change('agent'))),
      ...tasks.map((t) => settled(t, 'done')),
      { e: 'play-ended', play: 'up/Agents' },
      ended('done'),
    ]);
    progress.end();
    expect(terminal.text().split('\n')).toEqual([
      'Agents',
      ...hosts.map((h) => `  ~ ${h}  Upgrade: agent`),
      ...hosts.map((h) => `  ✓ ${h}  Upgrade  1 s`),
    ]);
  });

  test.each([
    [40, 8],
    [20, 4],
    [100, 24],
  ])('many hosts with long names on %d × %d: the region never wraps nor outgrows the screen', (columns, rows) => {
    const hosts = Array.from({ length: 50 }, (_, i) => `a-host-with-a-very-long-name-indeed-${i}.example.com`);
    const { show, tick } = watch(columns, rows);
    const shown = show([
      started(),
      play('up/P', hosts, { name: 'A play' }),
      ...hosts.map((h) => intent(on(h, 'up/P/S'), change('x'))),
    ]);
    const below = shown.length - 1 - shown.findLastIndex((l) => l.startsWith('  ~') || l.endsWith(': x'));
    expect(below).toBeLessThan(rows);
    expect(shown.every((l) => Array.from(l).length <= columns)).toBe(true);
    // Redrawn in the same place.
    expect(tick(1000)).toHaveLength(shown.length);
  });

  test('a terminal of 20 columns has no bars, so that host and step can be read', () => {
    const { show } = watch(20, 10);
    const shown = show([started(), play('up/P', ['web-1', 'web-2']), intent(on('web-1', 'up/P/S'), change('x'))]);
    expect(shown.filter((l) => l.startsWith(' web'))).toEqual([' web-1 S', ' web-2 checking']);
  });

  test('hosts that act or wait are shown before those that only look, and the rest are counted', () => {
    const hosts = Array.from({ length: 30 }, (_, i) => `web-${i}`);
    const { show } = watch();
    const shown = show([started(), play('up/P', hosts), intent(on('web-29', 'up/P/S'), change('x'))]);
    expect(shown.find((l) => l.includes('▕'))).toMatch(/^ web-29 .* S$/);
    expect(shown.at(-2)).toMatch(/^ and \d+ more hosts$/);
  });

  test('a pause is named, for whoever follows the run elsewhere, until the run goes on', () => {
    const { show } = watch();
    expect(show([...BEGUN, { e: 'paused', after: 'web-1' }]).at(-1)).toMatch(
      /^ Paused after web-1: waiting for an answer · /,
    );
    expect(show([{ e: 'host-chosen', play: 'up/P', host: 'web-2' }]).at(-1)).toMatch(/^ Indexer \/ Nodes · /);
  });

  test('nothing is drawn over a question, and what happens meanwhile is not lost', () => {
    const { show, tick, progress, terminal } = watch();
    show(BEGUN);
    const goOn = progress.pause();
    terminal.write('Sure? [y/N] ');
    expect(tick(5000).at(-1)).toBe('Sure? [y/N]');
    progress.say('a word');
    goOn();
    expect(tick(1000).at(-1)).toMatch(/^ Indexer \/ Nodes · 1 done/);
    progress.end();
    expect(terminal.text()).toBe('Indexer / Nodes  §9.4\nSure? [y/N] a word');
  });

  test('of a plan only the region is seen, and it goes', () => {
    const { show, progress, terminal } = watch(100, 24, { lines: false });
    expect(show(BEGUN)).toHaveLength(2);
    progress.end();
    expect(terminal.text()).toBe('');
  });
});

describe('without a terminal', () => {
  const plain = (events: readonly Event[], options: Partial<LiveOptions> = {}): readonly string[] => {
    let text = '';
    const screen = { write: (t: string) => void (text += t), every: () => () => undefined };
    const progress = createProgress(screen, { color: false, width: 200 }, { ...OPTIONS, nowMs: () => 0, ...options });
    for (const recorded of record(events)) progress.on(recorded);
    progress.end();
    return text.trimEnd().split('\n');
  };

  test('a step that acts for long is named at least every 20 seconds', () => {
    let text = '';
    let nowMs = Date.UTC(2026, 10, 21, 22);
    let [everyMs, tick] = [0, (): void => undefined];
    const every = (ms: number, call: () => void) => (([everyMs, tick] = [ms, call]), () => undefined);
    const screen = { write: (t: string) => void (text += t), every };
    const progress = createProgress(screen, { color: false, width: 200 }, { ...OPTIONS, nowMs: () => nowMs });
    // Between two looks.
    nowMs += 1000;
    for (const recorded of record([...BEGUN, intent(STEP, change('x')), intent(on('b', 'up/P/S'), change('y'))]))
      progress.on({ ...recorded, atMs: nowMs });
    text = '';
    nowMs -= 1000;
    for (let s = 0; s < 70; s += everyMs / 1000) {
      nowMs += everyMs;
      tick();
    }
    expect(text.trimEnd().split('\n')).toEqual([
      '2026-11-21T22:00:20.000Z   … indexer-2  Start the node: running for 19 s (and 1 more)',
      '2026-11-21T22:00:40.000Z   … indexer-2  Start the node: running for 39 s (and 1 more)',
      '2026-11-21T22:01:00.000Z   … indexer-2  Start the node: running for 59 s (and 1 more)',
    ]);
  });

  test('each line has its time', () => {
    expect(
      plain([...BEGUN, intent(STEP, change('node starts')), settled(STEP, 'failed', { reason: 'no\nluck' })]),
    ).toEqual([
      '2026-11-21T22:00:01.000Z Indexer / Nodes  §9.4',
      '2026-11-21T22:00:04.000Z   ~ indexer-2  Start the node: node starts',
      '2026-11-21T22:00:05.000Z   ✗ indexer-2  Start the node: no ⏎ luck',
    ]);
  });

  test('a long wait is reported at its beginning and every 20 seconds; each time with -vv', () => {
    const waits = Array.from({ length: 150 }, (_, i): Event => ({ ...WAIT, forMs: i * 1000, limitMs: 600_000 }));
    const told = plain(waits).map((l) => / (\d+) s of/.exec(l)?.[1]);
    expect(told).toEqual(['0', '20', '40', '60', '80', '100', '120', '140']);
    expect(plain(waits, { verbosity: 2 })).toHaveLength(150);
  });
});
