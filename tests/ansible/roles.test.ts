import { describe, expect, test } from '@jest/globals';
import { rolesNamed, withRequired, wordsBeside, type Role } from '../../engine/init/roles.js';

const role = (name: string, more: Partial<Role> = {}): Role => ({
  name,
  description: '',
  min: 0,
  withOneOf: [],
  groupNames: [],
  genericNames: [],
  ansibleVars: {},
  noPackages: false,
  ...more,
});
const roles = [
  role('indexer', { groupNames: ['opensearch'] }),
  role('server', { withOneOf: ['master', 'worker'], genericNames: ['server', 'manager'] }),
  role('master', { max: 1, requires: 'server', genericNames: ['master'] }),
  role('worker', { requires: 'server', genericNames: ['worker'] }),
  role('dashboard', { groupNames: ['kibana'], genericNames: ['dashboard'] }),
  role('agent', { genericNames: ['agent'] }),
  role('windows_agent'),
];

describe('the roles of a group by its name', () => {
  test.each([
    ['indexers', ['indexer']],
    ['acme-OpenSearch.berlin', ['indexer']],
    ['windows_agents', ['windows_agent']],
    ['manager_master', ['server', 'master']],
    ['indexer_dashboards', []],
    ['central', []],
    ['Workers', ['worker']],
    ['platform-dashboard', ['dashboard']],
    ['platform_manager_master', ['server', 'master']],
    ['old_kibana', ['dashboard']],
    ['db_servers', []],
    ['k8s_workers', []],
    ['grafana_dashboard', []],
    ['windows_servers', []],
    ['backup_agents', []],
    ['puppet_master', []],
  ])('%s', (group, expected) => expect(rolesNamed(group, roles, new Set(['platform']))).toEqual(expected));

  test('a word beside an unmistakable name, such as a brand, makes the generic names of other groups certain', () => {
    const known = wordsBeside(['acme_indexers', 'acme_dashboard', 'db_servers', 'logs_kibana'], roles);
    expect(rolesNamed('acme_dashboard', roles, known)).toEqual(['dashboard']);
    expect(rolesNamed('db_servers', roles, known)).toEqual([]);
    expect(rolesNamed('logs_servers', roles, known)).toEqual([]);
  });
});

describe('roles that others require', () => {
  const rolesOf = (...hosts: readonly (readonly string[])[]) =>
    withRequired(
      hosts.map((own) => ({ roles: own })),
      roles,
    ).map((host) => host.roles.join(' '));

  test('a single server is the master', () => expect(rolesOf(['server'])).toEqual(['server master']));
  test('the others of a master are workers', () =>
    expect(rolesOf(['master'], ['server'])).toEqual(['server master', 'server worker']));
  test('the one server that is no worker is the master', () =>
    expect(rolesOf(['worker'], ['server'])).toEqual(['server worker', 'server master']));
  test('of several servers only the operator knows', () =>
    expect(rolesOf(['server'], ['server'])).toEqual([
      'server TODO: master or worker',
      'server TODO: master or worker',
    ]));
});
