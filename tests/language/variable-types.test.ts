import { expect, test } from '@jest/globals';
import type { Platform } from '../../engine/terms/playbook.js';
import { decoded, misfit, typeOfVariable, type VariableType } from '../../engine/language/types/variable-types.js';

test.each<readonly [VariableType | undefined, string, unknown]>([
  ['boolean', 'true', true],
  ['boolean', 'false', false],
  ['boolean', 'yes', 'yes'],
  ['number', '12', 12],
  ['number', '-1.5', -1.5],
  ['number', '12 ', '12 '],
  ['duration', '10', '10'],
  [undefined, 'true', 'true'],
])('a text of -e for a %j: %j', (type, text, value) => {
  expect(decoded(type, text)).toBe(value);
});

test.each<readonly [VariableType, unknown[], unknown[]]>([
  ['boolean', [true, false, '{{vars.x}}'], ['true', 1, null]],
  ['number', [0, 1.5], ['0', true]],
  ['duration', ['10m', '1h30m', ''], ['20 minutes', 10, [], '10']],
  ['size', ['3GB', '500MB'], ['3', '3 gigs']],
  ['version', ['4.9', '4.14.7', '4.14.7-1', '0'], [4.9, 'four']],
  ['count', [0, 1000, '10%', '5'], ['abc', '101%', -1, true]],
  [
    ['take', 'none'],
    ['take', 'none'],
    ['nonee', '', true],
  ],
])('values of the type %j', (type, right, wrong) => {
  for (const value of right) expect([value, misfit(type, value as string)]).toEqual([value, undefined]);
  for (const value of wrong) expect([value, misfit(type, value as string) === undefined]).toEqual([value, false]);
});

test('a variable has the type that is declared, else that of its default; a name of JavaScript has none', () => {
  const platform = { types: { limit: 'duration' }, vars: { limit: '10m', most: 3, on: true, text: 'x' } };
  const typed = (name: string) => typeOfVariable(platform as unknown as Platform, name);
  expect(['limit', 'most', 'on', 'text', 'constructor'].map(typed)).toEqual([
    'duration',
    'number',
    'boolean',
    undefined,
    undefined,
  ]);
});
