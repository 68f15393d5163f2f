import { expect, test } from '@jest/globals';
import { distinctPath } from '../../engine/lib/distinct-path.js';

test.each([
  ['/a/staging/inventory.yaml', '/a/prod/inventory.yaml', 'staging/inventory.yaml'],
  ['/a/staging/conf/inventory.yaml', '/a/prod/conf/inventory.yaml', 'staging/conf/inventory.yaml'],
  ['/a/staging.yaml', '/a/prod.yaml', 'a/staging.yaml'],
  ['staging.yaml', '/a/prod.yaml', 'staging.yaml'],
])('%s beside %s is %s', (path, other, expected) => {
  expect(distinctPath(path, other)).toBe(expected);
});
