import type { Scenario } from '../interrupted/scenarios.js';
import { SCENARIOS } from '../interrupted/scenarios.js';
import { shaped, SHAPES } from '../playbooks/platform-shapes.js';

/** Platforms that are upgraded: from each release line, in each shape, as DEB and as RPM. */
export const SITUATIONS: readonly Scenario[] = [
  ...SCENARIOS,
  ...['4.8.2', '4.10.3', '4.13.1', '4.14.6'].map((from) => ({ name: `from ${from}`, seed: { from } })),
  { name: 'RPM hosts', seed: { rpmHosts: ['indexer-3', 'server-2', 'linux-2'] } },
  ...Object.entries(SHAPES).map(([name, shape]) => ({ name, seed: {}, shape: shaped(shape) })),
];
