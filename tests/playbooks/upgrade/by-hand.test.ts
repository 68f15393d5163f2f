import { describe, expect, test } from '@jest/globals';
import { advance, runProgram, startService } from '../../../engine/platforms/security-monitoring/simulator/platform.js';
import type { PlatformState } from '../../../engine/platforms/security-monitoring/simulator/state.js';
import type { Ran } from '../../run/bench-hosts.js';
import { interruptedAfter } from '../interrupted-after.js';
import { platform } from '../platform-bench.js';
import { actedAtAll, actedOn, edit, endOf, hostOf, warningsOf } from '../platform-looks.js';

/** An upgrade that was stopped after a step on a host, and closed. What was then done by hand is up to each test. */
async function stoppedAfter(step: string, host: string, from = '4.12.0') {
  const bench = await platform({ from });
  const first = await interruptedAfter(bench, step, host);
  expect((await bench.run('close', { past: first.recorded })).end).toBe('closed');
  return bench;
}

const start = (state: PlatformState, host: string, unit: string): void => {
  startService(state, hostOf(state, host), unit);
  advance(state, 120_000);
};
const optionsOf = (state: PlatformState, host: string): string =>
  hostOf(state, host).files[state.names.indexer.jvm_options]?.text ?? '';
const stopped = (ran: Ran): readonly string[] => actedOn(ran, 'Stop the indexer');

describe('what an operator does between a release and the next apply', () => {
  test('the last indexer started: it gets its JVM settings all the same, and runs with them', async () => {
    const { run, state } = await stoppedAfter('Upgrade the package', 'indexer-1');
    start(state, 'indexer-1', 'platform-indexer');
    const ran = await run('apply', { name: 'second', answer: 'yes' });
    expect(endOf(ran)).toEqual(['done']);
    expect(optionsOf(state, 'indexer-1')).toBe(optionsOf(state, 'indexer-2'));
    expect(actedOn(ran, 'Start the indexer')).toEqual(['indexer-1']);
  });

  test('the dashboard started: it gets the default route of §9.6.4', async () => {
    const { run, state } = await stoppedAfter('Upgrade the package', 'dashboard-1', '4.7.5');
    start(state, 'dashboard-1', 'platform-dashboard');
    expect(endOf(await run('apply', { name: 'second', answer: 'yes' }))).toEqual(['done']);
    expect(hostOf(state, 'dashboard-1').files[state.names.dashboard.config]?.text).toMatch(
      /^uiSettings\.overrides\.defaultRoute: "?\/app\/platform-home"?$/m,
    );
  });
});

describe('what was upgraded by hand, and never from here', () => {
  test('a node without a copy of its JVM options: the upgrade leaves it alone, and upgrades the others', async () => {
    const { run, state } = await platform({ at: { 'indexer-2': '4.14.7' } });
    const before = optionsOf(state, 'indexer-2');
    const ran = await run('apply');
    expect(endOf(ran)).toEqual(['done']);
    expect([stopped(ran), optionsOf(state, 'indexer-2')]).toEqual([['indexer-3', 'indexer-1'], before]);
  });

  test('a manager whose ruleset lacks a list: that is reported, and no list is added', async () => {
    const { run, state } = await platform({ at: { 'server-1': '4.14.7' } });
    const { config } = state.names.manager;
    edit(state, ['server-1'], config, (t) => t.replace(/ *<list>etc\/lists\/malicious-ioc-md5<\/list>\n/, ''));
    const before = hostOf(state, 'server-1').files[config]?.text;
    const ran = await run('apply');
    expect(endOf(ran)).toEqual(['done']);
    expect(warningsOf(ran).filter((w) => w.includes('its ruleset lacks a list'))).toHaveLength(1);
    expect(hostOf(state, 'server-1').files[config]?.text).toBe(before);
  });
});

test('a record of an upgrade that was taken back, or went elsewhere, says nothing of the next one', async () => {
  const { run, state } = await stoppedAfter('Record the previous version', 'server-2', '4.13.1');
  edit(state, ['server-2'], '/var/lib/runbook/pending/upgrade-of-manager', () => '4.7.5-1 4.14.6-1\n');
  const ran = await run('apply', { name: 'second', answer: 'yes' });
  expect(endOf(ran)).toEqual(['done']);
  expect(actedAtAll(ran)).not.toContain('Add the ruleset fragment');
});

describe('a node that an interrupted upgrade stopped, and that was upgraded by hand before its options were copied', () => {
  const byHand = async () => {
    const bench = await stoppedAfter('Stop the indexer', 'indexer-2');
    const { state } = bench;
    const argv = ['apt-get', 'install', '-y', '-o', 'Dpkg::Options::=--force-confold', 'platform-indexer=4.14.7-1'];
    edit(state, ['indexer-2'], '/etc/apt/sources.list.d/platform.list', (t) => t.replace('#deb', 'deb'));
    expect(runProgram(state, hostOf(state, 'indexer-2'), ['apt-get', 'update']).exit).toBe(0);
    expect(runProgram(state, hostOf(state, 'indexer-2'), argv)).toMatchObject({ exit: 0 });
    edit(state, ['indexer-2'], '/etc/apt/sources.list.d/platform.list', (t) => t.replace('deb', '#deb'));
    start(state, 'indexer-2', 'platform-indexer');
    return bench;
  };

  test('gets its JVM settings from the backup of the first run', async () => {
    const { run, state } = await byHand();
    edit(state, ['indexer-2'], state.names.indexer.jvm_options, (t) => t.replace('-Xms8g\n-Xmx8g', '-Xms1g\n-Xmx1g'));
    expect(endOf(await run('apply', { name: 'second', answer: 'yes' }))).toEqual(['done']);
    expect(optionsOf(state, 'indexer-2')).toBe(optionsOf(state, 'indexer-3'));
  });

  test('without that backup nothing is changed, and what is missing is named', async () => {
    const { run, state } = await byHand();
    const backup = `/var/backups/runbook/before-4.14/4.12.0${state.names.indexer.jvm_options}`;
    Reflect.deleteProperty(hostOf(state, 'indexer-2').files, backup);
    const ran = await run('apply', { name: 'second', answer: 'yes' });
    expect([ran.end, actedAtAll(ran)]).toEqual(['refused', []]);
    expect(endOf(ran)[1]).toContain(`indexer-2: neither ${state.names.indexer.jvm_options}.bak nor ${backup} exists`);
  });
});
