import { describe, expect, test } from '@jest/globals';
import { connectorConfig } from '../../engine/platforms/security-monitoring/simulator/manager-check.js';
import { revokeTokens } from '../../engine/platforms/security-monitoring/simulator/management-state.js';
import { agents } from '../../engine/platforms/security-monitoring/facts/agents.js';
import { need } from '../../engine/terms/fact.js';
import { APT, enableRepository, platform } from './platform.js';

const CONFIG = '/var/platform/etc/platform.conf';
const CHECK = ['/var/platform/bin/platform-analysisd', '-t'] as const;
const SHIPPER = '/etc/filebeat/filebeat.yml';

describe("the manager's configuration", () => {
  test('has several roots, `--` in a comment and bare `&`, and passes its own check', async () => {
    const p = platform();
    const text = (await p.text('server-1', CONFIG)) ?? '';
    expect(text.match(/^<platform_config>$/gm)).toHaveLength(2);
    expect(text).toMatch(/<!--[\s\S]*? -- [\s\S]*?-->/);
    expect(text).toContain('a=1&b=2');
    expect(await p.sh('server-1', CHECK)).toMatchObject({ exit: 0 });
  });

  test('an element left open fails the check with status 1, and the service does not start', async () => {
    const p = platform();
    const text = (await p.text('server-1', CONFIG)) ?? '';
    await p.write('server-1', CONFIG, text.replace('</ruleset>', ''));
    expect(await p.sh('server-1', CHECK)).toMatchObject({ exit: 1, stderr: expect.stringContaining('(1202)') });
    expect(await p.sh('server-1', ['systemctl', 'restart', 'platform-manager'])).toMatchObject({ exit: 1 });
    expect(await p.unit('server-1', 'platform-manager')).toMatchObject({ active: 'failed' });
  });

  test('a list that the installed release does not have fails the check; after the upgrade it is there', async () => {
    const p = platform();
    const text = (await p.text('server-1', CONFIG)) ?? '';
    await p.write(
      'server-1',
      CONFIG,
      text.replace(
        '<list>etc/lists/audit-keys</list>',
        '<list>etc/lists/audit-keys</list>\n    <list>etc/lists/malicious-ioc-md5</list>',
      ),
    );
    expect(await p.sh('server-1', CHECK)).toMatchObject({
      exit: 1,
      stderr: expect.stringContaining('malicious-ioc-md5'),
    });
    await enableRepository(p, ['server-1']);
    await p.sh('server-1', [...APT, 'platform-manager=4.14.7-1']);
    expect(await p.sh('server-1', CHECK)).toMatchObject({ exit: 0 });
  });

  test('a second ruleset overwrites the lists of the first', async () => {
    const p = platform();
    const text = (await p.text('server-1', CONFIG)) ?? '';
    const second =
      '\n<platform_config>\n  <ruleset>\n    <list>etc/lists/none</list>\n  </ruleset>\n</platform_config>\n';
    await p.write('server-1', CONFIG, text.replace('etc/lists/audit-keys', 'etc/lists/gone') + second);
    const ended = (await p.sh('server-1', CHECK)) as { stderr: string };
    expect(ended.stderr).toContain('etc/lists/none');
    expect(ended.stderr).not.toContain('etc/lists/gone');
  });

  test('of two connectors, and of two elements in one, the last counts as a whole', () => {
    const one = (inside: string): string => `<c><indexer>${inside}</indexer></c>\n`;
    const hosts = (host: string): string => `<hosts><host>${host}</host></hosts>`;
    const ssl = '<ssl><certificate>/a.pem</certificate><certificate>/b.pem</certificate></ssl>';
    expect(
      connectorConfig(one(hosts('https://10.0.0.11:9200') + ssl) + one(hosts('https://a') + hosts('https://b'))),
    ).toEqual({ enabled: true, hosts: ['https://b'], files: [] });
    expect(connectorConfig(one(ssl) + `<!-- ${one('')} -->`)?.files).toEqual(['/b.pem']);
    expect(connectorConfig('<c><!-- <indexer></indexer> --></c>')).toBeUndefined();
  });
});

