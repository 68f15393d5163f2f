import { describe, expect, test } from '@jest/globals';
import { rolesNamed, withRequired, type Role } from '../../engine/init/roles.js';

const role = (name: string, more: Partial<Role> = {}): Role => ({
  name,
  description: '',
  min: 0,
  withOneOf: [],
  groupNames: [],
  noPackages: false,
  ...more,
});
const roles = [
  role('indexer', { groupNames: ['opensearch'] }),
  role('server', { withOneOf: ['master', 'worker'], groupNames: ['manager'] }),
  role('master', { max: 1, requires: 'server' }),
  role('worker', { requires: 'server' }),
  role('dashboard'),
  role('agent'),
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
  ])('%s', (group, expected) => expect(rolesNamed(group, roles)).toEqual(expected));
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
