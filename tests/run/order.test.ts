import { describe, expect, test } from '@jest/globals';
import { join } from 'node:path';
import { readFileSync } from 'node:fs';
import { loadTexts } from '../../engine/language/load.js';
import type { Project } from '../../engine/language/project.js';
import { createPlatformState, type ModelSeed } from '../../engine/model/create.js';
import type { RunOptions } from '../../engine/run/run.js';
import { runOn, shippedProject } from './platform-bench.js';
import { actedAtAll, endOf } from './platform-looks.js';

const INDEXERS = { 'indexer-1': '4.14.7', 'indexer-2': '4.14.7', 'indexer-3': '4.14.7' };

/** One component's playbook by itself, upon a platform at 4.12.0. */
async function alone(
  playbook: string,
  seed: Partial<ModelSeed> = {},
  options: Partial<RunOptions> = {},
  change = (p: Project) => p,
) {
  const project = change(await shippedProject(playbook));
  const state = createPlatformState({ from: '4.12.0', inventory: project.inventory, ...seed });
  return { state, ran: await runOn(project, state, 'apply', { options }) };
}

describe('out of the order of §9.2', () => {
  test.each([
    ['server.yaml', {}, 'servers come after all indexers'],
    ['server.yaml', { 'indexer-1': '4.14.7', 'indexer-3': '4.14.7' }, 'indexer-2 is 4.12.0'],
    ['dashboard.yaml', {}, 'dashboards come after all indexers and servers'],
    ['dashboard.yaml', { ...INDEXERS, 'server-1': '4.14.7' }, 'server-2 is 4.12.0'],
  ])('%s is refused before its first change, hosts at the target: %j', async (playbook, at, why) => {
    for (const options of [
      {},
      { tags: new Set(['some']) },
      { limit: new Set(['server-2', 'dashboard-1', 'linux-1']) },
    ]) {
      const { ran } = await alone(playbook, { at }, options);
      expect([endOf(ran)[0], endOf(ran)[1], actedAtAll(ran)]).toEqual(['refused', expect.stringContaining(why), []]);
    }
  });

  test('agents.yaml as well', async () => {
    const { ran } = await alone('agents.yaml', { at: INDEXERS });
    expect([endOf(ran)[0], endOf(ran)[1], actedAtAll(ran)]).toEqual([
      'refused',
      expect.stringContaining('agents come after all central components'),
      [],
    ]);
  });

  test('server.yaml by itself goes on where every indexer is at the target', async () => {
    const { ran } = await alone('server.yaml', { at: INDEXERS });
    expect(endOf(ran)).not.toContainEqual(expect.stringContaining('servers come after'));
  });
});

test.each(['4.11.2', '4.7.5'])('a target of %s is refused with the reason, under --tags as well', async (target) => {
  const to = (p: Project): Project => ({
    ...p,
    inventory: { ...p.inventory, platform: { ...p.inventory.platform, target } },
  });
  const { ran } = await alone('upgrade-4.14.yaml', {}, { tags: new Set(['some']) }, to);
  expect(endOf(ran)).toContainEqual(expect.stringMatching(/downgrade to 4\.11 or earlier is impossible.*§7, §9\.9\.1/));
  expect([ran.end, actedAtAll(ran)]).toEqual(['refused', []]);
});

describe('indexers are taken one at a time', () => {
  const root = process.cwd();
  const read = (name: string) => ({
    file: join(root, 'playbooks', name),
    text: readFileSync(join(root, 'playbooks', name), 'utf8'),
  });
  const inventory = join(root, 'tests/demo/inventory.yaml');
  const mistakesOf = async (serial: string): Promise<readonly string[]> => {
    const indexer = read('indexer.yaml');
    const loaded = await loadTexts({
      playbook: [{ ...indexer, text: indexer.text.replace('    serial: 1\n', serial) }, read('platform.yaml')],
      inventory: [{ file: inventory, text: readFileSync(inventory, 'utf8') }],
      cwd: root,
      env: {},
    });
    return loaded.ok ? [] : loaded.diagnostics.map((d) => d.message);
  };

  test.each([
    ['    serial: 1\n', []],
    ['    serial: 2\n', ['play "Upgrade each node": several hosts of role "indexer" at once']],
    ['    serial: [1, 2]\n', ['play "Upgrade each node": several hosts of role "indexer" at once']],
    ['    serial: "50%"\n', ['play "Upgrade each node": several hosts of role "indexer" at once']],
    ['', ['play "Upgrade each node": stops and upgrades all hosts of role "indexer" at once']],
  ])('whatever somebody writes: %j', async (serial, mistakes) => {
    expect(await mistakesOf(serial)).toEqual(mistakes);
  });
});