describe("the manager's service", () => {
  test("the control tool's status ends with 1 on a healthy manager, because it counts optional daemons", async () => {
    const p = platform();
    const ended = (await p.sh('server-1', ['/var/platform/bin/platform-control', 'status'])) as {
      exit: number;
      stdout: string;
    };
    expect(ended.exit).toBe(1);
    expect(ended.stdout).toContain('platform-analysisd is running...');
    expect(ended.stdout).toContain('platform-maild not running...');
  });

  test('the service can be active with dead daemons', async () => {
    const p = platform({}, (state) =>
      state.faults.push({ fault: 'dead-daemons', host: 'server-1', unit: 'platform-manager' }),
    );
    await p.sh('server-1', ['systemctl', 'restart', 'platform-manager']);
    expect(await p.unit('server-1', 'platform-manager')).toMatchObject({
      active: 'active',
      sub: 'exited',
      processes: 0,
    });
    expect(await p.sh('server-1', ['/var/platform/bin/platform-control', 'status'])).toMatchObject({
      stdout: expect.stringContaining('platform-analysisd not running...'),
    });
    expect(await p.get('api', '/manager/info')).toMatchObject({ is: 'unreachable' });
  });

  test('after a start the API answers 1017 for a while, then the new version', async () => {
    const p = platform();
    await enableRepository(p, ['server-1']);
    await p.job('server-1', [...APT, 'platform-manager=4.14.7-1']);
    await p.sh('server-1', ['systemctl', 'restart', 'platform-manager']);
    expect(await p.json('api', '/manager/info')).toMatchObject({ error: 1017 });
    await p.clock.sleep(20_000);
    expect(await p.json('api', '/manager/info')).toMatchObject({ data: { affected_items: [{ version: 'v4.14.7' }] } });
  });

  test('the version is that of the programs that run, not of the package that lies there', async () => {
    const p = platform();
    await enableRepository(p, ['server-1']);
    await p.sh('server-1', ['systemctl', 'stop', 'platform-manager']);
    await p.sh('server-1', [...APT, 'platform-manager=4.14.7-1']);
    expect(p.state.management.version).toBe('4.12.0');
    expect(await p.get('api', '/manager/info')).toMatchObject({
      is: 'unreachable',
      reason: expect.stringContaining('refuses connections'),
    });
  });

  test('the keystore reads standard input, keeps it as it came, and knows only its own keys', async () => {
    const p = platform();
    const tool = '/var/platform/bin/platform-keystore';
    expect(await p.sh('server-1', [tool, '-f', 'indexer', '-k', 'password'], { stdin: 'secret' })).toMatchObject({
      exit: 0,
      stdout: '',
    });
    expect(await p.text('server-1', '/var/platform/queue/keystore/indexer/password')).toBe('secret');
    expect(await p.sh('server-1', [tool, '-f', 'indexer', '-k', 'token'], { stdin: 'x' })).toMatchObject({ exit: 1 });
    expect(await p.sh('server-1', [tool, '-f', 'indexer', '-k', 'username'])).toMatchObject({ exit: 1 });
  });
});

describe('tokens through the endpoint', () => {
  test('a revoked token is renewed once, and the caller notices nothing', async () => {
    const p = platform();
    expect(await p.get('api', '/manager/info')).toMatchObject({ status: 200 });
    p.state.management = revokeTokens(p.state.management);
    const before = p.state.management.issued.tokens;
    expect(await p.get('api', '/manager/info')).toMatchObject({ status: 200 });
    expect(p.state.management.issued.tokens).toBe(before + 1);
  });

  test('agents are read over all pages', async () => {
    const p = platform({
      remoteAgents: Array.from({ length: 1_203 }, (_, i) => ({ name: `far-${i}`, version: '4.12.0' })),
    });
    const answer = await p.value(need({ endpoint: 'api' }, agents, { pageSize: 500 }));
    expect(answer).toMatchObject({ is: 'answered', pages: 3 });
    expect(answer.is === 'answered' ? answer.agents.length : 0).toBe(1 + 2 + 1_203);
    expect(await p.value(need({ endpoint: 'api' }, agents, { pageSize: 500, status: 'active' }))).toMatchObject({
      is: 'answered',
      pages: 3,
    });
  });
});

