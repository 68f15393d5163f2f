import { expect, test } from '@jest/globals';
import { printable } from '../../engine/report/style.js';

test('a text longer than one piece is shown without what would steer a terminal', () => {
  const text = `a${'\0'.repeat(3_000_000)}\u202eb\n`;
  const shown = printable(text);
  expect([shown.length, shown.slice(0, 9), shown.slice(-12)]).toEqual([
    1 + 12_000_000 + 8,
    'a\\x00\\x00',
    '\\x00\\u202eb\n'.slice(-12),
  ]);
});
