import { describe, expect, test } from '@jest/globals';
import path from 'node:path';
import { keysIn, readItems } from './items.js';
import { readMaterial } from './project.js';
import { unknownKeys } from './used-keys.js';

const root = path.join(import.meta.dirname, '../..');
const { sections, findings } = readItems(path.join(root, 'docs/specification.items.yaml'));

describe('the items of the specification', () => {
  test('are in form', () => {
    expect(findings).toEqual([]);
  });

  test('are all of its sections, down to §9.9', () => {
    const numbered = (key: string, parts: number): readonly string[] =>
      Array.from({ length: parts }, (_, i) => `${key}.${i + 1}`);
    expect(sections.map(({ key }) => key)).toEqual(
      [1, 2, 3, 4, 5, 6, 7, 8, 9].flatMap((n) => [
        `${n}`,
        ...(n === 2 ? numbered('2', 7) : n === 4 ? numbered('4', 4) : n === 9 ? numbered('9', 9) : []),
      ]),
    );
    const keys = keysIn(sections);
    const items: readonly (readonly [string, number])[] = [
      ['5', 5],
      ['9.1', 3],
      ['9.2', 4],
      ['9.3', 7],
      ['9.4', 6],
      ['9.5', 5],
      ['9.6', 6],
      ['9.8', 2],
      ['9.9', 3],
    ];
    expect(items.flatMap(([key, parts]) => numbered(key, parts)).filter((key) => !keys.includes(key))).toEqual([]);
  });

  test('hold every key that playbooks, schemas and docstrings name', () => {
    expect(unknownKeys(root, readMaterial(root), keysIn(sections))).toEqual([]);
  });
});
