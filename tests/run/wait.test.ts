import { afterEach, describe, expect, test } from '@jest/globals';
import { bench } from './bench-hosts.js';

let shop: ReturnType<typeof bench> | undefined;
afterEach(async () => {
  await shop?.end();
  shop = undefined;
});

/** How a wait for `false` ends, by its `reason` and `hint`. */
async function endOf(wait: string, timeout = '1m'): Promise<object | undefined> {
  const playbook = `
playbook: P
plays:
  - play: One
    hosts: all
    steps: [{ step: hope, wait_for: { that: host.name == "none", ${wait} }, timeout: ${timeout} }]
`;
  shop = bench(playbook, ['a']);
  const { events } = await shop.run('apply');
  const end = events.find((event) => event.e === 'settled');
  return end?.e === 'settled' ? { reason: end.reason, hint: end.hint } : undefined;
}

describe('a wait in vain', () => {
  test('says what was not so', async () => {
    expect(await endOf('')).toEqual({
      reason: 'waited 60 s: host.name is "a", not "none"',
      hint: undefined,
    });
  });

  test('with its own words says these first, and what to do', async () => {
    expect(await endOf('message: no host came, hint: call the operator')).toEqual({
      reason: 'no host came (waited 60 s: host.name is "a", not "none")',
      hint: 'call the operator',
    });
  });

  test('that is failFast does the same', async () => {
    expect(await endOf('fail_if: true, message: no host came', '1h')).toMatchObject({
      reason: 'no host came (always, 10 readings in a row)',
    });
  });
});
