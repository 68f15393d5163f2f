import { describe, expect, it } from '@jest/globals';
import { isSlipOf, nearest } from '../../engine/lib/nearest.js';

describe('nearest', () => {
  it.each<readonly [string, readonly string[], string | undefined]>([
    ['unti', ['unit', 'state', 'enabled'], 'unit'],
    ['Unit', ['unit', 'units'], 'unit'],
    ['systemctrl', ['systemctl', 'package'], 'systemctl'],
    ['indxer.servce', ['indexer.service', 'manager.service'], 'indexer.service'],
    ['nope', ['role', 'host'], undefined],
    ['haep', ['heap', 'keep'], 'heap'],
    ['replicas', ['unit', 'state'], undefined],
    ['on', ['to', 'at'], undefined],
    ['x', [], undefined],
  ])('%p of %p is %p', (word, candidates, expected) => {
    expect(nearest(word, candidates)).toBe(expected);
  });
});

describe('isSlipOf', () => {
  it.each<readonly [string, string, boolean]>([
    ['shipper_revison', 'shipper_revision', true],
    ['Heaps', 'heap', true],
    ['haep', 'heap', true],
    ['leap', 'heap', true],
    ['node_type', 'node_name', false],
    ['heap', 'heap', false],
    ['disk1', 'disk2', false],
    ['disk', 'disk1', false],
    ['abc', 'ab', false],
  ])('%p of %p is %p', (word, other, expected) => {
    expect(isSlipOf(word, other)).toBe(expected);
  });
});
