import { expect, test } from '@jest/globals';
import { showBytes, sizeBytes } from '../../engine/lib/bytes.js';

test.each<readonly [string, number | undefined]>([
  ['0B', 0],
  ['2GB', 2_000_000_000],
  ['1.5 GiB', 1_610_612_736],
  ['10kB', 10_000],
  ['10', undefined],
  ['2gb', undefined],
  ['-1GB', undefined],
])('%s is a size', (text, bytes) => {
  expect(sizeBytes(text)).toBe(bytes);
});

test.each<readonly [number, string]>([
  [0, '0 B'],
  [999, '999 B'],
  [1_000, '1 kB'],
  [870_000_000, '870 MB'],
  [1_999_999_999, '1.9 GB'],
])('%d bytes for people, never more than there are', (bytes, text) => {
  expect(showBytes(bytes)).toBe(text);
});
