import { describe, expect, it } from '@jest/globals';
import { nearest } from '../../engine/lib/nearest.js';

describe('nearest', () => {
  it.each<readonly [string, readonly string[], string | undefined]>([
    ['unti', ['unit', 'state', 'enabled'], 'unit'],
    ['Unit', ['unit', 'units'], 'unit'],
    ['systemctrl', ['systemctl', 'package'], 'systemctl'],
    ['indxer.servce', ['indexer.service', 'manager.service'], 'indexer.service'],
    ['replicas', ['unit', 'state'], undefined],
    ['on', ['to', 'at'], undefined],
    ['x', [], undefined],
  ])('%p of %p is %p', (word, candidates, expected) => {
    expect(nearest(word, candidates)).toBe(expected);
  });
});
