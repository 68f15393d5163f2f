import { expect, test } from '@jest/globals';
import { tryDamages, type Case } from './try.js';

/** `npm run damages` tries 10,000; these are those of the first seeds: each damage of each file twice. */
const SEEDS = 300;

test('a damage of a file that a run relies on is noticed, or has no effect', async () => {
  const cases: Case[] = [];
  for await (const one of tryDamages(Array.from({ length: SEEDS }, (_, seed) => seed))) cases.push(one);
  expect(cases.filter(({ is }) => is === 'accepted' || is === 'crash')).toEqual([]);
  expect(cases.filter(({ is }) => is === 'noticed').length).toBeGreaterThan(SEEDS / 2);
});
