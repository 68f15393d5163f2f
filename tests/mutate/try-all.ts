import { test } from '@jest/globals';
import { keepCourse } from './kept-courses.js';
import { follow, type Scenario } from './scenario.js';
import { Shipped } from './shipped.js';

/** Each scenario as a test of the playbooks as they are shipped. What it came by is kept for `npm run mutate`. */
export function tryAll(scenarios: readonly Scenario[]): void {
  const shipped = new Shipped();
  for (const scenario of scenarios)
    test(scenario.name, async () => {
      keepCourse(await follow(scenario, shipped));
    });
}
