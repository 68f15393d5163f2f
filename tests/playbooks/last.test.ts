import { expect, test } from '@jest/globals';
import type { PlatformFact } from '../../engine/terms/playbook.js';
import { platform } from './platform-bench.js';

/** What a plan warns of the order of hosts, with these facts in the place of those of the platform. */
async function warned(facts: Readonly<Record<string, PlatformFact>>): Promise<readonly string[]> {
  const { run } = await platform({}, (project) => ({
    ...project,
    platform: { ...project.platform, facts: { ...project.platform.facts, ...facts } },
  }));
  const { events } = await run('plan');
  return events.flatMap((e) => (e.e === 'warned' && e.text.includes('puts no host last') ? [e.text] : []));
}

test('a fact of `last` that names no host, or that cannot be read, is reported', async () => {
  expect(await warned({})).toEqual([]);
  expect(
    await warned({
      eligible: { description: '', endpoint: 'indexer', path: '/_cluster/health', pointer: '/status' },
      elected: { description: '', endpoint: 'indexer', path: '/_cat/nothing', pointer: '/0/node' },
    }),
  ).toEqual([
    'fact.eligible puts no host last in "Upgrade each node": it names no host of the inventory (green)',
    expect.stringMatching(/^fact\.elected puts no host last in "Upgrade each node": it cannot be read: \w/),
  ]);
});
