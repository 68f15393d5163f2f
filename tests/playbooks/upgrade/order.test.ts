import { describe, expect, test } from '@jest/globals';
import { join } from 'node:path';
import { readFileSync } from 'node:fs';
import { loadTexts } from '../../../engine/language/load.js';
import type { Project } from '../../../engine/language/project.js';
import { createPlatformState, type ModelSeed } from '../../../engine/platforms/security-monitoring/simulator/create.js';
import type { RunOptions } from '../../../engine/run/run.js';
import type { PlatformState } from '../../../engine/platforms/security-monitoring/simulator/state.js';
import type { Ran } from '../../run/bench-hosts.js';
import { platform, runOn, shippedProject } from '../platform-bench.js';
import { actedAtAll, actedOn, edit, endOf, hostOf, warningsOf } from '../platform-looks.js';

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
    [
      'server.yaml',
      { 'indexer-1': '4.14.7', 'indexer-3': '4.14.7' },
      '(indexer-2: installed.indexer is 4.12.0-1, not 4.14.7)',
    ],
    ['dashboard.yaml', {}, 'dashboards come after all indexers and servers'],
    [
      'dashboard.yaml',
      { ...INDEXERS, 'server-1': '4.14.7' },
      '(server-2: installed.manager is 4.12.0-1, not >= 4.14.7-1',
    ],
  ])('%s is refused before its first change, hosts at the target: %j', async (playbook, at, why) => {
    for (const options of [{}, { limit: new Set(['server-2', 'dashboard-1', 'linux-1']) }]) {
      const { ran } = await alone(playbook, { at }, options);
      expect([endOf(ran)[0], endOf(ran)[1], actedAtAll(ran)]).toEqual(['refused', expect.stringContaining(why), []]);
    }
  });

  test('agents.yaml as well', async () => {
    const { ran } = await alone('agents.yaml', { at: INDEXERS });
    expect([endOf(ran)[0], endOf(ran)[1], actedAtAll(ran)]).toEqual([
      'refused',
      expect.stringContaining('a server does not manage an agent that is newer'),
      [],
    ]);
  });

  test('server.yaml by itself goes on where every indexer is at the target', async () => {
    const { ran } = await alone('server.yaml', { at: INDEXERS });
    expect(endOf(ran)).not.toContainEqual(expect.stringContaining('servers come after'));
  });
});

test.each(['4.11.2', '4.7.5'])('a target of %s is refused with the reason', async (target) => {
  const to = (p: Project): Project => ({
    ...p,
    inventory: { ...p.inventory, platform: { ...p.inventory.platform, target } },
  });
  const { ran } = await alone('upgrade-4.14.yaml', {}, {}, to);
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
  const imported = (text: string): readonly string[] =>
    [...text.matchAll(/import: ([\w./-]+\.yaml)/g)].flatMap(([, to = '']) => [to, ...imported(read(to).text)]);
  const mistakesOf = async (serial: string): Promise<readonly string[]> => {
    const indexer = read('indexer.yaml');
    const loaded = await loadTexts({
      playbook: [
        { ...indexer, text: indexer.text.replace('    serial: 1\n', serial) },
        ...['platform.yaml', ...imported(indexer.text)].map(read),
      ],
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
  ])('whatever is written: %j', async (serial, mistakes) => {
    expect(await mistakesOf(serial)).toEqual(mistakes);
  });
});

describe('the security configuration', () => {
  const DIR = '/etc/platform-indexer/security';
  const PUSH = 'Apply the security configuration';
  /** An upgrade in which something happens once a step ended on the first indexer. */
  async function when(step: string, happens: (state: PlatformState) => void): Promise<Ran> {
    const { run, state } = await platform();
    let happened = false;
    return run('apply', {
      on: ({ event }) => {
        if (event.e !== 'settled' || !event.task.step.endsWith(step) || happened) return;
        happened = true;
        happens(state);
      },
    });
  }

  test.each([
    ['missing', (state: PlatformState) => Reflect.deleteProperty(hostOf(state, 'indexer-1').files, `${DIR}/roles.yml`)],
    ['empty', (state: PlatformState) => edit(state, ['indexer-1'], `${DIR}/roles.yml`, () => '')],
  ])('is not pushed while a file of the backup is %s: the cluster keeps its own', async (_, happens) => {
    const ran = await when('Restore the cluster settings/Back up the security configuration', happens);
    expect(endOf(ran)).toEqual(['failed', expect.stringMatching(/^Security backup is complete: .*roles/s)]);
    expect(actedOn(ran, PUSH)).toEqual([]);
  });

  test('is backed up again after the push; what differs is reported by its file', async () => {
    const ran = await when(PUSH, ({ cluster }) => (cluster.security['roles'] = 'changed by hand\n'));
    expect(endOf(ran)).toEqual(['done']);
    expect(warningsOf(ran)).toContainEqual(expect.stringContaining(`${DIR}/roles.yml is not what the cluster has`));
    const quiet = await when(PUSH, () => undefined);
    expect(warningsOf(quiet)).not.toContainEqual(expect.stringContaining('is not what the cluster has'));
  });
});

describe('before the shippers are stopped, the plan', () => {
  const warned = async (seed: Partial<ModelSeed>): Promise<readonly string[]> => {
    const { run } = await platform(seed);
    return warningsOf(await run('plan'));
  };
  const midnight = expect.stringContaining('log rotation while the shipper is stopped') as unknown;
  const writers = expect.stringContaining('the managers continue to write to the indexer') as unknown;

  test.each([
    ['22:29', 0],
    ['22:31', 1],
  ])('at %s warns of midnight on %d side of 90 minutes', async (time, warns) => {
    const texts = await warned({ startMs: Date.parse(`2026-11-21T${time}:00Z`) });
    expect(texts.filter((t) => /log rotation while/.test(t))).toHaveLength(warns * 2);
    if (warns === 1) expect(texts).toContainEqual(midnight);
  });

  test.each([
    ['4.7.5', false],
    ['4.8.0', true],
  ])('from %s names the managers as writers: %s', async (from, warns) => {
    const texts = await warned({ from });
    if (warns) expect(texts).toContainEqual(writers);
    else expect(texts).not.toContainEqual(writers);
  });
});
