import { expect, test } from '@jest/globals';
import { ownPermissions } from '../../engine/platforms/security-monitoring/own-permissions.js';
import type { Json } from '../../engine/terms/json.js';

const cases: readonly (readonly [string, string, Json, string])[] = [
  ['allowed', 'api', { data: { rbac_mode: 'white', 'agent:upgrade': { '*:*:*': 'allow' } } }, 'granted'],
  ['not listed, where only what is listed is allowed', 'api', { data: { rbac_mode: 'white' } }, 'denied'],
  ['not listed, where only what is listed is denied', 'api', { data: { rbac_mode: 'black' } }, 'granted'],
  ['denied', 'api', { data: { rbac_mode: 'black', 'agent:upgrade': { '*:*:*': 'deny' } } }, 'denied'],
  [
    'allowed for all ids',
    'api',
    { data: { rbac_mode: 'white', 'agent:upgrade': { 'agent:id:*': 'allow' } } },
    'granted',
  ],
  [
    'allowed for one agent',
    'api',
    { data: { rbac_mode: 'white', 'agent:upgrade': { 'agent:id:001': 'allow' } } },
    'unknown',
  ],
  ['an answer of another form', 'api', 'a web page', 'unknown'],
  ['every permission', 'indexer', { roles: ['own_index', 'all_access'] }, 'granted'],
  ['a role that the security plug-in defines elsewhere', 'indexer', { roles: ['upgrader'] }, 'unknown'],
  ['no roles', 'indexer', {}, 'unknown'],
];

test.each(cases)('a permission that is %s: %s %j: %s', (_what, endpoint, answer, grant) => {
  const way = ownPermissions.find((one) => one.endpoint === endpoint);
  expect(way?.grant(answer, 'agent:upgrade')).toBe(grant);
});
