import { showDuration } from '../lib/duration.js';
import type { Recorded } from '../terms/event.js';
import { progressLine } from './progress.js';
import { printable, styleFor, type Paper } from './style.js';
import { hostName } from './tally.js';

export interface Screen {
  write(text: string): void;
  readonly isTerminal: boolean;
}

const REDRAW_MS = 100;
const MAX_LINES = 12;

/**
 * What a person watches during a run. On a terminal: what happened scrolls by, and below it one line for each host at work,
 * with its step, what it waits for and the time gone. Elsewhere: plain lines with their time.
 */
export function createProgress(screen: Screen, paper: Paper, verbosity: number): { on(recorded: Recorded): void; end(): void } {
  if (!screen.isTerminal)
    return {
      on(recorded) {
        const line = progressLine(recorded, paper, verbosity);
        if (line !== undefined) screen.write(`${new Date(recorded.atMs).toISOString()} ${line}\n`);
      },
      end: () => undefined,
    };
  return createRegion(screen, paper, verbosity);
}

interface Active {
  readonly host: string;
  text: string;
  readonly sinceMs: number;
}

function createRegion(screen: Screen, paper: Paper, verbosity: number): { on(recorded: Recorded): void; end(): void } {
  const style = styleFor(paper);
  const active = new Map<string, Active>();
  let drawn = 0;
  let lastDrawMs = 0;
  let done = 0;
  let startedMs: number | undefined;

  const clear = (): string => (drawn === 0 ? '' : `\u001b[${drawn}A\u001b[0J`);
  const draw = (nowMs: number): string => {
    const lines = [...active.values()].slice(0, MAX_LINES).map((a) => ` ${style.cyan(a.host)}  ${a.text}  ${showDuration(nowMs - a.sinceMs)}`);
    const more = active.size > MAX_LINES ? [` and ${active.size - MAX_LINES} more hosts`] : [];
    const all = [...lines, ...more, style.dim(` ${done} steps settled · ${showDuration(nowMs - (startedMs ?? nowMs))}`)].map((l) => cut(l, paper));
    drawn = all.length;
    return `${all.join('\n')}\n`;
  };
  return {
    on(recorded) {
      startedMs ??= recorded.atMs;
      done += note(active, recorded);
      const line = progressLine(recorded, paper, verbosity);
      if (line === undefined && recorded.atMs - lastDrawMs < REDRAW_MS) return;
      lastDrawMs = recorded.atMs;
      const before = clear();
      screen.write(`${before}${line === undefined ? '' : `${line}\n`}${draw(recorded.atMs)}`);
    },
    end() {
      screen.write(clear());
      drawn = 0;
    },
  };
}

/** Keeps who is at work; returns how many steps this event settled. */
function note(active: Map<string, Active>, { event, atMs }: Recorded): number {
  if (event.e === 'intent') active.set(hostName(event.task.on), { host: hostName(event.task.on), text: event.name, sinceMs: atMs });
  if (event.e === 'waiting') {
    const host = event.task === undefined ? (event.host ?? '') : hostName(event.task.on);
    const text = `waiting: ${printable(event.for)}, ${Math.round(event.forMs / 1000)} s of ${Math.round(event.limitMs / 1000)} s`;
    active.set(host, { host, text, sinceMs: active.get(host)?.sinceMs ?? atMs });
  }
  if (event.e !== 'settled') return 0;
  active.delete(hostName(event.task.on));
  return 1;
}

/** Cuts a line to the terminal's width, not counting its colours. */
function cut(line: string, { width }: Paper): string {
  // eslint-disable-next-line no-control-regex -- our own colour codes
  const plain = line.replace(/\u001b\[\d+m/g, '');
  return plain.length <= width ? line : `${plain.slice(0, Math.max(1, width - 1))}…`;
}