describe('the shipper, 7.10.2', () => {
  test('`test output` ends `talk to server... OK` and the version', async () => {
    const p = platform();
    expect(await p.sh('server-1', ['filebeat', 'test', 'output'])).toMatchObject({
      exit: 0,
      stdout: expect.stringMatching(/talk to server\.\.\. OK\n +version: 7\.10\.2\n$/),
    });
  });

  test('what is wrong is ERROR on standard output with status 1, nothing on standard error', async () => {
    const p = platform();
    for (const node of ['indexer-1', 'indexer-2', 'indexer-3'])
      await p.sh(node, ['systemctl', 'stop', 'platform-indexer']);
    expect(await p.sh('server-1', ['filebeat', 'test', 'output'])).toMatchObject({
      exit: 1,
      stdout: expect.stringMatching(/ERROR .*connection refused/),
      stderr: '',
    });
    expect(await p.sh('server-1', ['filebeat', 'setup', '--pipelines'])).toMatchObject({
      exit: 1,
      stderr: expect.stringContaining("Exiting: couldn't connect to any of the configured Elasticsearch hosts"),
    });
  });

  test('`setup --index-management` puts the template by its name', async () => {
    const p = platform();
    await p.write(
      'server-1',
      '/etc/filebeat/platform-template.json',
      '{"index_patterns":["platform-alerts-4.x-*"],"mappings":{"_meta":{"ours":true}}}',
    );
    expect(await p.sh('server-1', ['filebeat', 'setup', '--index-management'])).toMatchObject({
      exit: 0,
      stdout: 'Index setup finished.\n',
    });
    expect(await p.json('indexer', '/_template/platform')).toMatchObject({
      platform: { mappings: { _meta: { ours: true } } },
    });
    expect(await p.get('indexer', '/_template/other')).toMatchObject({ status: 404 });
  });

  test('`setup --pipelines` says that it loaded them, with status 0, even when there is no module', async () => {
    const p = platform({}, (state) =>
      Reflect.deleteProperty(state.cluster.pipelines, 'filebeat-7.10.2-platform-alerts-pipeline'),
    );
    await p.on('server-1', { do: 'remove', path: '/usr/share/filebeat/module/platform', tree: true });
    expect(await p.sh('server-1', ['filebeat', 'setup', '--pipelines'])).toMatchObject({
      exit: 0,
      stdout: 'Loaded Ingest pipelines\n',
    });
    expect(await p.get('indexer', '/_ingest/pipeline/filebeat-7.10.2-platform-alerts-pipeline')).toMatchObject({
      status: 404,
    });
  });

  test('a configuration that the group can write is refused, by the tool and at the start', async () => {
    const p = platform();
    await p.on('server-1', { do: 'attributes', path: SHIPPER, mode: '0660' });
    expect(await p.sh('server-1', ['filebeat', 'test', 'output'])).toMatchObject({
      exit: 1,
      stderr: expect.stringContaining('can only be writable by the owner'),
    });
    expect(await p.sh('server-1', ['systemctl', 'restart', 'filebeat'])).toMatchObject({ exit: 1 });
  });

  test('alerts written while it is stopped are carried after its start; none is lost', async () => {
    const p = platform();
    await p.sh('server-1', ['systemctl', 'stop', 'filebeat']);
    await p.clock.sleep(60_000);
    const found = async (): Promise<number> =>
      (
        (await p.json('indexer', `/platform-alerts-4.x-*/_count?q=${encodeURIComponent('manager.name:server-1')}`)) as {
          count: number;
        }
      ).count;
    const before = await found();
    await p.sh('server-1', ['systemctl', 'start', 'filebeat']);
    await p.clock.sleep(10_000);
    expect((await found()) - before).toBeGreaterThanOrEqual(12);
    expect(await found()).toBe(
      ((await p.text('server-1', '/var/platform/logs/alerts/alerts.json')) ?? '').trim().split('\n').length,
    );
  });

  /** The connector's lines in the manager's log since its last start, and whether it writes. */
  async function connectorAfter(alter: (config: string) => string): Promise<{ log: string; writes: boolean }> {
    const p = platform();
    const config = p.state.names.manager.config;
    for (const server of ['server-1', 'server-2']) {
      await p.write(server, config, alter((await p.text(server, config)) ?? ''));
      await p.sh(server, ['systemctl', 'restart', 'platform-manager']);
    }
    const states = async (): Promise<number> =>
      ((await p.json('indexer', '/platform-states-vulnerabilities/_count')) as { count: number }).count;
    const before = await states();
    await p.clock.sleep(120_000);
    const log = ((await p.text('server-1', p.state.names.manager.log)) ?? '').split('\n').slice(1).join('\n');
    return { log, writes: (await states()) > before };
  }

  test.each([
    [
      'a connector that names its certificates',
      (c: string) => c,
      /initialized successfully for index: platform-states/,
      true,
    ],
    [
      'one that leads nowhere',
      (c: string) => c.replace(/10\.0\.0\.1\d/g, '0.0.0.0'),
      /initialization failed for index '/,
      false,
    ],
    [
      'a certificate that is not there',
      (c: string) => c.replace('server-1.pem', 'filebeat.pem').replace('server-2.pem', 'filebeat.pem'),
      /initialization failed/,
      false,
    ],
    [
      'one that is switched off',
      (c: string) => c.replace('<indexer>\n    <enabled>yes', '<indexer>\n    <enabled>no'),
      /^$/,
      false,
    ],
  ])('%s: the log and the states indices tell, and nothing else', async (_, alter, log, writes) => {
    const found = await connectorAfter(alter);
    expect(found).toMatchObject({ log: expect.stringMatching(log), writes });
  });

  test('stopping the shipper does not stop every writer: the connector goes on', async () => {
    const p = platform();
    for (const server of ['server-1', 'server-2']) await p.sh(server, ['systemctl', 'stop', 'filebeat']);
    const states = async (): Promise<number> =>
      ((await p.json('indexer', '/platform-states-vulnerabilities/_count')) as { count: number }).count;
    const before = await states();
    await p.clock.sleep(120_000);
    expect(await states()).toBeGreaterThan(before);
  });
});

