import { afterEach, describe, expect, test } from '@jest/globals';
import { modelHarness, openHarness, type Harness } from './cli-harness.js';

let harness: Harness | undefined;
afterEach(() => {
  harness?.end();
  harness = undefined;
});

const PLATFORM = `
platform: Test
roles: { web: { description: A web server } }
facts: { busy: { description: Connections, command: [echo, "0"] } }
checks:
  drained: { description: No client is connected, that: idle && fact.busy == "0" }
  idle: { description: It is idle, that: ["true", fact.busy == "0" || fact.busy == ""] }
  unused: { description: Nothing refers to it, that: "true" }
`;
const PLAYBOOK = `
playbook: Restart
spec: "9.4"
plays:
  - play: Restart each server
    hosts: web
    serial: 1
    when: hosts.web.exists(h, !h.idle)
    point_of_no_return: clients lose their session
    steps:
      - block: Take it out
        when: host.name != "c"
        spec: "9.5"
        steps:
          - step: Drain
            command: { argv: ["true"], changes: [], timeout: 10s }
            temporary: { no_restore_after: stopped, command: { argv: ["true"], changes: [], timeout: 10s } }
          - wait_for: drained
            timeout: 1m
      - step: Stop
        id: stopped
        loop: [nginx, php]
        systemctl: { unit: "{{item}}", state: stopped }
  - play: Later
    hosts: all
    steps:
      - step: Look
        run_once: true
        record: { values: { a: 1 } }
`;
const at = (): Harness => (harness = openHarness({ 'platform.yaml': PLATFORM, 'restart.yaml': PLAYBOOK }));

describe('runbook explain', () => {
  test('lists the steps of a play with what they depend on, and the named checks', async () => {
    const ran = await at().run(['explain', 'restart.yaml', 'Restart each server']);
    expect([ran.exitCode, ran.stderr]).toEqual([0, '']);
    expect(ran.stdout).toBe(`Restart each server  §9.4
  hosts: web; 1 at a time
  when:  hosts.web.exists(h, !h.idle)
  point of no return: clients lose their session
  Take it out: only where host.name != "c"
    1. Drain (command)  §9.5; temporary, restored at the end, and on a failure unless stopped began
    2. Wait until no client is connected (wait for drained)  §9.5
  3. Stop (systemctl); id stopped; for each of nginx, php

Named checks
  drained: No client is connected
    idle && fact.busy == "0"
  idle: It is idle
    true && (fact.busy == "0" || fact.busy == "")`);
  });

  test('a play is named as its heading is printed, too', async () => {
    const ran = await at().run(['explain', 'restart.yaml', 'Later  §9.4']);
    expect([ran.exitCode, ran.stdout]).toEqual([0, expect.stringMatching(/^Later {2}§9\.4\n/)]);
  });

  test.each(['Agents cannot connect', '✓ Agents cannot connect: nothing found  §7.agents-connect'])(
    'a heading of diagnose, %j, lists all checks below it',
    async (heading) => {
      const made = (harness = modelHarness('{ from: 4.12.0 }'));
      const ran = await made.run(['explain', heading]);
      expect([ran.exitCode, ran.stderr]).toEqual([0, '']);
      for (const check of ['1. Manager is running', 'Management API responds', 'Agent is running'])
        expect(ran.stdout).toContain(check);
      expect(ran.stdout).not.toContain('Indexer is running');
    },
  );

  test('a phase: what it does, its safe points and points of no return, and its steps', async () => {
    harness = openHarness({
      'platform.yaml': PLATFORM,
      'restart.yaml': PLAYBOOK.replace('    serial: 1\n', '    serial: 1\n    safe_point: true\n'),
      'all.yaml': 'playbook: Whole\nplays:\n  - import: restart.yaml\n',
    });
    const ran = await harness.run(['explain', 'all.yaml', 'Restart']);
    expect([ran.exitCode, ran.stderr]).toEqual([0, '']);
    expect(ran.stdout).toContain(`Phase Restart: 2 plays, 4 steps
  does:  Restart each server  §9.4
         Later  §9.4
  safe points: after each host in "Restart each server"; elsewhere after each step
  point of no return, before "Restart each server": clients lose their session

Restart / Restart each server  §9.4
`);
    expect(ran.stdout).toContain('  1. Look (record); once');
    const wrong = await harness.run(['explain', 'all.yaml', 'Restar']);
    expect(wrong.stderr).toContain('there is no play or phase "Restar"; did you mean "Restart"?');
  });

  test('without a play lists all of them', async () => {
    const ran = await at().run(['explain', 'restart.yaml']);
    expect(ran.stdout).toContain('Later  §9.4\n  hosts: all\n  1. Look (record); once');
  });

  test.each([
    [
      ['restart.yaml', 'Restart each sever'],
      'there is no play or phase "Restart each sever"; did you mean "Restart each server"?',
    ],
    [['restart.yaml', 'Restart', 'each'], 'put the title of the play in quotes'],
    [[], 'a playbook is missing'],
  ])('%j is refused', async (args, message) => {
    const ran = await at().run(['explain', ...args]);
    expect(ran.stderr).toContain(message);
    expect([ran.stdout, ran.exitCode]).toEqual(['', 2]);
  });
});
