import { test } from '@jest/globals';
import type { Scenario } from './scenario.js';
import { Shipped } from './shipped.js';
import { Stage } from './stage.js';

/** Each scenario as a test of the playbooks as they are shipped. */
export function tryAll(scenarios: readonly Scenario[]): void {
  const shipped = new Shipped();
  for (const { name, run } of scenarios) test(name, () => run(new Stage(shipped)));
}
