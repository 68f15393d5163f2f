import { describe, expect, test } from '@jest/globals';
import { secretProblems } from '../../engine/cli/doctor/access.js';
import { createSecrets } from '../../engine/machines/secrets.js';
import type { Endpoint, Host, Inventory } from '../../engine/terms/inventory.js';

const host = (name: string, more: Partial<Host> = {}): Host => ({
  ...{ name, address: name, roles: [], groups: [], vars: {}, machine: 'ssh', ssh: {} },
  ...more,
});
const sudo = (name: string): Pick<Host, 'ssh'> => ({ ssh: { becomePassword: { $secret: name } } });
const endpoint = (hosts: readonly (string | undefined)[], more: Partial<Endpoint> = {}): Endpoint => ({
  ...{ name: 'api', auth: 'basic', verify: true, password: { $secret: 'key' } },
  urls: hosts.map((one) => ({ url: 'https://any', ...(one === undefined ? {} : { host: one }) })),
  ...more,
});

/** The secrets that doctor reports as missing; none has a value. */
async function missingIn({ hosts, endpoints = {}, notify = [] }: Partial<Inventory>): Promise<readonly string[]> {
  const inventory: Inventory = {
    ...{ files: [], platform: {}, names: {}, vars: {}, hosts: hosts ?? [], endpoints, notify },
    secrets: { key: { env: 'KEY' } },
  };
  const ask = (): Promise<undefined> => Promise.resolve(undefined);
  const { missing, problems } = await secretProblems(
    inventory,
    createSecrets({ sources: inventory.secrets, env: {}, ask }),
  );
  expect(problems).toHaveLength(missing.length);
  return missing;
}

const a = host('a', { zone: 'berlin' });
const b = host('b');

describe('a secret that this machine has no value of', () => {
  test.each<[string, Partial<Inventory>]>([
    ['sudo on hosts of a zone', { hosts: [host('a', { zone: 'berlin', ...sudo('key') }), b] }],
    ['an endpoint on a host of a zone', { hosts: [a, b], endpoints: { api: endpoint(['a']) } }],
  ])('is no problem where only a worker needs it: %s', async (_what, inventory) => {
    expect(await missingIn(inventory)).toEqual([]);
  });

  test.each<[string, Partial<Inventory>]>([
    ['no host or endpoint', { hosts: [a, b] }],
    ['a host without a zone too', { hosts: [host('a', { zone: 'berlin', ...sudo('key') }), host('b', sudo('key'))] }],
    ['an endpoint with an address elsewhere too', { hosts: [a, b], endpoints: { api: endpoint(['a', 'b']) } }],
    ['an endpoint on no host', { hosts: [a], endpoints: { api: endpoint(['a', undefined]) } }],
    ['an endpoint by a tunnel from here', { hosts: [a], endpoints: { api: endpoint(['a'], { via: { host: 'a' } }) } }],
    [
      'a webhook too',
      {
        hosts: [host('a', { zone: 'berlin', ...sudo('key') })],
        notify: [{ name: 'pager', url: { secret: 'key' }, on: new Set(), body: {} }],
      },
    ],
  ])('is one where it is named by %s', async (_what, inventory) => {
    expect(await missingIn(inventory)).toEqual(['key']);
  });
});
