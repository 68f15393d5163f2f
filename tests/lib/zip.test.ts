import { describe, expect, test } from '@jest/globals';
import { zipTexts, type ReadPart } from '../../engine/lib/zip.js';
import { packZip } from './pack-zip.js';

const readIn =
  (bytes: Buffer, asked: number[] = []): ReadPart =>
  (offset, length) => {
    asked.push(length);
    return bytes.subarray(offset, offset + length);
  };
const textsIn = (bytes: Buffer, ...names: readonly string[]) => zipTexts(readIn(bytes), bytes.length, names);

const members = { 'a.txt': 'first', 'lib/a.txt': 'below', 'b.txt': 'no'.repeat(1000) };

describe('the texts of a zip', () => {
  test('by their names, in every directory', () => {
    expect(textsIn(packZip(members), 'a.txt', 'c.txt')).toEqual({ 'a.txt': 'first', 'lib/a.txt': 'below' });
  });
  test('behind a comment, which may look like the end', () => {
    expect(textsIn(packZip(members, 'PK and more'), 'b.txt')).toEqual({ 'b.txt': members['b.txt'] });
  });
  test('of a large one without reading all of it', () => {
    const asked: number[] = [];
    const bytes = Buffer.concat([packZip({ 'a.txt': 'first', 'z.bin': randomText(2_000_000) })]);
    expect(zipTexts(readIn(bytes, asked), bytes.length, ['a.txt'])).toEqual({ 'a.txt': 'first' });
    expect(asked.reduce((sum, length) => sum + length, 0)).toBeLessThan(70_000);
  });
  test.each([
    ['nothing', Buffer.alloc(0)],
    ['a text', Buffer.from('not found '.repeat(10))],
    ['one that was cut', packZip(members).subarray(0, 60)],
    ['one whose directory was overwritten', overwritten(packZip(members))],
  ])('none of %s', (_, bytes) => {
    expect(textsIn(bytes, 'a.txt')).toBeUndefined();
  });
});

/** Text that does not compress to nothing. */
function randomText(length: number): string {
  let [text, seed] = ['', 1];
  while (text.length < length) text += (seed = (seed * 48271) % 2147483647).toString(36);
  return text;
}

function overwritten(bytes: Buffer): Buffer {
  const at = bytes.indexOf('PK\x01\x02');
  bytes.fill(0, at, at + 8);
  return bytes;
}
