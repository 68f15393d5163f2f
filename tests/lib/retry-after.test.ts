import { expect, test } from '@jest/globals';
import { retryAfterMs } from '../../engine/lib/retry-after.js';

const NOW = Date.parse('2026-11-21T12:00:00Z');
const date = (ms: number): string => new Date(ms).toUTCString();

test.each([
  ['seconds', { 'retry-after': '17' }, NOW, 17_000],
  ['seconds, its name written otherwise', { 'Retry-After': '17' }, undefined, 17_000],
  ['a date', { 'retry-after': date(NOW + 9_000) }, NOW, 9_000],
  ['a date, by the answer’s own', { 'retry-after': date(NOW + 9_000), date: date(NOW) }, undefined, 9_000],
  ['a date, and the time is not known', { 'retry-after': date(NOW + 9_000) }, undefined, undefined],
  ['a date that is past', { 'retry-after': date(NOW - 1_000) }, NOW, undefined],
  ['a window that begins anew in seconds', { 'x-ratelimit-reset': '3' }, NOW, 3_000],
  ['a window that begins anew at a moment', { 'ratelimit-reset': String((NOW + 4_000) / 1000) }, NOW, 4_000],
  ['no time', { 'retry-after': 'soon' }, NOW, undefined],
  ['nothing', {}, NOW, undefined],
] as const)('a server that asks for %s', (_, headers, nowMs, waitMs) => {
  expect(retryAfterMs(headers, nowMs)).toBe(waitMs);
});
