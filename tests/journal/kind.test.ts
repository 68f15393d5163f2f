import { expect, test } from '@jest/globals';
import { isOfModel } from '../../engine/journal/kind.js';

test.each([
  ['model: { socket: model.sock }\n', true],
  ['hosts: {}\n"model":\n  from: 4.12.0\n', true],
  ['{ "model": { "from": "4.12.0" } }', true],
  ['vars:\n  model: x\n# model: y\n', false],
  ['{ "vars": { "model": 1 } }', false],
  ['models: {}\n', false],
])('the inventory %j has a model: %j', (text, is) => {
  expect(isOfModel(['hosts: {}\n', text])).toBe(is);
});
