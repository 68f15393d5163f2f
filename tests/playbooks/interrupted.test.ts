import { describe, expect, test } from '@jest/globals';
import { casesOf, tryCase, wholeUpgrade, type Case } from '../interrupted/cases.js';
import { platformOf, SCENARIOS } from '../interrupted/scenarios.js';
import { shippedProject } from './platform-bench.js';

/** `npm run interrupted` tries every case; these are a few of each scenario, others with another seed. */
const SEED = Number(process.env['INTERRUPTED_SEED'] ?? '1');
const EACH = 3;

/** Cases that lie apart, from a place that hangs on the seed. */
function share(cases: readonly Case[], scenario: number): readonly Case[] {
  const stride = cases.length / EACH;
  const first = ((SEED * 7919 + scenario * 104_729) % 1000) / 1000;
  return Array.from({ length: EACH }, (_, i) => cases[Math.floor((i + first) * stride)]).flatMap((c) => c ?? []);
}

describe('an upgrade that was interrupted, released or its run folder lost, and applied again', () => {
  test.each(SCENARIOS.map((scenario, i) => ({ ...scenario, i })))(
    '$name: ends as the uninterrupted one, or is refused before any change',
    async ({ i, ...scenario }) => {
      const { project, state } = platformOf(await shippedProject(), scenario);
      const whole = await wholeUpgrade(project, state);
      for (const one of share(casesOf(whole), i)) {
        const result = await tryCase(project, whole, one);
        expect({ seed: SEED, case: one.name, result }).not.toMatchObject({ result: { is: 'different' } });
      }
    },
  );
});
