import { showDuration } from '../../lib/duration.js';
import { count } from '../../lib/count.js';
import type { Event, Recorded } from '../../terms/event.js';
import { taskKey, type TaskId } from '../../terms/task.js';
import { isQuestion } from '../counts.js';
import { bar, LEAST_FOR_BARS } from './bar.js';
import { notRestored } from '../end/not-restored.js';
import { pausedText } from '../end/stop-lines.js';
import { PhaseBars, type PlannedPhase } from './phase-bars.js';
import { waitingHost } from './progress.js';
import { printableLine, type Style } from '../style.js';
import { cut } from '../width.js';
import { hostName } from '../../terms/subject.js';

type Of<E extends Event['e']> = Extract<Event, { readonly e: E }>;

/** A host in the stage at hand. */
interface AtWork {
  readonly host: string;
  readonly steps: number;
  settled: number;
  /** The step that acts now, and what it waits for until when. */
  step?: string;
  waiting?: { readonly for: string; readonly untilMs: number };
  /** When its step began; when its stage did, if none acts. */
  sinceMs: number;
}

/** Who is at work on what: one line for each host of the stage, from the events alone. */
export class Board {
  readonly #hosts = new Map<string, AtWork>();
  #stage = 'connecting';
  #paused: string | undefined;
  #steps = 0;
  #settled = 0;
  #startedMs: number | undefined;
  #warnings = 0;
  readonly #phases: PhaseBars;
  readonly #temporary = new Map<string, Of<'temporary-made'>>();

  /** `stepsOf`: how many steps a play has, by its path. */
  constructor(
    private readonly stepsOf: (play: string) => number,
    phases: readonly PlannedPhase[] = [],
  ) {
    this.#phases = new PhaseBars(phases);
  }

  take({ event, atMs }: Recorded): void {
    this.#startedMs ??= atMs;
    this.#phases.take(event);
    this.#paused = event.e === 'paused' ? `${pausedText(event)}: waiting for an answer` : undefined;
    switch (event.e) {
      case 'play-started':
        this.#stage = printableLine([...event.within, event.name].join(' / '));
        this.#steps = this.stepsOf(event.play);
        this.#hosts.clear();
        if (!event.serial) for (const host of event.hosts) this.#of(host, atMs);
        return;
      case 'host-chosen':
        this.#of(event.host, atMs);
        return;
      case 'host-left':
        this.#hosts.delete(event.host);
        return;
      case 'play-ended':
      case 'run-ended':
        this.#hosts.clear();
        return;
      case 'warned':
        this.#warnings += 1;
        return;
      case 'temporary-made':
        this.#temporary.set(taskKey(event.task), event);
        return;
      case 'temporary-restored':
        this.#temporary.delete(taskKey(event.task));
        return;
      case 'intent':
        Object.assign(this.#of(hostName(event.task.on), atMs), { step: actingText(event), sinceMs: atMs });
        return;
      case 'waiting':
        this.#takeWaiting(event, atMs);
        return;
      case 'settled':
      case 'task-skipped':
        this.#takeSettled(event.task, atMs);
        return;
      case 'answered':
      case 'block':
      case 'checked':
      case 'close-started':
      case 'effect':
      case 'found':
      case 'from':
      case 'host-lost':
      case 'item':
      case 'items':
      case 'journal-older':
      case 'loop-started':
      case 'observed':
      case 'paused':
      case 'play-skipped':
      case 'run-started':
      case 'taken-over':
      case 'temporary-restoring':
      case 'temporary-reverted':
      case 'undecided':
        return;
    }
  }

  #takeWaiting(event: Extract<Event, { e: 'waiting' }>, atMs: number): void {
    const at = this.#of(waitingHost(event), atMs);
    if (at.step === undefined) at.sinceMs = atMs - event.forMs;
    at.waiting = { for: printableLine(event.for), untilMs: atMs + event.limitMs - event.forMs };
  }

