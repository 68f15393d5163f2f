import { expect, test } from '@jest/globals';
import { isHostAddress } from '../../engine/lib/host-address.js';

test.each([
  ['10.0.0.21', true],
  ['fe80::1', true],
  ['fe80::1%eth0', true],
  ['web-1.example.com', true],
  ['web-1.example.com.', true],
  ['_srv', true],
  ['a', true],
  ['', false],
  ['web 1', false],
  ['10.0.0.1; id', false],
  ['dash<script>', false],
  ['https://web-1', false],
  ['web-1:22', false],
  ['-web', false],
  ['web..example', false],
  ['.', false],
  ['a'.repeat(64), false],
])('%s is an address: %p', (text, is) => {
  expect(isHostAddress(text)).toBe(is);
});
