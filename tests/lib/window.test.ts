import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { isOpen, isPast, parseWindow, spanAt, type Window, type WindowText } from '../../engine/lib/window.js';
import { asUtc, localAt, momentsOf } from '../../engine/lib/zone.js';

const HOUR = 3_600_000;
const at = (text: string): number => Date.parse(text);
const parse = (opens: string, closes: string, zone = 'Europe/Berlin'): ReturnType<typeof parseWindow> =>
  parseWindow({ opens, closes, zone });
function windowOf(opens: string, closes: string, zone?: string): Window {
  const window = parse(opens, closes, zone);
  if ('message' in window) throw new Error(window.message);
  return window;
}
const spanOf = (window: Window, now: string): readonly string[] => {
  const { opensMs, closesMs } = spanAt(window, at(now));
  return [opensMs, closesMs].map((ms) => new Date(ms).toISOString().slice(0, 16));
};

describe('a window with dates', () => {
  test.each([
    ['2026-11-21 22:00', '2026-11-22 02:00'],
    ['2026-11-21T22:00', '2026-11-22T02:00:00'],
    ['2026-11-21 22:00', '02:00'],
    ['2026-11-21 22:00+01:00', '2026-11-22 01:00Z'],
  ])('%s to %s is there once', (opens, closes) => {
    expect(spanOf(windowOf(opens, closes), '2020-01-01T00:00Z')).toEqual(['2026-11-21T21:00', '2026-11-22T01:00']);
  });

  test('is past from the moment it closes', () => {
    const window = windowOf('2026-11-21 22:00', '02:00');
    expect([at('2026-11-22T00:59:59Z'), at('2026-11-22T01:00Z')].map((ms) => isPast(window, ms))).toEqual([
      false,
      true,
    ]);
  });

  test.each([
    ['in spring', '2026-03-28 22:00', '2026-03-29 04:00', 5],
    ['in autumn', '2026-10-24 22:00', '2026-10-25 04:00', 7],
  ])('over the change of summer time %s is an hour shorter or longer', (_when, opens, closes, hours) => {
    const { opensMs, closesMs } = spanAt(windowOf(opens, closes), 0);
    expect(closesMs - opensMs).toBe(hours * HOUR);
  });

  test('an offset says which of two moments is meant', () => {
    const [early, late] = ['+02:00', '+01:00'].map((offset) =>
      windowOf('2026-10-24 22:00', `2026-10-25 02:30${offset}`),
    );
    expect([early, late].map((w) => w && spanOf(w, '2026-10-24T00:00Z')[1])).toEqual([
      '2026-10-25T00:30',
      '2026-10-25T01:30',
    ]);
  });
});

describe('a window without dates', () => {
  const night = windowOf('22:00', '02:00');

  test.each([
    ['before it opens: the next', '2026-11-21T12:00Z', '2026-11-21T21:00', '2026-11-22T01:00'],
    ['as it opens', '2026-11-21T21:00Z', '2026-11-21T21:00', '2026-11-22T01:00'],
    ['after midnight: the one of the day before', '2026-11-22T00:30Z', '2026-11-21T21:00', '2026-11-22T01:00'],
    ['as it closes: the next', '2026-11-22T01:00Z', '2026-11-22T21:00', '2026-11-23T01:00'],
  ])('%s', (_when, now, opens, closes) => expect(spanOf(night, now)).toEqual([opens, closes]));

  test('opens and closes on one day where it closes later', () => {
    expect(spanOf(windowOf('01:00', '05:00', 'America/New_York'), '2026-07-01T12:00Z')).toEqual([
      '2026-07-02T05:00',
      '2026-07-02T09:00',
    ]);
  });

  test.each([
    ['closes at the first 02:30', '22:00', '02:30', '2026-10-24T21:00Z', '2026-10-24T20:00', '2026-10-25T00:30'],
    ['opens at the second 02:30', '02:30', '05:00', '2026-10-25T00:00Z', '2026-10-25T01:30', '2026-10-25T04:00'],
    [
      'closes before a time that does not exist',
      '22:00',
      '02:30',
      '2026-03-28T21:30Z',
      '2026-03-28T21:00',
      '2026-03-29T00:30',
    ],
    [
      'opens after a time that does not exist',
      '02:30',
      '05:00',
      '2026-03-29T00:00Z',
      '2026-03-29T01:30',
      '2026-03-29T03:00',
    ],
  ])(
    'is never longer than it says in the night of a change of summer time: %s',
    (_what, opens, closes, now, ...span) => {
      expect(spanOf(windowOf(opens, closes), now)).toEqual(span);
    },
  );

  test('that summer time takes away is not there that night', () => {
    expect(spanOf(windowOf('02:00', '03:00'), '2026-03-28T12:00Z')).toEqual(['2026-03-30T00:00', '2026-03-30T01:00']);
  });
});

test.each<[Partial<WindowText>, string]>([
  [{ closes: '2026-11-21 02:00' }, 'closes: 2026-11-21 02:00 is not after 2026-11-21 22:00, when the window opens'],
  [{ zone: 'CEST' }, 'zone: there is no time zone "CEST"'],
  [{ zone: '+01:00' }, 'zone: there is no time zone "+01:00"'],
  [{ opens: '2026-02-30 22:00' }, 'opens: "2026-02-30 22:00" is not a time'],
  [{ opens: '24:00' }, 'opens: "24:00" is not a time'],
  [{ opens: '22:00+01:00' }, 'opens: "22:00+01:00" is not a time'],
  [{ opens: '22:00' }, 'opens: "22:00" has no date, and closes has one'],
  [{ opens: '02:00', closes: '02:00' }, 'closes: the window closes when it opens, at 02:00'],
  [
    { closes: '2027-03-28 02:30' },
    'closes: 2027-03-28 02:30 does not exist in Europe/Berlin: summer time begins in that hour',
  ],
  [
    { closes: '2027-10-31 02:30' },
    'closes: 2027-10-31 02:30 is there twice in Europe/Berlin: summer time ends in that hour',
  ],
])('what is wrong is said: %j', (text, message) => {
  const written = { opens: '2026-11-21 22:00', closes: '2026-11-22 02:00', zone: 'Europe/Berlin', ...text };
  expect(parseWindow(written)).toMatchObject({ message });
});

const zones = fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kathmandu');
const moments = fc.integer({ min: at('2020-01-01T00:00Z'), max: at('2035-01-01T00:00Z') });

test('the moments of what the clocks show have the moment itself among them', () => {
  fc.assert(
    fc.property(zones, moments, (zone, ms) => {
      const minute = ms - (ms % 60_000);
      expect(momentsOf(localAt(minute, zone), zone).at).toContain(minute);
    }),
  );
});

test('a daily window is open, or opens next; it is never longer than its clock times say', () => {
  const minutes = fc.integer({ min: 0, max: 24 * 60 - 1 });
  const clock = (m: number): string =>
    new Date(asUtc({ year: 2026, month: 1, day: 1, hour: 0, minute: m })).toISOString().slice(11, 16);
  fc.assert(
    fc.property(zones, moments, minutes, minutes, (zone, ms, from, to) => {
      fc.pre(from !== to);
      const span = spanAt(windowOf(clock(from), clock(to), zone), ms);
      expect(span.closesMs).toBeGreaterThan(ms);
      expect(span.opensMs).toBeLessThan(span.closesMs);
      expect(isOpen(span, ms)).toBe(span.opensMs <= ms);
      // Clocks that are put back in a window make it an hour longer.
      expect(span.closesMs - span.opensMs).toBeLessThanOrEqual((((to - from + 1440) % 1440) + 60) * 60_000);
    }),
  );
});
