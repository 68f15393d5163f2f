import { afterEach, expect, test } from '@jest/globals';
import { lineOf, onePlay, openHarness } from './cli-harness.js';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

test('a plan names the hosts outside --limit that are read or locked, and why', async () => {
  const { run, start, end } = openHarness({
    'test.yaml': onePlay(
      '      - check: all_well\n      - step: make\n        file: { path: /etc/made, state: file, content: x }\n',
    ),
    'platform.yaml': `platform: Test
roles: { node: { description: A node }, watched: { description: One that is read }, other: { description: Another } }
facts: { state: { description: Its state, file: /etc/state, default: well } }
checks: { all_well: { description: All are well, that: 'all_hosts.watched.all(h, h.fact.state == "well")' } }
lease: { roles: [node], file: /etc/lease }
`,
    'inventory.yaml': `model: { socket: model.sock }\nplatform: {}\nendpoints: {}\nsecrets: {}\nhosts:\n${[
      'a: { address: 10.0.0.1, roles: [node] }',
      'b: { address: 10.0.0.2, roles: [node] }',
      'c: { address: 10.0.0.3, roles: [watched] }',
      'd: { address: 10.0.0.4, roles: [watched] }',
      'e: { address: 10.0.0.5, roles: [other] }',
    ]
      .map((host) => `  ${host}\n`)
      .join('')}`,
    'model.yaml': 'simulate: { hosts: { node: {}, watched: {}, other: {} } }\n',
  });
  const model = start(['model', 'test.yaml', '-e', '@model.yaml']);
  ends.push(end, async () => {
    model.kill('SIGTERM');
    await model;
  });
  await lineOf(model.stdout, /listens on/);
  const page = async (...args: readonly string[]): Promise<string> => {
    const { exitCode, stdout, stderr } = await run(args);
    expect([exitCode, stderr]).toEqual([0, expect.not.stringContaining('runbook:')]);
    return `${stdout}${stderr}`;
  };
  const named =
    /^Outside --limit: {2}read: c, d \(for conditions over all hosts\) · locked: b \(so that no other run works there\)$/m;
  expect(await page('plan', 'test.yaml', '-l', 'a')).toMatch(named);
  expect(await page('apply', 'test.yaml', '-l', 'a', '-y')).toMatch(named);
  expect(await page('plan', 'test.yaml', '-l', 'a', '--format', 'md')).toMatch(
    /Outside --limit.*read: c, d \(for conditions over all hosts\) · locked: b/,
  );
  const lines = (await page('plan', 'test.yaml', '-l', 'a', '--json')).trim().split('\n');
  expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({
    event: { e: 'summary', plan: { outsideLimit: { read: ['c', 'd'], locked: ['b'] } } },
  });
  for (const args of [[], ['--format', 'md']])
    expect(await page('plan', 'test.yaml', ...args)).not.toContain('Outside');
});
