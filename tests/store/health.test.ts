import { expect, test } from '@jest/globals';
import { partOf } from '../../engine/cli/doctor/store.js';
import type { StoreHealth } from '../../engine/store/nats/nats-store.js';

const runs = { name: 'upgrades-runs', bytes: 500, replicas: 3, behind: [] };
const healthy: StoreHealth = { serverVersion: '2.11.0', streams: [runs] };
const withRuns = (more: object): StoreHealth => ({ ...healthy, streams: [{ ...runs, ...more }] });
const ALL = ['servers', 'TLS', 'login', 'streams', 'permissions', 'version', 'copies', 'space'];

test.each<[string, StoreHealth, number, readonly string[], readonly string[]]>([
  ['all right', healthy, 3, [], ALL],
  ['of one server, with one copy', withRuns({ replicas: 1 }), 1, [], ALL],
  ['filled to its warning', withRuns({ maxBytes: 625 }), 3, [], ALL],
  [
    'filled beyond it',
    withRuns({ maxBytes: 600 }),
    3,
    ['upgrades-runs is 83 % full: 500 B of 600 B → nats stream edit upgrades-runs --max-bytes …'],
    ALL.filter((name) => name !== 'space'),
  ],
  [
    'of an old server',
    { ...healthy, serverVersion: '2.9.10' },
    3,
    ['nats-server 2.9.10 is older than 2.11 → install a newer one: docs/teams.md'],
    ALL.filter((name) => name !== 'version'),
  ],
  [
    'of three servers, with one copy',
    withRuns({ replicas: 1 }),
    3,
    ['upgrades-runs has fewer than 3 copies: 1 → nats stream edit upgrades-runs --replicas 3'],
    ALL.filter((name) => name !== 'copies'),
  ],
  [
    'of which a copy is behind',
    withRuns({ behind: ['nats-2'] }),
    3,
    ['upgrades-runs is not up to date on nats-2 → check that server and its disk'],
    ALL.filter((name) => name !== 'copies'),
  ],
])('doctor of a store: %s', (_what, health, servers, warnings, passed) => {
  const part = partOf(health, servers);
  expect(part.problems).toEqual([]);
  expect(part.warnings.map(({ text, fix }) => `${text} → ${fix ?? ''}`)).toEqual(warnings);
  expect(part.groups).toEqual([{ name: 'Store', passed, hosts: [] }]);
});
