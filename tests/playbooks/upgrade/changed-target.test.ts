import { describe, expect, test } from '@jest/globals';
import type { Project } from '../../../engine/language/project.js';
import { createPlatformState } from '../../../engine/platforms/security-monitoring/simulator/create.js';
import type { PlatformState } from '../../../engine/platforms/security-monitoring/simulator/state.js';
import { differences, endState } from '../end-state.js';
import { runOn, shippedProject } from '../platform-bench.js';
import { edit, endOf, hostOf } from '../platform-looks.js';

const TARGETS = ['4.14.5', '4.14.6', '4.14.7'] as const;
/** Copies that say when they were made, and of the backups what the indexer's tool writes and the middle release left. */
const PASSING =
  /\/(log|logs|registry|alerts)\/|\/var\/lib\/apt\/lists\/|\/archives\/|\.\d{8}T\d{6}Z|\.bak|\/packages\/|\/before-4\.14\/(saved-objects|fetched\/former-|\S*4\.14\.\d)|\/security\//;

const shipped = shippedProject();
const wanting = async (target: string): Promise<Project> => {
  const project = await shipped;
  return { ...project, inventory: { ...project.inventory, platform: { ...project.inventory.platform, target } } };
};
async function createState(from: string): Promise<PlatformState> {
  const { inventory } = await wanting('4.14.7');
  const state = createPlatformState({ from, inventory, offers: TARGETS });
  const indexers = ['indexer-1', 'indexer-2', 'indexer-3'];
  edit(state, indexers, state.names.indexer.jvm_options, (text) => `${text}-Dours=1\n`);
  return state;
}

/** An upgrade to this version that ends after a step on a host, and is released. */
async function stopAfter(state: PlatformState, target: string, step: string, host: string): Promise<void> {
  const project = await wanting(target);
  let stopping = false;
  const ran = await runOn(project, state, 'apply', {
    name: target,
    answer: 'yes',
    stopping: () => stopping,
    on: ({ event: e }) => {
      stopping ||= e.e === 'settled' && e.name === step && 'host' in e.task.on && e.task.on.host === host;
    },
  });
  expect([ran.end, ...endOf(ran).slice(1)]).toEqual(['interrupted']);
  expect((await runOn(project, state, 'close', { past: ran.recorded })).end).toBe('closed');
}

async function finish(state: PlatformState): Promise<void> {
  const ran = await runOn(await wanting('4.14.7'), state, 'apply', { name: 'last', answer: 'yes' });
  expect(endOf(ran)).toEqual(['done']);
}

const uninterrupted = new Map<string, Promise<Readonly<Record<string, string>>>>();
function endFrom(from: string): Promise<Readonly<Record<string, string>>> {
  const known =
    uninterrupted.get(from) ?? createState(from).then(async (state) => (await finish(state), endState(state, PASSING)));
  uninterrupted.set(from, known);
  return known;
}

type Stop = readonly [target: string, step: string, host: string];
const CASES: readonly (readonly [from: string, ...stops: readonly Stop[]])[] = [
  ['4.12.0', ['4.14.6', 'Stop the indexer', 'indexer-2']],
  ['4.12.0', ['4.14.6', 'Upgrade the package', 'indexer-2']],
  ['4.12.0', ['4.14.6', 'Start the indexer', 'indexer-1']],
  ['4.12.0', ['4.14.6', 'Apply the security configuration', 'indexer-1']],
  ['4.12.0', ['4.14.6', 'Upgrade the manager', 'server-2']],
  ['4.12.0', ['4.14.6', 'Install the index template', 'server-2']],
  ['4.7.5', ['4.14.6', 'Upgrade the manager', 'server-2']],
  ['4.7.5', ['4.14.6', 'Upgrade the package', 'dashboard-1']],
  ['4.12.0', ['4.14.5', 'Upgrade the manager', 'server-2'], ['4.14.6', 'Stop the manager', 'server-2']],
  ['4.7.5', ['4.14.5', 'Upgrade the manager', 'server-1'], ['4.14.6', 'Upgrade the manager', 'server-1']],
  ['4.12.0', ['4.14.5', 'Upgrade the package', 'indexer-1'], ['4.14.6', 'Stop the indexer', 'indexer-1']],
];

describe('an upgrade that is interrupted and applied again with another target ends as one that went there at once', () => {
  test.each(CASES.map(([from, ...stops]) => ({ from, stops, title: stops.map((s) => s.join(' ')).join(', ') })))(
    'from $from: $title',
    async ({ from, stops }) => {
      const state = await createState(from);
      for (const stop of stops) await stopAfter(state, ...stop);
      await finish(state);
      expect(differences(await endFrom(from), endState(state, PASSING))).toEqual([]);
    },
  );
});

test('the backups of the first version outlast every target: configuration, defaults and packages', async () => {
  const state = await createState('4.12.0');
  const { jvm_options } = state.names.indexer;
  const { config } = state.names.manager;
  const text = (host: string, path: string): string | undefined => hostOf(state, host).files[path]?.text;
  const before = { jvm: text('indexer-2', jvm_options), manager: text('server-2', config) };
  await stopAfter(state, '4.14.5', 'Start the indexer', 'indexer-2');
  await stopAfter(state, '4.14.6', 'Upgrade the manager', 'server-2');
  await finish(state);
  const backup = '/var/backups/runbook/before-4.14/4.12.0';
  expect({
    jvm: text('indexer-2', `${backup}${jvm_options}`),
    manager: text('server-2', `${backup}${config}`),
  }).toEqual(before);
  expect(text('indexer-2', `${backup}/engine-version`)).toBe('2.19.1');
});
