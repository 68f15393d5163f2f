import { getOrCreate } from './get-or-create.js';

/** What the clocks of a zone show, to the minute. */
export interface LocalTime {
  readonly year: number;
  /** From 1. */
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
}

const DAY_MS = 86_400_000;
const formats = new Map<string, Intl.DateTimeFormat>();

/** Names of the time zone database; offsets such as `+01:00` and abbreviations that summer time changes (`CEST`) are none. */
export function isZone(name: string): boolean {
  try {
    formatOf(name);
    return /^[A-Za-z]/.test(name);
  } catch {
    return false;
  }
}

export const knownZones = (): readonly string[] => ['UTC', ...Intl.supportedValuesOf('timeZone')];

/** The zone of this machine. */
export const ownZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

export function localAt(ms: number, zone: string): LocalTime & { readonly second: number } {
  const parts = new Map(
    formatOf(zone)
      .formatToParts(ms)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const of = (type: Intl.DateTimeFormatPartTypes): number => parts.get(type) ?? 0;
  return {
    ...{ year: of('year'), month: of('month'), day: of('day') },
    ...{ hour: of('hour'), minute: of('minute'), second: of('second') },
  };
}

/** The same clock time so many days later. */
export function plusDays({ year, month, day, hour, minute }: LocalTime, days: number): LocalTime {
  const date = new Date(Date.UTC(year, month - 1, day + days));
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate(), hour, minute };
}

/** As if the clocks showed UTC, milliseconds. */
export const asUtc = ({ year, month, day, hour, minute }: LocalTime): number =>
  Date.UTC(year, month - 1, day, hour, minute);

/**
 * The moments at which clocks of the zone show this time: one; two where they were put back over it; or none where they were put forward
 * over it: then `near` has the moments that it would be by the offset after the change and by the one before it.
 */
export function momentsOf(
  local: LocalTime,
  zone: string,
): { readonly at: readonly number[]; readonly near: readonly number[] } {
  const utcMs = asUtc(local);
  const offsets = new Set([utcMs - DAY_MS, utcMs + DAY_MS].map((ms) => offsetMs(ms, zone)));
  const near = [...offsets].map((offset) => utcMs - offset).sort((a, b) => a - b);
  return { at: near.filter((ms) => ms + offsetMs(ms, zone) === utcMs), near };
}

function offsetMs(ms: number, zone: string): number {
  const local = localAt(ms, zone);
  return asUtc(local) + local.second * 1000 - Math.floor(ms / 1000) * 1000;
}

const formatOf = (zone: string): Intl.DateTimeFormat =>
  getOrCreate(
    formats,
    zone,
    () =>
      new Intl.DateTimeFormat('en-US-u-ca-gregory', {
        ...{ timeZone: zone, hourCycle: 'h23', year: 'numeric', month: 'numeric', day: 'numeric' },
        ...{ hour: 'numeric', minute: 'numeric', second: 'numeric' },
      }),
  );