  #takeSettled({ on }: TaskId, atMs: number): void {
    this.#settled += 1;
    const at = this.#of(hostName(on), atMs);
    at.settled = Math.min(at.settled + 1, Math.max(at.steps, 1));
    at.sinceMs = atMs;
    delete at.step;
    delete at.waiting;
  }

  #of(host: string, atMs: number): AtWork {
    const found = this.#hosts.get(host) ?? { host, steps: this.#steps, settled: 0, sinceMs: atMs };
    this.#hosts.set(host, found);
    return found;
  }

  /** What is temporarily changed now. */
  #temporaryLine(style: Style): readonly string[] {
    const names = notRestored([...this.#temporary.values()]);
    return names.length === 0 ? [] : [style.yellow(` temporary: ${names.join(' · ')}`)];
  }

  /** At most `rows` lines of at most `width` columns; hosts that act or wait come before those in between. */
  lines(
    nowMs: number,
    { width, rows }: { readonly width: number; readonly rows: number },
    style: Style,
  ): readonly string[] {
    const all = [...this.#hosts.values()].filter((h) => h.settled < h.steps || h.step !== undefined);
    const below = [...this.#temporaryLine(style), ...this.#phases.lines(style, width)].slice(0, Math.max(0, rows - 4));
    const room = Math.max(1, rows - 2 - below.length);
    const shown = [...all.filter(isBusy), ...all.filter((h) => !isBusy(h))].slice(0, room);
    const pad = Math.min(24, Math.floor(width / 2), Math.max(0, ...shown.map((h) => h.host.length)));
    const more = all.length - shown.length;
    const warnings = this.#warnings === 0 ? '' : ` · ${count(this.#warnings, 'warning')}`;
    const sum = `${this.#settled} done${warnings} · ${showDuration(Math.max(0, nowMs - (this.#startedMs ?? nowMs)))}`;
    return [
      ...shown.map((h) => lineOf(h, nowMs, { pad, bars: width >= LEAST_FOR_BARS }, style)),
      ...(more > 0 ? [style.dim(` and ${more} more hosts`)] : []),
      ...below,
      style.dim(` ${this.#paused ?? this.#stage} · ${sum}`),
    ].map((line) => cut(line, width));
  }
}

/** A question is put where the run was started; whoever follows it elsewhere sees why nothing goes on. */
const actingText = (event: Of<'intent'>): string =>
  isQuestion(event) ? `waiting for an answer: ${event.change.summary}` : event.name;

/** What is left of a wait, before what is waited for, which may be long: `waiting, 48 s left: …`. */
const waitText = ({ for: what, untilMs }: NonNullable<AtWork['waiting']>, nowMs: number): string =>
  `waiting, ${showDuration(Math.max(0, Math.ceil((untilMs - nowMs) / 1000)) * 1000).replace(/^0 ms$/, '0 s')} left: ${what}`;

const isBusy = (h: AtWork): boolean => h.step !== undefined || h.waiting !== undefined;

interface Room {
  readonly pad: number;
  readonly bars: boolean;
}

function lineOf(h: AtWork, nowMs: number, { pad, bars }: Room, style: Style): string {
  const gone = showDuration(Math.max(0, Math.floor((nowMs - h.sinceMs) / 1000) * 1000)).replace(/^0 ms$/, '0 s');
  const share = h.steps === 0 ? 0 : h.settled / h.steps;
  const step = h.step === undefined ? 'checking' : printableLine(h.step);
  const text = h.waiting === undefined ? step : waitText(h.waiting, nowMs);
  if (!bars) return ` ${style.cyan(cut(h.host, pad).padEnd(pad))} ${text}`;
  return ` ${style.cyan(h.host.padEnd(pad))} ${bar(share)} ${String(h.settled).padStart(2)}/${h.steps}  ${gone.padStart(5)}  ${text}`;
}
