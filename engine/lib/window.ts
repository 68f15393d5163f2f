import { nearest } from './nearest.js';
import { asUtc, isZone, knownZones, localAt, momentsOf, plusDays, type LocalTime } from './zone.js';

/** A window as it is written. */
export interface WindowText {
  readonly opens: string;
  readonly closes: string;
  /** A name of the time zone database. */
  readonly zone: string;
}

/** From when to when it is open, milliseconds since the epoch. */
export interface WindowSpan {
  readonly opensMs: number;
  readonly closesMs: number;
}

/** A maintenance window: once, or every day. */
export type Window = { readonly zone: string } & (
  | { readonly is: 'once'; readonly span: WindowSpan }
  | { readonly is: 'daily'; readonly opens: ClockTime; readonly closes: ClockTime }
);

export interface WindowMistake {
  readonly key: keyof WindowText;
  readonly message: string;
  readonly hint?: string;
}

interface ClockTime {
  readonly hour: number;
  readonly minute: number;
}

interface Bound extends ClockTime {
  readonly date?: Pick<LocalTime, 'year' | 'month' | 'day'>;
  readonly offsetMs?: number;
}

/** A window from its text, or what is wrong with it. */
export function parseWindow(text: WindowText): Window | WindowMistake {
  const { zone } = text;
  if (!isZone(zone)) {
    const near = nearest(zone, knownZones());
    return {
      key: 'zone',
      message: `zone: there is no time zone "${zone}"`,
      hint:
        near === undefined
          ? 'use a name of the time zone database, such as Europe/Berlin or UTC'
          : `did you mean "${near}"?`,
    };
  }
  const [opens, closes] = [boundOf(text.opens), boundOf(text.closes)];
  if (opens === undefined) return notATime('opens', text.opens);
  if (closes === undefined) return notATime('closes', text.closes);
  if (opens.date === undefined) return daily(text, opens, closes);
  return once(text, opens, closes);
}

function daily({ opens: from, closes: to, zone }: WindowText, opens: Bound, closes: Bound): Window | WindowMistake {
  if (closes.date !== undefined)
    return {
      key: 'opens',
      message: `opens: "${from}" has no date, and closes has one`,
      hint: 'write both with a date, or both without',
    };
  if (opens.hour === closes.hour && opens.minute === closes.minute)
    return { key: 'closes', message: `closes: the window closes when it opens, at ${to}` };
  return { is: 'daily', zone, opens, closes };
}

/** A window that closes at a time without a date closes when the clocks show that time next. */
function once(text: WindowText, opens: Bound, closes: Bound): Window | WindowMistake {
  const opensMs = momentOf(text, 'opens', opens, opens);
  if (typeof opensMs !== 'number') return opensMs;
  const isNextDay = closes.date === undefined && asUtc(dated(closes, opens)) <= asUtc(dated(opens, opens));
  const closesMs = momentOf(text, 'closes', closes, opens, isNextDay ? 1 : 0);
  if (typeof closesMs !== 'number') return closesMs;
  if (closesMs <= opensMs)
    return {
      key: 'closes',
      message: `closes: ${text.closes} is not after ${text.opens}, when the window opens`,
      hint: 'a window across midnight closes on the next day',
    };
  return { is: 'once', zone: text.zone, span: { opensMs, closesMs } };
}

const dated = ({ date, hour, minute }: Bound, otherwise: Bound): LocalTime => ({
  ...(date ?? otherwise.date ?? { year: 0, month: 1, day: 1 }),
  ...{ hour, minute },
});

/** Where a clock time is there twice or never in the night of a change of summer time, only an offset says what is meant. */
function momentOf(
  text: WindowText,
  key: 'opens' | 'closes',
  bound: Bound,
  otherwise: Bound,
  daysLater = 0,
): number | WindowMistake {
  const local = plusDays(dated(bound, otherwise), daysLater);
  if (bound.offsetMs !== undefined) return asUtc(local) - bound.offsetMs;
  const { at } = momentsOf(local, text.zone);
  const [ms, again] = at;
  if (ms === undefined)
    return { key, message: `${key}: ${text[key]} does not exist in ${text.zone}: summer time begins in that hour` };
  if (again !== undefined)
    return {
      key,
      message: `${key}: ${text[key]} is there twice in ${text.zone}: summer time ends in that hour`,
      hint: 'add the offset from UTC, such as 2026-10-25 02:30+01:00',
    };
  return ms;
}

const FORM = /^(?:(\d{4})-(\d\d)-(\d\d)[T ])?(\d\d):(\d\d)(?::00)?(Z|[+-]\d\d:\d\d)?$/;

function boundOf(text: string): Bound | undefined {
  const found = FORM.exec(text.trim());
  if (found === null) return undefined;
  const [year, month, day, hour, minute] = found.slice(1, 6).map(Number);
  const offset = found[6];
  if (hour === undefined || minute === undefined || hour > 23 || minute > 59) return undefined;
  if (found[1] === undefined) return offset === undefined ? { hour, minute } : undefined;
  const date = { year: year ?? 0, month: month ?? 0, day: day ?? 0 };
  const real = plusDays({ ...date, hour, minute }, 0);
  if (real.month !== date.month || real.day !== date.day) return undefined;
  return { date, hour, minute, ...(offset === undefined ? {} : { offsetMs: offsetOf(offset) }) };
}

const offsetOf = (text: string): number =>
  text === 'Z' ? 0 : (text.startsWith('-') ? -1 : 1) * (Number(text.slice(1, 3)) * 60 + Number(text.slice(4))) * 60_000;

const notATime = (key: 'opens' | 'closes', text: string): WindowMistake => ({
  key,
  message: `${key}: "${text}" is not a time`,
  hint: 'use 22:00 for every day, or 2026-11-21 22:00 for one day',
});

/**
 * The window that is open then, else the next one; of one that was there once, that one. A daily window is never longer than it says: where
 * summer time makes its time ambiguous it opens at the later moment and closes at the earlier one.
 */
export function spanAt(window: Window, nowMs: number): WindowSpan {
  if (window.is === 'once') return window.span;
  const { zone, opens, closes } = window;
  const overnight = closes.hour * 60 + closes.minute <= opens.hour * 60 + opens.minute;
  const today = { ...localAt(nowMs, zone), ...opens };
  const spans = [-1, 0, 1, 2].map((days): WindowSpan => {
    const from = plusDays(today, days);
    const to = { ...plusDays(today, overnight ? days + 1 : days), hour: closes.hour, minute: closes.minute };
    return { opensMs: Math.max(...candidates(from, zone)), closesMs: Math.min(...candidates(to, zone)) };
  });
  const left = spans.filter(({ opensMs, closesMs }) => opensMs < closesMs && closesMs > nowMs);
  return left[0] ?? { opensMs: Number.POSITIVE_INFINITY, closesMs: Number.POSITIVE_INFINITY };
}

function candidates(local: LocalTime, zone: string): readonly number[] {
  const { at, near } = momentsOf(local, zone);
  return at.length > 0 ? at : near;
}

/** It was there once, and is over. */
export const isPast = (window: Window, nowMs: number): boolean => window.is === 'once' && window.span.closesMs <= nowMs;

export const isOpen = ({ opensMs, closesMs }: WindowSpan, nowMs: number): boolean =>
  opensMs <= nowMs && nowMs < closesMs;
