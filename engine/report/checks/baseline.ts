import type { Recorded } from '../../terms/event.js';
import { durationMs } from '../../lib/duration.js';
import { isObject, type Json } from '../../terms/json.js';
import { tally } from '../tally.js';

/** What the platform does for its users, by the title of each step of baseline.yaml. */
export interface Baseline {
  readonly atMs: number;
  readonly measures: readonly Measure[];
}

export interface Measure {
  readonly name: string;
  /** Of several hosts the sum of their numbers, or their texts; absent where it could not be read. */
  readonly value?: number | string;
  /** Why it could not be read. */
  readonly because?: string;
  readonly worse: string;
  /** A share of the value before, such as `5%`, or a number. */
  readonly tolerance: string;
  /** How long after a run it may take until it is no longer worse, such as `5m`; absent: it is read once. */
  readonly wait?: string;
}

/** The baselines of a run, as they are kept in its folder. */
export interface Baselines {
  readonly before?: Baseline;
  readonly after?: Baseline;
}

/** What was recorded, in the order of the steps. */
export function baselineOf(events: readonly Recorded[], atMs: number): Baseline {
  const measures = new Map<string, Measure>();
  const lost = tally(events).lost;
  for (const { event: e } of events) {
    if (e.e === 'undecided') measures.set(e.name, unread(e.name, e.because));
    if (e.e !== 'settled') continue;
    if (e.as === 'ok' || e.as === 'done') measures.set(e.name, measureOf(e.name, e.value, measures.get(e.name)));
    else measures.set(e.name, unread(e.name, e.reason ?? ''));
  }
  const away = [...lost].map(([host, { reason }]) => unread(host, reason));
  return { atMs, measures: [...measures.values(), ...away] };
}

const NO_TOLERANCE = '0%';

const unread = (name: string, because: string): Measure => ({ name, because, worse: 'less', tolerance: NO_TOLERANCE });

function measureOf(name: string, recorded: Json | undefined, other: Measure | undefined): Measure {
  const { value, worse, tolerance = NO_TOLERANCE, wait } = recorded !== undefined && isObject(recorded) ? recorded : {};
  if (!isScalar(value) || typeof worse !== 'string' || !isScalar(tolerance))
    return unread(name, 'no measure was recorded');
  if (other?.because !== undefined) return other;
  const limit = typeof wait === 'string' ? { wait } : {};
  return { name, value: joined(value, other?.value), worse, tolerance: String(tolerance), ...limit };
}

const isScalar = (value: Json | undefined): value is number | string =>
  typeof value === 'number' || typeof value === 'string';

function joined(value: number | string, other: number | string | undefined): number | string {
  if (typeof value === 'number' && typeof other === 'number') return other + value;
  return other === undefined || other === value ? value : `${other}, ${value}`;
}

/** One measure before, after and now. */
export interface BaselineRow {
  readonly name: string;
  /** As far as they were taken; null: it could not be read. */
  readonly values: readonly (number | string | null)[];
  /** Why it could not be read the last time; empty where that is not known. */
  readonly because?: string;
  readonly tolerance: string;
  /** The last value is worse than the first one by more than the tolerance. */
  readonly isWorse: boolean;
  /** It could not be read the last time, and nothing says that it could not be read the first time either. */
  readonly isUnread?: true;
}

/** Baselines side by side, the one before the upgrade first. */
export function baselineRows(all: readonly [Baseline, ...Baseline[]]): readonly BaselineRow[] {
  const names = [...new Set(all.flatMap(({ measures }) => measures.map(({ name }) => name)))];
  return names.map((name) => {
    const found = all.map(({ measures }) => measures.find((m) => m.name === name));
    const [first, last] = [found[0], found.at(-1)];
    return {
      name,
      values: found.map((m) => m?.value ?? null),
      ...(last?.value !== undefined ? {} : { because: last?.because ?? '' }),
      tolerance: first?.tolerance ?? NO_TOLERANCE,
      isWorse: all.length > 1 && isWorse(first, last),
      ...(all.length > 1 && last?.value === undefined && first?.because === undefined ? { isUnread: true } : {}),
    };
  });
}

function isWorse(before: Measure | undefined, now: Measure | undefined): boolean {
  if (before?.value === undefined || now?.value === undefined) return false;
  const { value: was, worse, tolerance } = before;
  if (typeof was !== 'number' || typeof now.value !== 'number') return now.value !== was;
  const given = Number.parseFloat(tolerance);
  const most = tolerance.endsWith('%') ? (was * given) / 100 : given;
  if (worse === 'less') return now.value < was - most;
  return worse === 'more' ? now.value > was + most : now.value !== was;
}

/** Rows that are worse than before, or that could not be read again. */
export const onlyWorse = (rows: readonly BaselineRow[]): readonly BaselineRow[] =>
  rows.filter(({ isWorse, isUnread }) => isWorse || isUnread === true);

/** The same of a run. Empty where only one of its baselines was taken. */
export const notAsBefore = ({ before, after }: Baselines): readonly BaselineRow[] =>
  before === undefined || after === undefined ? [] : onlyWorse(baselineRows([before, after]));

/** How long these rows may take to be as before, milliseconds. A row that no measure has is a host that is away, with any of them. */
export function waitMsOf({ before }: Baselines, rows: readonly BaselineRow[]): number {
  const waits = new Map(before?.measures.map(({ name, wait }) => [name, durationMs(wait ?? '') ?? 0]));
  const longest = Math.max(0, ...waits.values());
  return Math.max(0, ...rows.map(({ name }) => waits.get(name) ?? longest));
}
