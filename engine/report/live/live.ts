import type { Recorded } from '../../terms/event.js';
import { taskKey } from '../../terms/task.js';
import { Acting } from './acting.js';
import { Board } from './at-work.js';
import type { PlannedPhase } from './phase-bars.js';
import { progressLine, waitingHost, type ProgressOptions } from './progress.js';
import { styleFor, type Terminal } from '../style.js';
import { widthOf } from '../width.js';

/** Where progress goes. */
export interface Screen {
  write(text: string): void;
  /** Present when it is a terminal: its size now. */
  readonly size?: () => { readonly columns: number; readonly rows: number };
  /** Calls again and again until what it returns is called; the clock of the redraw. */
  every(ms: number, call: () => void): () => void;
}

export interface LiveOptions extends ProgressOptions {
  readonly nowMs: () => number;
  /** How many steps a play has, by its path: what the bars are of. */
  readonly stepsOf: (play: string) => number;
  /** The phases of the plan that this run began with; absent where there was none. */
  readonly phases?: readonly PlannedPhase[];
  /** False: only the region, no line for what happened (a plan tells it all at its end). */
  readonly lines: boolean;
  /** What happened before it is watched: a terminal draws what came of it, elsewhere its lines are printed. */
  readonly past?: readonly Recorded[];
}

/** What an operator watches during a run. */
export interface Progress {
  readonly on: (recorded: Recorded) => void;
  /** A line of the program's own. */
  readonly say: (text: string) => void;
  /** Clears the screen for a question; nothing is drawn until what it returns is called. */
  pause(): () => void;
  end(): void;
}

const REDRAW_MS = 200;
const MOST_ROWS = 14;
/**
 * Where lines cannot be drawn over, a wait, or a step that acts, is printed again this often. Silence of more than
 * half a minute looks like a hang, and a wait may be noticed some seconds late.
 */
const REPEAT_MS = 20_000;
const LOOK_MS = REPEAT_MS / 10;

/**
 * On a terminal: what happened scrolls by, and below it one line for each host at work, with a bar, the time gone and what it waits
 * for. Elsewhere: plain lines with their time.
 */
export const createProgress = (screen: Screen, terminal: Terminal, options: LiveOptions): Progress =>
  screen.size === undefined
    ? plainLines(screen, terminal, options)
    : liveRegion(screen, screen.size, terminal, options);

function plainLines(screen: Screen, terminal: Terminal, options: LiveOptions): Progress {
  const due = createWaits(options.verbosity);
  const acting = new Acting();
  let lastMs = options.nowMs();
  const write = (atMs: number, line: string): void => {
    lastMs = options.nowMs();
    screen.write(`${new Date(atMs).toISOString()} ${line}\n`);
  };
  // Where nothing is heard for long, an operator asks whether it hangs.
  const stop = screen.every(LOOK_MS, () => {
    const nowMs = options.nowMs();
    const line = options.lines && nowMs - lastMs > REPEAT_MS - LOOK_MS ? acting.line(nowMs) : undefined;
    if (line !== undefined) write(nowMs, line);
  });
  const on = (recorded: Recorded): void => {
    acting.take(recorded);
    const line = options.lines && due(recorded) ? progressLine(recorded, terminal, options) : undefined;
    if (line !== undefined) write(recorded.atMs, line);
  };
  for (const recorded of options.past ?? []) on(recorded);
  return {
    on,
    say: (text) => screen.write(`${text}\n`),
    pause: () => () => undefined,
    end: stop,
  };
}

/** Is this event to be told? A wait is at its beginning, and then every 20 seconds; each time with `-vv`. */
function createWaits(verbosity: number): (recorded: Recorded) => boolean {
  const toldMs = new Map<string, number>();
  return ({ event, atMs }) => {
    if (event.e !== 'waiting' || verbosity > 1) return true;
    const key = event.task === undefined ? waitingHost(event) : taskKey(event.task);
    const last = event.forMs === 0 ? undefined : toldMs.get(key);
    if (last !== undefined && atMs - last < REPEAT_MS) return false;
    toldMs.set(key, atMs);
    return true;
  };
}

function liveRegion(
  screen: Screen,
  size: NonNullable<Screen['size']>,
  terminal: Terminal,
  options: LiveOptions,
): Progress {
  const style = styleFor(terminal);
  const board = new Board(options.stepsOf, options.phases);
  const due = createWaits(options.verbosity);
  for (const recorded of options.past ?? []) board.take(recorded);
  let drawn: readonly string[] = [];
  let paused = false;

  /** A terminal that became narrower has wrapped what was drawn. */
  const clear = (): string => {
    const { columns } = size();
    const up = drawn.reduce((sum, line) => sum + Math.max(1, Math.ceil(widthOf(line) / columns)), 0);
    return up === 0 ? '' : `\u001b[${up}A\r\u001b[0J`;
  };
  const draw = (): string => {
    const { columns, rows } = size();
    // One column and one row stay free: a full line would wrap, a full screen would scroll.
    const room = { width: Math.max(10, columns - 1), rows: Math.max(3, Math.min(MOST_ROWS, rows - 1)) };
    drawn = board.lines(options.nowMs(), room, style);
    return drawn.map((l) => `${l}\n`).join('');
  };
  const print = (text: string): void => {
    const before = paused ? '' : clear();
    const after = paused ? '' : draw();
    screen.write(`${before}${text}${after}`);
  };
  // Nothing is written where nothing changed: what is drawn over itself flickers.
  const redraw = (): void => {
    const [before, up] = [drawn, paused ? '' : clear()];
    const after = paused ? '' : draw();
    if (after !== before.map((l) => `${l}\n`).join('')) screen.write(`${up}${after}`);
  };
  const stop = screen.every(REDRAW_MS, redraw);
  return {
    on(recorded) {
      board.take(recorded);
      const line = options.lines && due(recorded) ? progressLine(recorded, terminal, options) : undefined;
      // Waits are in the region already.
      if (line !== undefined && (recorded.event.e !== 'waiting' || options.verbosity > 1)) print(`${line}\n`);
    },
    say: (text) => print(`${text}\n`),
    pause() {
      screen.write(clear());
      drawn = [];
      paused = true;
      return () => void (paused = false);
    },
    end() {
      stop();
      screen.write(clear());
      drawn = [];
    },
  };
}