describe('agents (§9.7)', () => {
  test('one newer than its manager is turned away, and connects once the manager is as new', async () => {
    const p = platform();
    await enableRepository(p, ['web-1', 'server-1']);
    await p.job('web-1', [...APT, 'platform-agent=4.14.7-1']);
    await p.clock.sleep(10_000);
    const status = async (): Promise<string | undefined> =>
      ((await p.json('api', '/agents?agents_list=001')) as { data?: { affected_items: { status: string }[] } }).data
        ?.affected_items[0]?.status;
    expect(await status()).toBe('disconnected');
    await p.job('server-1', [...APT, 'platform-manager=4.14.7-1']);
    await p.clock.sleep(30_000);
    expect(await status()).toBe('active');
  });

  test('an upgrade through the API brings the package to the host', async () => {
    const p = platform();
    await enableRepository(p, ['server-1']);
    await p.job('server-1', [...APT, 'platform-manager=4.14.7-1']);
    await p.clock.sleep(30_000);
    expect(await p.request('api', 'PUT', '/agents/upgrade?agents_list=001')).toMatchObject({
      status: 200,
      body: expect.stringContaining('"error":0'),
    });
    await p.clock.sleep(60_000);
    expect(await p.pkg('web-1', 'platform-agent')).toMatchObject({ installed: '4.14.7-1', status: 'ii' });
    expect(await p.pkg('web-2', 'platform-agent')).toMatchObject({ installed: '4.12.0-1' });
  });

  test('the remote upgrade tool ends with 0 whatever came of it: what it prints decides', async () => {
    const p = platform();
    expect(await p.sh('server-1', ['/var/platform/bin/agent_upgrade', '-a', '001'])).toMatchObject({
      exit: 0,
      stdout: expect.stringContaining('Agents that cannot be upgraded:'),
    });
    await enableRepository(p, ['server-1']);
    await p.job('server-1', [...APT, 'platform-manager=4.14.7-1']);
    await p.clock.sleep(30_000);
    const ended = await p.sh('server-1', ['/var/platform/bin/agent_upgrade', '-a', 'all']);
    expect(ended).toMatchObject({
      exit: 0,
      stdout: expect.stringMatching(/Upgraded agents:\n\tAgent 001 upgraded: v4\.12\.0 -> v4\.14\.7/),
    });
    expect(await p.pkg('web-2', 'platform-agent')).toMatchObject({ installed: '4.14.7-1' });
  });
});

