import { afterEach, expect, test } from '@jest/globals';
import { startSshServer, type SshServer } from '../machines/ssh-server.js';
import { ctrlC, lineOf, onePlay, openHarness, PLATFORM, touch, type Harness } from './cli-harness.js';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

const SLOW = onePlay(`      - step: slow
        command: { argv: [sh, -c, "until test -e @/go; do sleep 0.05; done"], changes: everything, timeout: 60s }
${touch('last', 'last')}`);

/** One host over ssh. Its limit is longer than any test: what ends a wait here is a signal. */
async function open(): Promise<{ harness: Harness; server: SshServer; start: Harness['start'] }> {
  const server = await startSshServer();
  const ssh = `{ port: ${server.port}, user: ops, password: "{{secret.ops}}", known_hosts: known_hosts, connect_timeout: 10m }`;
  const harness = openHarness({
    'platform.yaml': PLATFORM,
    'test.yaml': SLOW,
    known_hosts: server.known,
    'inventory.yaml': `platform: {}\nendpoints: {}\nsecrets: { ops: { env: OPS } }\nhosts:\n  a: { address: 127.0.0.1, ssh: ${ssh} }\n`,
  });
  ends.push(
    () => harness.end(),
    () => server.close(),
  );
  const start: Harness['start'] = (args) => {
    const running = harness.start(args, { detached: true, env: { OPS: 'the password of ops' } });
    ends.push(() => running.kill('SIGKILL'));
    return running;
  };
  return { harness, server, start };
}

test('resume reports a silent host by name, with what it waits for and how long; one Ctrl-C ends the wait and the program', async () => {
  const { harness, server, start } = await open();
  ends.push(() => harness.write('go', ''));
  const running = start(['apply', 'test.yaml', '-y']);
  await lineOf(running.stderr, / a {2}slow: /);
  running.kill('SIGKILL');
  await running;
  server.fallSilent();
  const resuming = start(['resume', '-y']);
  await lineOf(resuming.stderr, / a {2}waiting: no answer from 127\.0\.0\.1 yet, 5 s of 600 s$/);
  ctrlC(resuming);
  const { exitCode, stdout } = await resuming;
  expect([exitCode, stdout]).toEqual([130, expect.stringContaining('Interrupted: a unreachable in "Work".')]);
  expect(stdout).toMatch(/1 {2}runbook resume /m);
  expect(stdout).not.toContain('still running');
});

test('while resume plans, one Ctrl-C ends the wait for a connection to a host that is silent; the run stays unfinished', async () => {
  const { harness, server, start } = await open();
  const running = start(['apply', 'test.yaml', '-y']);
  await lineOf(running.stderr, / a {2}slow: /);
  ctrlC(running);
  await lineOf(running.stderr, /Stopping after/);
  harness.write('go', '');
  await running;
  server.fallSilent();
  const resuming = start(['resume', '-y']);
  await server.greeted();
  ctrlC(resuming);
  expect((await resuming).exitCode).toBe(130);
  expect((await harness.run(['runs'])).stdout).toContain('(unfinished)');
});
