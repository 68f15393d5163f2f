import { showDuration } from '../lib/duration.js';
import type { Event, Recorded } from '../terms/event.js';
import { waitingHost, waitingText } from './progress.js';
import { cut, printableLine, type Style } from './style.js';
import { hostName } from './tally.js';

/** A host in the stage at hand. */
interface AtWork {
  readonly host: string;
  readonly steps: number;
  settled: number;
  /** The step that acts now, and what it waits for. */
  step?: string;
  waiting?: string;
  /** When its step began; when its stage did, if none acts. */
  sinceMs: number;
}

const BAR = 12;
const EIGHTHS = [' ', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

/** Who is at work on what: one line for each host of the stage, from the events alone. */
export class Board {
  readonly #hosts = new Map<string, AtWork>();
  #stage = 'connecting';
  #steps = 0;
  #settled = 0;
  #startedMs: number | undefined;

  /** `stepsOf`: how many steps a play has, by its path. */
  constructor(private readonly stepsOf: (play: string) => number) {}

  take({ event, atMs }: Recorded): void {
    this.#startedMs ??= atMs;
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
      default:
        this.#takeTask(event, atMs);
    }
  }

  #takeTask(event: Event, atMs: number): void {
    if (event.e === 'intent')
      Object.assign(this.#of(hostName(event.task.on), atMs), { step: event.name, sinceMs: atMs });
    if (event.e === 'waiting') {
      const at = this.#of(waitingHost(event), atMs);
      if (at.step === undefined) at.sinceMs = atMs - event.forMs;
      at.waiting = waitingText(event);
    }
    if (event.e !== 'settled' && event.e !== 'task-skipped') return;
    this.#settled += 1;
    const at = this.#of(hostName(event.task.on), atMs);
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

  /** At most `rows` lines of at most `width` columns; hosts that act or wait come before those in between. */
  lines(
    nowMs: number,
    { width, rows }: { readonly width: number; readonly rows: number },
    style: Style,
  ): readonly string[] {
    const all = [...this.#hosts.values()].filter((h) => h.settled < h.steps || h.step !== undefined);
    const shown = [...all.filter(isBusy), ...all.filter((h) => !isBusy(h))].slice(0, Math.max(1, rows - 2));
    const pad = Math.min(24, Math.max(0, ...shown.map((h) => h.host.length)));
    const more = all.length - shown.length;
    const sum = `${this.#settled} done · ${showDuration(Math.max(0, nowMs - (this.#startedMs ?? nowMs)))}`;
    return [
      ...shown.map((h) => lineOf(h, nowMs, pad, style)),
      ...(more > 0 ? [style.dim(` and ${more} more hosts`)] : []),
      style.dim(` ${this.#stage} · ${sum}`),
    ].map((line) => cut(line, width));
  }
}

const isBusy = (h: AtWork): boolean => h.step !== undefined || h.waiting !== undefined;

function lineOf(h: AtWork, nowMs: number, pad: number, style: Style): string {
  const gone = showDuration(Math.max(0, Math.floor((nowMs - h.sinceMs) / 1000) * 1000)).replace(/^0 ms$/, '0 s');
  const share = h.steps === 0 ? 0 : h.settled / h.steps;
  const text = h.waiting ?? (h.step === undefined ? 'checking' : printableLine(h.step));
  return ` ${style.cyan(h.host.padEnd(pad))} ${bar(share)} ${String(h.settled).padStart(2)}/${h.steps}  ${gone.padStart(5)}  ${text}`;
}

/** A bar of twelve columns, to an eighth of one. */
function bar(share: number): string {
  const eighths = Math.round(Math.min(1, Math.max(0, share)) * BAR * 8);
  const full = '█'.repeat(Math.floor(eighths / 8));
  const part = eighths % 8 === 0 ? '' : (EIGHTHS[eighths % 8] ?? '');
  return `▕${(full + part).padEnd(BAR)}▏`;
}
