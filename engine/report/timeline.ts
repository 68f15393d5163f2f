import { getOrCreate } from '../lib/get-or-create.js';
import type { Line, PlayTally, Tally } from './tally.js';

/** Milliseconds since the start of a run. */
export interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

export interface Timeline {
  /** By the key of the line. */
  readonly spans: ReadonlyMap<string, Span>;
  /** When each play begins, by its path. */
  readonly plays: ReadonlyMap<string, number>;
  /** By the outermost part of the playbook. */
  readonly phases: ReadonlyMap<string, number>;
  /** From the first line of a phase to its last. */
  readonly phaseSpans: ReadonlyMap<string, Span>;
  readonly totalMs: number;
}

/** The outermost part of the playbook that a play belongs to. */
export const phaseOf = ({ within, name }: Pick<PlayTally, 'within' | 'name'>): string => within[0] ?? name;

/** When each line of a plan begins and ends: plays one after another, their hosts side by side or one at a time. */
export function timeline({ plays }: Tally, timeOf: (line: Line) => number, forks: number): Timeline {
  const spans = new Map<string, Span>();
  const phases = new Map<string, number>();
  const begins = new Map<string, number>();
  const phaseSpans = new Map<string, Span>();
  let nowMs = 0;
  for (const play of plays) {
    const startMs = nowMs;
    begins.set(play.path, startMs);
    const hosts = hostsInOrder(play);
    const atOnce = play.serial ? 1 : forks;
    for (let i = 0; i < hosts.length; i += atOnce)
      nowMs = Math.max(nowMs, ...hosts.slice(i, i + atOnce).map((lines) => oneHost(lines, nowMs, timeOf, spans)));
    const phase = phaseOf(play);
    phases.set(phase, (phases.get(phase) ?? 0) + nowMs - startMs);
    phaseSpans.set(phase, { fromMs: phaseSpans.get(phase)?.fromMs ?? startMs, toMs: nowMs });
  }
  return { spans, plays: begins, phases, phaseSpans, totalMs: nowMs };
}

/** The lines of each host, in the order in which the hosts are taken. */
function hostsInOrder({ lines, hosts }: PlayTally): readonly (readonly Line[])[] {
  const byHost = new Map<string, Line[]>(hosts.map((host) => [host, []]));
  for (const line of lines) getOrCreate(byHost, line.host, () => []).push(line);
  return [...byHost.values()];
}

/** The end of one host's lines, which begin at `nowMs`. */
function oneHost(
  lines: readonly Line[],
  nowMs: number,
  timeOf: (line: Line) => number,
  spans: Map<string, Span>,
): number {
  let atMs = nowMs;
  for (const line of lines) {
    const toMs = atMs + timeOf(line);
    spans.set(line.key, { fromMs: atMs, toMs });
    atMs = toMs;
  }
  return atMs;
}
