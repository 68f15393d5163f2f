import { expect, test } from '@jest/globals';
import type { PlatformState } from '../../engine/platforms/security-monitoring/simulator/state.js';
import { platform } from './platform-bench.js';
import { actedAtAll, edit, endOf } from './platform-looks.js';

const manager = (by: (text: string) => string) => (state: PlatformState) =>
  edit(state, ['server-2'], state.names.manager.config, by);
const heap = (by: (text: string) => string) => (state: PlatformState) =>
  edit(state, ['indexer-2'], state.names.indexer.jvm_options, by);
const dashboard = (by: (text: string) => string) => (state: PlatformState) =>
  edit(state, ['dashboard-1'], state.names.dashboard.config, by);

interface Case {
  readonly it: string;
  readonly make?: (state: PlatformState) => void;
  readonly vars?: Readonly<Record<string, string | readonly string[]>>;
  readonly says: RegExp;
}

const CASES: readonly Case[] = [
  {
    it: 'a manager configuration with an element that is not closed',
    make: manager((text) => text.replace('  </ruleset>\n', '')),
    says: /^Certificate is valid \[indexer connector\]: \S+platform\.conf cannot be read as XML: line \d+: <ruleset> is closed by <\/platform_config>.* \| correct what/,
  },
  {
    it: 'half of a manager configuration',
    make: manager((text) => text.slice(0, text.length / 2)),
    says: /^Certificate is valid \[indexer connector\]: \S+platform\.conf cannot be read as XML: line \d+: .* is never closed/,
  },
  {
    it: 'a manager configuration that is none at all',
    make: manager(() => 'nothing\n'),
    says: /^Certificate is valid \[indexer connector\]: \S+platform\.conf cannot be read as XML: line 1: text stands outside/,
  },
  {
    it: 'an empty manager configuration',
    make: manager(() => ''),
    says: /^Ruleset fragment can be added: \S+platform\.conf: it has no root <platform_config> \| the file is empty/,
  },
  {
    it: 'a manager configuration that its own test refuses, with what that says',
    make: manager((text) => text.replace('etc/lists/audit-keys', 'etc/lists/gone')),
    says: /^Manager configuration test passes: .* status 1: .*Could not open file 'etc\/lists\/gone'/,
  },
  {
    it: 'a manager configuration with a second ruleset, into which no list can be added',
    make: manager((text) =>
      text.replace('  </ruleset>\n', '  </ruleset>\n  <ruleset>\n    <list>etc/lists/ours</list>\n  </ruleset>\n'),
    ),
    says: /^Ruleset fragment can be added: \S+platform\.conf: <ruleset> stands 2 times .* \| merge them by hand into one/,
  },
  {
    it: 'heap lines that contradict each other',
    make: heap((text) => text.replace('-Xmx8g', '-Xmx4g')),
    says: /^Java accepts its options: indexer-2: the indexer would not start: heap sizes -Xms8g and -Xmx4g differ .* \| correct or remove that line/,
  },
  {
    it: 'a second pair of heap lines',
    make: heap((text) => `${text}-Xms2g\n-Xmx2g\n`),
    says: /^JVM options can be reapplied: \S+jvm\.options: .*contradict each other/,
  },
  {
    it: 'a dashboard configuration with a tab',
    make: dashboard((text) => `${text}ours:\n\tx: 1\n`),
    says: /\S+dashboard\S*\.yml: line \d+, column 1: Tabs are not allowed as indentation; indent with spaces/,
  },
  {
    it: 'a dashboard configuration with one key twice',
    make: dashboard((text) => `${text}server.port: 444\n`),
    says: /\S+dashboard\S*\.yml: line \d+, column 1: Map keys must be unique; leave one of the two/,
  },
  {
    it: 'agents that do not exist',
    vars: { agents_ids: ['001', '777'], agents_names: ['web-*', 'no-agent'] },
    says: /^Selected agents exist: no agent has the id or name 777, no-agent \| correct the choice/,
  },
  {
    it: 'agents that do not exist, as a text with commas',
    vars: { agents_ids: '001,778' },
    says: /^Selected agents exist: no agent has the id or name 778 /,
  },
];

test.each(CASES)('$it: one message, before the first change, and everything is as it was', async (given) => {
  const { run, state } = await platform({}, (p) => ({ ...p, extraVars: { ...p.extraVars, ...given.vars } }));
  given.make?.(state);
  const [hosts, cluster] = [structuredClone(state.hosts), structuredClone(state.cluster)];
  const ran = await run('apply');
  expect(endOf(ran)).toEqual(['refused', expect.stringMatching(given.says)]);
  expect(actedAtAll(ran)).toEqual([]);
  expect([state.hosts, state.cluster]).toEqual([hosts, cluster]);
});

test('a snapshot repository without permission: the run ends there, with nothing of the platform changed', async () => {
  const { run, state } = await platform();
  state.faults.push({ fault: 'repository-denied' });
  const hosts = structuredClone(state.hosts);
  const ran = await run('apply');
  expect(endOf(ran)).toEqual([
    'failed',
    expect.stringMatching(
      /^Register the snapshot repository: the indexer may not write to the snapshot repository .* \| give the directory/,
    ),
  ]);
  expect(state.hosts).toEqual(hosts);
});
