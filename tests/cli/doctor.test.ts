import { afterEach, describe, expect, test } from '@jest/globals';
import { stopService } from '../../engine/platforms/security-monitoring/simulator/platform.js';
import type { Fault, PlatformState, ServiceEntry } from '../../engine/platforms/security-monitoring/simulator/state.js';
import { brokenPlatform } from './broken-platform.js';
import { linesOf, localHarness, MODEL_SECRETS, modelHarness, onePlay, type Harness } from './cli-harness.js';

const env = MODEL_SECRETS;

describe('runbook doctor', () => {
  let harness: Harness;
  afterEach(() => {
    harness.end();
  });

  test('on a healthy platform: no problems, 0, and no run', async () => {
    harness = modelHarness('{ from: 4.12.0 }');
    const ran = await harness.run(['doctor', 'upgrade-4.14.yaml'], { env });
    expect(ran.stderr).toBe('');
    expect(ran.stdout).toBe(`Doctor: Upgrade to release line 4.14   8 hosts ON THE MODEL

NOT CHECKED
     indexer: the endpoint does not show whether the user admin has these permissions
     restapi:admin/tenants (read)
     dashboard: the endpoint does not show whether the user admin has these permissions
     read and write of saved objects in each tenant, list and trial of its management APIs

✓ Secrets                    2 checks passed
✓ Access                     5 checks passed on 8 hosts
✓ Endpoints                  5 checks passed
✓ Permissions                19 checks passed
✓ Versions                   11 checks passed on 8 hosts
✓ Host                       9 checks passed on 6 hosts
✓ Services                   6 checks passed on 8 hosts
✓ Next start of services     8 checks passed on 6 hosts
✓ Manager configuration      3 checks passed on 2 hosts
✓ Security configuration     2 checks passed on 3 hosts
✓ Endpoints and permissions  15 checks passed
✓ Dashboard                  2 checks passed on 1 host

No problems found. Nothing was changed.`);
    expect(ran.exitCode).toBe(0);
    expect(harness.runs()).toEqual([]);
  });

  const doctor = async (
    breakIt: (state: PlatformState) => void,
    args: readonly string[] = [],
    more: Record<string, string> = {},
  ) => {
    harness = modelHarness('{ socket: model.sock }');
    const { state, served } = await brokenPlatform(harness, []);
    breakIt(state);
    try {
      return await harness.run(['doctor', ...args], { env: { ...env, ...more } });
    } finally {
      await served.close();
    }
  };
  test('a node of a cluster that does not answer is asked once, and the cluster by its other nodes', async () => {
    harness = modelHarness('{ socket: model.sock }');
    const { state, served, watch } = await brokenPlatform(harness, []);
    const node = state.hosts['indexer-1'];
    if (node !== undefined) stopService(state, node, 'platform-indexer');
    const asked: string[] = [];
    watch.onAct = (_, act) => {
      if ('port' in act && act.port === state.ports.indexer) asked.push(`${act.host} ${act.path}`);
    };
    const ran = await harness.run(['doctor'], { env });
    await served.close();
    expect(ran.stdout).toContain('Endpoint indexer: connection, certificate, credentials');
    expect(new Set(asked.filter((one) => one.startsWith('10.0.0.11 ')))).toEqual(new Set(['10.0.0.11 /']));
    expect(asked.some((one) => /^10\.0\.0\.12 \/_cluster/.test(one))).toBe(true);
  });

  const unit = (state: PlatformState, host: string, name: string): ServiceEntry => {
    const found = state.hosts[host]?.services[name];
    if (found === undefined) throw new Error(`${host} has no unit ${name}`);
    return found;
  };
  const stopShippers = (state: PlatformState): void => {
    for (const host of ['server-1', 'server-2']) unit(state, host, 'filebeat').active = 'inactive';
  };

  test('problems come first, folded over hosts, each with its fix', async () => {
    const faults: readonly Fault[] = [
      { fault: 'unreachable', host: 'linux-2' },
      { fault: 'no-sudo', host: 'indexer-3' },
      {
        fault: 'program',
        host: 'indexer-1',
        program: 'dpkg',
        exit: 1,
        stdout:
          '??5?????? c /etc/platform-indexer/opensearch.yml\n??5??????   /usr/share/platform-indexer/bin/opensearch\n',
      },
    ];
    const ran = await doctor((state) => {
      stopShippers(state);
      state.faults.push(...faults);
    });
    expect(ran.exitCode).toBe(1);
    const text = ran.stdout;
    expect(text).toMatch(/server-1, server-2 {2}filebeat does not run/);
    expect(text).toContain('→ systemctl start filebeat; if it fails: runbook diagnose');
    expect(text).toMatch(/^ +\d {2}linux-2 {2}/m);
    expect(text).toMatch(/^ +\d {2}indexer-3 {2}/m);
    expect(text.indexOf('PROBLEMS')).toBeLessThan(text.indexOf('WARNINGS'));
    expect(text).toContain('files of platform-indexer were changed on the host');
    expect(text).not.toContain('c /etc/platform-indexer/opensearch.yml');
    expect(text).toContain('\nNOT CHECKED\n     indexer-3, linux-2  there is no access to the host\n');
  });

  const managementApi: readonly (readonly [
    string,
    (state: PlatformState) => void,
    problem: string,
    notChecked: string,
  ])[] = [
    [
      'does not run',
      (state) => void (unit(state, 'server-1', 'platform-manager').active = 'inactive'),
      'api: 10.0.0.21:55000 refuses connections\n     Endpoint api: connection, certificate, credentials\n     → check that its service runs',
      'api: 10.0.0.21:55000 refuses connections',
    ],
    [
      'is out of reach',
      (state) => void state.faults.push({ fault: 'unreachable', host: 'server-1' }),
      '  1  server-1  10.0.0.21:22 cannot be reached (no route)\n     SSH, host key, login, sudo, shell\n     → ssh 10.0.0.21\n',
      'api: server-1 cannot be reached',
    ],
    [
      'shows an expired certificate',
      (state) => void state.faults.push({ fault: 'untrusted', host: 'server-1' }),
      'api: 10.0.0.21:55000 shows a certificate that has expired\n     Endpoint api: connection, certificate, credentials\n     → renew it',
      'api: 10.0.0.21:55000 shows a certificate that has expired',
    ],
    [
      'has another password (401)',
      (state) => void (state.management = { ...state.management, password: 'another' }),
      'api (https://10.0.0.21:55000) does not accept user "ops" with its password (401)\n',
      'api (https://10.0.0.21:55000) does not accept user "ops" with its password (401)',
    ],
    [
      'is not ready (500)',
      (state) => void (unit(state, 'server-1', 'platform-manager').readyAtMs = Number.MAX_SAFE_INTEGER),
      'api answers 500 (Internal Error: Some daemons are not ready yet in node "node01" (analysisd->starting)) to /manager/info\n     Endpoint api: readiness\n',
      'api answers 500 to /manager/info: Internal Error: Some daemons are not ready yet in node "node01" (analysisd->starting)',
    ],
    [
      'denies a call (403)',
      (state) => void (state.management = { ...state.management, denied: ['manager:read'] }),
      'the user ops does not have manager:read\n     Endpoint api: permissions\n       for: version and state of the managers\n     → grant manager:read to ops',
      'api answers 403 to /manager/info: Permission Denied: Permission denied: manager:read',
    ],
  ];
  test.each(managementApi)(
    'a management API that %s: what the connection said, once',
    async (_what, breakIt, problem, because) => {
      const ran = await doctor(breakIt);
      expect(ran.exitCode).toBe(1);
      expect(ran.stdout).toContain(problem);
      expect(ran.stdout).toContain(`     ${because}`);
      expect(ran.stdout).toMatch(/^ {5}Management API can be read, Agents can be listed(, .*)?$/m);
      expect(ran.stdout.split(because).length).toBeLessThan(4);
      expect(ran.stdout).not.toContain('is missing');
      expect(ran.stdout).toContain('not everything was checked. Nothing was changed.');
    },
  );

  test('a secret without a value is one problem, and --json has it all', async () => {
    const ran = await doctor(stopShippers, ['--json'], { RUNBOOK_DEMO_API_PASSWORD: '' });
    const [head, report] = linesOf(ran.stdout);
    expect(head).toEqual({ format: 'runbook-doctor', version: 1 });
    const problems = (
      report as { readonly problems: readonly { readonly text: string; readonly hosts: readonly string[] }[] }
    ).problems;
    expect(problems.filter(({ text }) => text.includes('secret "api"'))).toHaveLength(1);
    expect(problems.find(({ text }) => text.includes('filebeat'))?.hosts).toEqual(['server-1', 'server-2']);
    expect(ran.stdout).not.toContain('model-indexer-password');
  });

  test('permissions that only the upgrade uses are compared with what --needs lists, and nothing is written', async () => {
    const ran = await doctor((state) => {
      state.management = { ...state.management, denied: ['agent:upgrade'] };
      state.cluster.roles = ['readall'];
    });
    expect(ran.exitCode).toBe(1);
    expect(ran.stdout).toContain(
      '  1  the user ops does not have agent:upgrade\n     Endpoint api: permissions\n       for: upgrading agents through the API (§9.7)\n     → grant agent:upgrade to ops',
    );
    expect(ran.stdout).toContain(
      '     indexer: the endpoint does not show whether the user admin has these permissions\n     cluster:monitor/*, cluster:admin/settings/update, ',
    );
    expect(ran.stdout).toContain('1 problem. Nothing was changed.');
  });

  test('a repository that is disabled is asked what it offers', async () => {
    const offersOnly = await doctor((state) => {
      for (const [name, versions] of Object.entries(state.repository))
        state.repository[name] = versions.filter((version) => !version.startsWith('4.14'));
    });
    expect(offersOnly.stdout).toContain(
      'indexer-1, indexer-2, indexer-3  no enabled repository offers platform-indexer 4.14.7-1, and the one that is disabled in /etc/apt/sources.list.d/platform.list neither (it offers 4.12.0-1)\n     Target version is offered\n     → ',
    );
    harness.end();
    const silent = await doctor(
      (state) => void state.faults.push({ fault: 'download', path: '/apt/', status: 503, body: '' }),
    );
    expect(silent.exitCode).toBe(1);
    expect(silent.stdout).toMatch(
      /^NOT CHECKED\n {5}dashboard-1, indexer-1, .*server-2 {2}what the repository in \S+ offers could not be read: .*\n {5}Target version is offered$/m,
    );
  });

  test('--needs lists ports, sudo and permissions without a contact', async () => {
    harness = modelHarness('{ socket: away.sock }', (text) =>
      text.replace('hosts:\n', 'ssh: { user: ops, become: sudo, jump: gate.example.com:2222 }\nhosts:\n'),
    );
    const ran = await harness.run(['doctor', 'upgrade-4.14.yaml', '--needs']);
    expect([ran.exitCode, ran.stderr]).toEqual([0, '']);
    expect(ran.stdout).toContain('  2222   SSH\n      from  this machine\n      to    gate.example.com\n');
    expect(ran.stdout).toMatch(/ 22 {5}SSH\n {6}from {2}gate\.example\.com\n {6}to {4}indexer-1 \(10\.0\.0\.11\)/);
    expect(ran.stdout).toContain('ops ALL=(root) NOPASSWD: /bin/sh');
    expect(ran.stdout).toMatch(/api +ops +agent:upgrade/);
  });

  test('--needs is for weeks before: values may be missing, and the CA certificate', async () => {
    harness = modelHarness('{ socket: away.sock }', (text) =>
      text.replace('user: ops', 'user: "TODO: a user of the API", ca: certs/not-there-yet.pem'),
    );
    const ran = await harness.run(['doctor', 'upgrade-4.14.yaml', '--needs']);
    expect([ran.exitCode, ran.stderr]).toEqual([0, '']);
    expect(ran.stdout).toMatch(/api +TODO: a user of the API +agent:upgrade/);
    const now = await harness.run(['doctor', 'upgrade-4.14.yaml']);
    expect([now.exitCode, now.stderr]).toEqual([
      2,
      expect.stringContaining('there is no file certs/not-there-yet.pem'),
    ]);
  });

  test('a platform without checks of its own: access and secrets', async () => {
    harness = localHarness(
      onePlay('      - step: Work\n        command: { argv: ["true"], changes: nothing, timeout: 10s }\n'),
      '{ key: { env: MISSING } }',
    );
    const ran = await harness.run(['doctor', 'test.yaml']);
    expect(ran.exitCode).toBe(1);
    expect(ran.stdout).toBe(`Try   1 host

PROBLEMS
  1  secret "key": MISSING is not set
     Secrets have values
     → export MISSING=…

✓ Access                     5 checks passed on 1 host

1 problem. Nothing was changed.`);
  });

  test('a mistake in the playbook is reported before any contact', async () => {
    harness = modelHarness('{ from: 4.12.0 }');
    expect((await harness.run(['doctor', 'upgrade-4.15.yaml'])).exitCode).toBe(2);
  });
});
