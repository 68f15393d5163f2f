import { createProgress } from '../../engine/report/live/live.js';
import type { Event } from '../../engine/terms/event.js';

/** What the live view of many hosts costs: `share` of a core, over a minute of a run. */
export interface Drawing {
  readonly hosts: number;
  readonly events: number;
  readonly share: number;
}

const STEPS = 20;
const SECONDS = 60;
const REDRAWS_A_SECOND = 5;
const PLAY = 'upgrade/agents/Upgrade each agent';

/** One step after the other on all hosts at once, spread over a minute, on a terminal of 80 columns. Nothing is waited for. */
export function drawing(hosts: number): Drawing {
  const names = Array.from({ length: hosts }, (_, i) => `agent-${i + 1}`);
  let nowMs = 0;
  let redraw = (): void => undefined;
  const progress = createProgress(
    {
      write: () => undefined,
      size: () => ({ columns: 80, rows: 24 }),
      every: (_ms, call) => ((redraw = call), () => undefined),
    },
    { color: true, width: 80 },
    {
      ...{ verbosity: 0, diff: false, lines: true, nowMs: () => nowMs, stepsOf: () => STEPS },
      phases: [{ name: 'Agents', changes: hosts * STEPS, takesMs: SECONDS * 1000 }],
    },
  );
  const all: readonly Event[] = [
    { e: 'play-started', play: PLAY, name: 'Upgrade each agent', within: ['Agents'], hosts: names, serial: false },
    ...Array.from({ length: STEPS }, (_, step) => names.flatMap((host) => stepOf(host, `Step ${step}`))).flat(),
  ];
  const before = process.cpuUsage();
  for (const [i, event] of all.entries()) {
    const atMs = (i * SECONDS * 1000) / all.length;
    for (; nowMs < atMs; nowMs += 1000 / REDRAWS_A_SECOND) redraw();
    progress.on({ seq: i + 1, atMs, event });
  }
  const { user, system } = process.cpuUsage(before);
  progress.end();
  return { hosts, events: all.length, share: (user + system) / 1e6 / SECONDS };
}

function stepOf(host: string, name: string): readonly Event[] {
  const task = { step: `${PLAY}/${name}`, on: { host } };
  const change = {
    summary: 'a package',
    sign: '~',
    actions: [{ do: 'ask', question: '' }],
    touches: [],
    predicts: [],
  } as const;
  return [
    { e: 'intent', task, name, attempt: 1, change, marks: {} },
    { e: 'settled', task, name, as: 'done', changed: true, tookMs: 1000 },
  ];
}