describe('the dashboard', () => {
  test('is not ready for a while after its start, then tells its version', async () => {
    const p = platform();
    await p.sh('dashboard-1', ['systemctl', 'restart', 'platform-dashboard']);
    expect(await p.get('dashboard', '/api/status')).toMatchObject({ status: 503 });
    await p.clock.sleep(20_000);
    expect(await p.json('dashboard', '/api/status')).toMatchObject({
      version: { number: '4.12.0' },
      status: { overall: { state: 'green' } },
    });
  });

  test('does not start when key or certificate is not where its configuration says', async () => {
    const p = platform();
    await p.on('dashboard-1', {
      do: 'move',
      from: '/etc/platform-dashboard/certs/dashboard.pem',
      to: '/etc/platform-dashboard/certs/other.pem',
    });
    expect(await p.sh('dashboard-1', ['systemctl', 'restart', 'platform-dashboard'])).toMatchObject({ exit: 1 });
  });

  test('saved objects go out, and come in with `success:false` and a conflict for each that is there', async () => {
    const p = platform();
    const auth = { authorization: `Basic ${Buffer.from('admin:right').toString('base64')}` };
    const send = (path: string, headers: Record<string, string>, body: string) =>
      p.model.send({ host: '10.0.0.31', port: 443, method: 'POST', path, headers: { ...auth, ...headers }, body });
    expect(await send('/api/saved_objects/_export', {}, '{}')).toMatchObject({ status: 400 });
    const exported = (await send('/api/saved_objects/_export', { 'osd-xsrf': 'true' }, '{"type":"dashboard"}')) as {
      body: string;
    };
    expect(exported.body).toContain('Night shift');
    const again = (await send('/api/saved_objects/_import', { 'osd-xsrf': 'true' }, exported.body)) as {
      status: number;
      body: string;
    };
    expect(again.status).toBe(200);
    expect(JSON.parse(again.body)).toMatchObject({
      success: false,
      successCount: 0,
      errors: [{ id: 'ours', error: { type: 'conflict' } }],
    });
    const over = (await send('/api/saved_objects/_import?overwrite=true', { 'osd-xsrf': 'true' }, exported.body)) as {
      body: string;
    };
    expect(JSON.parse(over.body)).toEqual({ success: true, successCount: 1 });
  });
});

test('a worker upgraded before its master is detached, and logs so', async () => {
  const p = platform();
  await enableRepository(p, ['server-2']);
  await p.job('server-2', [...APT, 'platform-manager=4.14.7-1']);
  await p.clock.sleep(10_000);
  expect(await p.text('server-2', p.state.names.manager.log)).toContain("the master's version is v4.12.0, not v4.14.7");
  expect(await p.text('server-1', p.state.names.manager.log)).not.toContain("the master's version");
});

test('a server whose certificate is not trusted is told apart from one that is not there', async () => {
  const p = platform({}, (state) => state.faults.push({ fault: 'untrusted', host: 'server-1' }));
  expect(await p.get('api', '/manager/info')).toMatchObject({
    is: 'untrusted',
    reason: expect.stringContaining('expired'),
  });
});
