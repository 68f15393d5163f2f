import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { cpSync, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { brokenPlatform } from './broken-platform.js';
import { openHarness, type Harness } from './cli-harness.js';
import { hasScript, sit } from './sit.js';

const HOSTS = `[platform_indexers]
indexer-[1:3]
[managers]
server-1 ansible_host=10.0.0.21 ansible_port=2222
server-2 ansible_host=10.0.0.22
[dashboards]
dashboard-1
[laptops]
laptop-1
[all:vars]
ansible_user=ops
ansible_become=yes
ansible_become_password=Sup3r-secret-word
ansible_password="{{ vault_password }}"
[platform_indexers:vars]
ansible_ssh_common_args='-o ProxyJump=ops@bastion'
`;
const SET = [
  'platform.target=4.14.7',
  'platform.package_url=https://packages.example.com',
  'endpoints.api.user=ops',
  'vars.snapshot_location=/mnt/snapshots',
].flatMap((text) => ['--set', text]);

describe('runbook init', () => {
  let harness: Harness;
  beforeEach(() => {
    harness = openHarness({ hosts: HOSTS });
    mkdirSync(harness.path('certs'));
    cpSync(join(import.meta.dirname, '..', 'language', 'fixtures', 'root-ca.pem'), harness.path('certs/root-ca.pem'));
  });
  afterEach(() => {
    harness.end();
  });

  test('of an Ansible inventory writes one that validates, without a password', async () => {
    const ran = await harness.run(['init', '--ansible', 'hosts', '--hosts', 'master=server-1', ...SET]);
    expect(ran.stderr).toBe('');
    expect(ran.stdout)
      .toBe(`Wrote inventory.yaml: 6 hosts. Roles: indexer 3, server 2 (master 1, worker 1), dashboard 1.
  platform_indexers → indexer
  managers → server
  dashboards → dashboard
  server-1 → master
Left out: laptop-1 (laptops). To include: --map laptops=ROLE
Next:  runbook validate upgrade-4.14.yaml, then  runbook doctor upgrade-4.14.yaml`);
    const text = harness.read('inventory.yaml');
    expect(text).not.toContain('Sup3r-secret-word');
    expect(text).toContain('become_password: "{{secret.sudo}}"');
    expect(text).toContain('sudo: { prompt: Password for sudo }');
    expect(text).toContain('  indexer-[1:3]: { roles: [ indexer ], ssh:');
    expect(text).toContain('server-1: { address: 10.0.0.21, roles: [ server, master ], ssh: { port: 2222 } }');
    expect(text).toContain('url: https://10.0.0.21:55000 # the master');
    expect(text).toMatch(/jump: ops@bastion/);
    const valid = await harness.run(['validate', 'upgrade-4.14.yaml']);
    expect([valid.exitCode, valid.stdout]).toEqual([0, expect.stringContaining('no mistakes')]);
  });

  test('before there is one, validate says what it did not check', async () => {
    const ran = await harness.run(['validate', 'upgrade-4.14.yaml']);
    const lines = ran.stdout.split('\n');
    expect(lines[0]).toMatch(
      /^Upgrade to release line 4\.14: \d+ plays, \d+ steps: no mistakes\. Nothing was contacted\.$/,
    );
    expect(lines.slice(1)).toEqual([
      'No inventory was found: hosts, variables and endpoints were not checked.',
      '  write ./inventory.yaml (runbook init), or name one: -i FILE',
    ]);
    expect(ran.exitCode).toBe(0);
  });

  test('and on hosts that answer, doctor finds nothing and the plan is ready', async () => {
    const addressed = HOSTS.replace(
      'server-1 ansible_host=10.0.0.21 ansible_port=2222',
      'server-1 ansible_host=10.0.0.21',
    )
      .replace('indexer-[1:3]', [1, 2, 3].map((n) => `indexer-${n} ansible_host=10.0.0.1${n}`).join('\n'))
      .replace('dashboard-1', 'dashboard-1 ansible_host=10.0.0.31');
    harness.write('hosts', addressed);
    const ran = await harness.run(['init', '--ansible', 'hosts', '--hosts', 'master=server-1', ...SET]);
    expect([ran.exitCode, ran.stderr]).toEqual([0, '']);
    // Hosts of the model take the place of real ones; all else is as init wrote it.
    harness.write(
      'inventory.yaml',
      harness
        .read('inventory.yaml')
        .replaceAll(/\{ (address|roles):/g, '{ machine: model, $1:')
        .replace(/^hosts:/m, 'model: { socket: model.sock }\nhosts:'),
    );
    const { served } = await brokenPlatform(harness, []);
    try {
      const env = { RUNBOOK_API_PASSWORD: 'an-api-password', RUNBOOK_INDEXER_PASSWORD: 'an-indexer-password' };
      const run = (...args: readonly string[]) => harness.run([...args, 'upgrade-4.14.yaml'], { env });
      const valid = await run('validate');
      expect([valid.stderr, valid.stdout]).toEqual(['', expect.stringContaining('no mistakes')]);
      const doctor = await run('doctor');
      expect([doctor.exitCode, doctor.stdout]).toEqual([0, expect.stringContaining('No problems found')]);
      const plan = await run('plan');
      expect([plan.exitCode, plan.stdout]).toEqual([
        0,
        expect.stringMatching(/READY[\s\S]*To apply: {2}runbook apply upgrade-4\.14\.yaml/),
      ]);
    } finally {
      await served.close();
    }
  });

  test('what is not known is a value that validate names', async () => {
    const hosts = ['--hosts', 'indexer=i1', '--hosts', 'server=s1', '--hosts', 'dashboard=d1'];
    expect((await harness.run(['init', ...hosts])).exitCode).toBe(0);
    const ran = await harness.run(['validate', 'upgrade-4.14.yaml']);
    expect(ran.exitCode).toBe(2);
    expect(ran.stderr.split('\n').filter((line) => line.includes('is not filled in'))).toHaveLength(4);
    expect(ran.stderr).toContain('4 mistakes in 1 file. Nothing was contacted.');
  });

  (hasScript ? test : test.skip)(
    'answers that are pasted at once each reach their question; Ctrl-C writes nothing',
    async () => {
      const answers = ['dash<script>', 'i-[1:3]', 's1,s2', 's1', '', 'd1', 'a-08 a-09,a-10,a-12', '4.14', '4.14.7'];
      // What is pasted for an earlier question is refused at the next one of another kind.
      answers.splice(1, 0, '4.14.7', 'https://packages.example.com', 'ix1 ansible_host=10.0.0.11');
      const pasted = await sit(
        harness,
        ['init'],
        [
          [/role indexer/, answers.join('\n')],
          [/package_url/, '\n\n'],
        ],
      );
      expect(pasted.exitCode).toBe(0);
      expect(pasted.received).toContain('"dash<script>" is no DNS name or IP address');
      for (const wrong of ['4.14.7', 'https://packages.example.com', 'ansible_host=10.0.0.11'])
        expect(pasted.received).toContain(`"${wrong}" is no DNS name or IP address`);
      expect(pasted.received).toContain('"4.14" is not the release to install, such as 4.14.7');
      const text = harness.read('inventory.yaml');
      expect(text).toMatch(/^ {2}target: 4\.14\.7/m);
      expect(text).toContain('  i-[1:3]: { roles: [ indexer ] }');
      expect(text).toContain('  a-[08:10]: { roles: [ agent ] }\n  a-12: { roles: [ agent ] }');
      const left = await sit(harness, ['init', '-o', 'other.yaml'], [[/role indexer/, '\u0003']]);
      expect([left.exitCode, left.received, existsSync(harness.path('other.yaml'))]).toEqual([
        130,
        expect.stringContaining('nothing was written'),
        false,
      ]);
    },
  );

  test('hosts by role, as names and addresses', async () => {
    const url = ['--set', 'endpoints.dashboard.url=https://soc.example.com'];
    const hosts = ['indexer=10.0.0.11,10.0.0.12', 'server=s1,s2', 'master=s1', 'dashboard=10.0.0.11'].flatMap((h) => [
      '--hosts',
      h,
    ]);
    expect((await harness.run(['init', ...hosts, ...SET, ...url])).exitCode).toBe(0);
    const text = harness.read('inventory.yaml');
    expect(text).toContain('url: https://soc.example.com');
    expect(text).toContain('  indexer-1: { address: 10.0.0.11, roles: [ indexer, dashboard ] }');
    expect(text).toContain('  s2: { roles: [ server, worker ] }');
    expect((await harness.run(['validate', 'upgrade-4.14.yaml'])).stderr).toBe('');
  });

  test('hosts in no group get roles by name, keep their node name, and are named where they have none', async () => {
    harness.write(
      'hosts',
      `ix1 ansible_host=10.0.0.11 indexer_node_name=node-1
ix2 ansible_host=10.0.0.12 indexer_node_name=ix2
manager ansible_host=10.0.0.21
dashboard ansible_host=10.0.0.31
[ix_cluster]
ix1
ix2
`,
    );
    const none = await harness.run(['init', '--ansible', 'hosts']);
    expect([none.exitCode, none.stderr]).toEqual([
      2,
      `runbook: no host of hosts has a role; nothing was written
  groups: ix_cluster
  hosts in no group: manager, dashboard
  roles: indexer, server, master, worker, dashboard, agent, windows_agent, macos_agent
  give them roles: runbook init --ansible hosts --map ix_cluster=ROLE --hosts ROLE=manager`,
    ]);
    const map = ['--map', 'ix_cluster=indexer', '--hosts', 'master=manager'];
    const some = await harness.run(['init', '--ansible', 'hosts', ...map]);
    expect(some.stdout).toContain(`
  ix_cluster → indexer
  manager → master
Left out: dashboard (no group). To include: --hosts ROLE=dashboard
`);
    expect(some.stdout).not.toContain('Not taken over');
    const text = harness.read('inventory.yaml');
    expect(text).toContain('  ix1: { address: 10.0.0.11, roles: [ indexer ], vars: { node_name: node-1 } }');
    expect(text).toContain('  ix2: { address: 10.0.0.12, roles: [ indexer ] }');
  });

  test('a generic word in the name of a group gives no role', async () => {
    harness.write(
      'hosts',
      '[platform_master]\nm1\n[platform_indexers]\ni1\n[db_servers]\ndb1\n[k8s_workers]\nk1\n[grafana_dashboard]\ng1\n',
    );
    const ran = await harness.run(['init', '--ansible', 'hosts']);
    expect(ran.stdout).toContain(`2 hosts. Roles: indexer 1, server 1 (master 1).
  platform_master → master
  platform_indexers → indexer
Left out: db1 (db_servers). To include: --map db_servers=ROLE
Left out: k1 (k8s_workers). To include: --map k8s_workers=ROLE
Left out: g1 (grafana_dashboard). To include: --map grafana_dashboard=ROLE
`);
  });

  test.each<readonly [string, readonly string[], string]>([
    ['an existing file', ['-o', 'hosts'], 'hosts exists; nothing was written'],
    ['an unknown role', ['--hosts', 'indexr=a'], '--hosts: there is no role "indexr"; did you mean "indexer"?'],
    [
      'an unknown place',
      ['--set', 'platform.targt=1'],
      '--set: there is no place "platform.targt"; did you mean "platform.target"?',
    ],
    [
      'an unknown group',
      ['--ansible', 'hosts', '--map', 'laptop=agent'],
      '--map: there is no group "laptop"; did you mean "laptops"?',
    ],
    [
      'a role of no group',
      ['--ansible', 'hosts', '--map', 'laptops=agnt'],
      '--map: there is no role "agnt"; did you mean "agent"?',
    ],
    ['a file that is not there', ['--ansible', 'nowhere'], 'nowhere  cannot be read (ENOENT)'],
    ['no host without a terminal', [], 'no hosts were given, and there is no terminal to ask at; nothing was written'],
    [
      'two places in one --set',
      ['--set', 'platform.target=4.14.7,endpoints.api.user=ops'],
      'has two names; repeat the option: --set platform.target=4.14.7 --set endpoints.api.user=ops',
    ],
    [
      'two roles in one --hosts',
      ['--hosts', 'indexer=a,server=b'],
      'repeat the option: --hosts indexer=a --hosts server=b',
    ],
    [
      'a URL that is none',
      ['--set', 'platform.package_url=foo'],
      '--set: "foo" is not the URL of the packages, such as https://packages.example.com',
    ],
    ['a release for hosts', ['--hosts', 'indexer=4.14.7'], '"4.14.7" is no DNS name or IP address'],
    [
      'a URL for a user',
      ['--set', 'endpoints.api.user=https://packages.example.com'],
      '"https://packages.example.com" is not a user of the management API, such as ops',
    ],
    ['a release for a user', ['--set', 'endpoints.api.user=4.14.7'], '"4.14.7" is not a user of the management API'],
    ['--map alone', ['--map', 'a=agent'], '--map needs --ansible FILE'],
  ])('refuses %s and writes nothing', async (_name, args, message) => {
    const ran = await harness.run(['init', ...args]);
    expect([ran.exitCode, ran.stderr]).toEqual([2, expect.stringContaining(message)]);
    expect(existsSync(harness.path('inventory.yaml'))).toBe(false);
  });

  test('what stands in an inventory does not steer the terminal', async () => {
    harness.write('hosts', '[a]\nh1 \u001b[2Jevil\n');
    const foreign = await harness.run(['init', '--ansible', 'hosts']);
    expect(foreign.stderr).toContain('hosts:2  "\\x1b[2Jevil" is not key=value');
    const path = await harness.run(['validate', 'up\u001b[2J.yaml']);
    expect(path.stderr).toContain('up\\x1b[2J.yaml:1:1  there is no such playbook');
    const argument = await harness.run(['show', 'run\u001b[2J']);
    expect(foreign.stderr + path.stderr + argument.stderr).not.toContain('\u001b');
  });

  test('a host that is left out, or not reached by SSH, stops nothing', async () => {
    harness.write(
      'hosts',
      `${HOSTS}[windows]\nw1 ansible_connection=winrm\n[windows_agents]\nw2 ansible_connection=winrm\n`,
    );
    const none = await harness.run(['init', '--ansible', 'hosts', '--map', 'windows=none', '-o', 'none.yaml']);
    expect([none.exitCode, none.stderr]).toEqual([0, '']);
    expect(none.stdout).toContain(`Left out: w1 (windows).
Left out: w2 (windows_agents): Windows endpoint upgraded by its installer (§9.7): on the model only. To include all the same: --map windows_agents=windows_agent`);
    const asked = await harness.run([
      'init',
      '--ansible',
      'hosts',
      '--map',
      'windows=windows_agent',
      '-o',
      'asked.yaml',
    ]);
    expect([asked.exitCode, harness.read('asked.yaml')]).toEqual([
      0,
      expect.stringMatching(/^ {2}w1: \{ roles: \[ windows_agent \] \}$/m),
    ]);
    const agents = await harness.run(['init', '--ansible', 'hosts', '--map', 'windows=agent']);
    expect([agents.exitCode, agents.stderr]).toEqual([
      2,
      `hosts  host w1: ansible_connection: "winrm" is not supported; only ssh and local are
  --map GROUP=none leaves the hosts of a group out
Nothing was written.`,
    ]);
  });

  test('names what is not taken over from Ansible, and what is renamed', async () => {
    harness.write(
      'hosts',
      `[indexers]
i1 api_password="{{ vault_api }}" ip=10.0.0.1 ansible_host="{{ ip }}"
[dashboards]
dash@1 ansible_host=10.0.0.9
[eu.west:children]
indexers
[indexers:vars]
heap_size=4g
ansible_ssh_common_args=-o StrictHostKeyChecking=no -i ~/.ssh/other -oIdentityFile=x -J ops@bastion
[unused]
u1 other_var=1
`,
    );
    const ran = await harness.run(['init', '--ansible', 'hosts']);
    expect([ran.exitCode, ran.stderr]).toEqual([0, '']);
    expect(ran.stdout).toContain(`Renamed: eu.west to eu_west, dash@1 to host-dash-1
Not taken over: -o StrictHostKeyChecking, -i, -o IdentityFile, api_password, heap_size
`);
  });

  test('a group may be given a role, or none', async () => {
    const map = ['--map', 'laptops=agent', '--map', 'dashboards=none'];
    const ran = await harness.run(['init', '--ansible', 'hosts', ...map]);
    expect(ran.stdout).toContain('agent 1');
    expect(ran.stdout).toContain('Left out: dashboard-1 (dashboards).\n');
    expect(ran.stdout).toMatch(/values to fill in: look for TODO/);
  });
});
