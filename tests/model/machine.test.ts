import { afterEach, describe, expect, test } from '@jest/globals';
import { archiveListing, disk, port, probe, system } from '../../engine/facts/host.js';
import { tree } from '../../engine/facts/file.js';
import { download } from '../../engine/facts/http.js';
import { need } from '../../engine/terms/fact.js';
import { sha256 } from '../../engine/lib/hash.js';
import { APT, enableRepository, inventory, platform } from './platform.js';

type P = ReturnType<typeof platform>;
const opened: P[] = [];
afterEach(async () => {
  for (const p of opened.splice(0)) await p.machine.close();
});
const open = (...args: Parameters<typeof platform>): P => {
  const p = platform(...args);
  opened.push(p);
  return p;
};
const CONF = '/var/platform/etc/platform.conf';

describe('files', () => {
  test('writing keeps owner and mode, changes the ctime, and refuses another file than the one that was decided on', async () => {
    const p = open();
    const before = await p.file('server-1', CONF);
    const hash = before.exists ? (before.sha256 ?? '') : '';
    await p.clock.sleep(1_000);
    expect(await p.on('server-1', { do: 'write', path: CONF, content: 'new\n', replaces: hash })).toEqual({
      is: 'applied',
    });
    expect(await p.file('server-1', CONF)).toMatchObject({
      owner: 'root',
      group: 'platform',
      mode: '0660',
      sizeBytes: 4,
      sha256: sha256('new\n'),
    });
    expect(await p.on('server-1', { do: 'write', path: CONF, content: 'other\n', replaces: hash })).toMatchObject({
      is: 'refused',
      by: 'precondition',
    });
    expect(
      await p.on('server-1', {
        do: 'write',
        path: '/etc/motd',
        content: 'x',
        replaces: 'nothing',
        owner: 'ops',
        mode: '0600',
      }),
    ).toEqual({ is: 'applied' });
    expect(await p.file('server-1', '/etc/motd')).toMatchObject({ owner: 'ops', mode: '0600' });
    expect(
      await p.on('server-1', { do: 'write', path: '/nowhere/x', content: 'x', replaces: 'nothing' }),
    ).toMatchObject({ is: 'refused', found: 'there is no directory /nowhere' });
  });

  test('bytes that are no UTF-8 come back as they were', async () => {
    const p = open();
    const bytes = Array.from({ length: 256 }, (_, i) => String.fromCharCode(i)).join('');
    await p.on('web-1', { do: 'write', path: '/etc/bytes', content: bytes, encoding: 'latin1', replaces: 'nothing' });
    expect(await p.file('web-1', '/etc/bytes')).toMatchObject({
      sizeBytes: 256,
      sha256: sha256(Buffer.from(bytes, 'latin1')),
    });
    expect(await p.text('web-1', '/etc/bytes')).toBe(bytes);
  });

  test('a link is followed for its content, and kept when it is written through', async () => {
    const p = open();
    await p.write('web-1', '/etc/real', 'one\n');
    await p.on('web-1', { do: 'link', path: '/etc/alias', target: 'real' });
    expect(await p.file('web-1', '/etc/alias')).toMatchObject({ type: 'link', target: 'real' });
    await p.write('web-1', '/etc/alias', 'two\n');
    expect(await p.text('web-1', '/etc/real')).toBe('two\n');
    expect(await p.file('web-1', '/etc/alias')).toMatchObject({ type: 'link' });
  });

  test('a tree is copied with owners and modes, moved, listed by relative path, and removed only when told so', async () => {
    const p = open();
    const list = (path: string) => p.value(need({ host: 'indexer-1' }, tree, path));
    const before = await list('/etc/platform-indexer/security/');
    expect(before?.map((e) => e.path)).toContain('roles_mapping.yml');
    await p.on('indexer-1', { do: 'copy', from: '/etc/platform-indexer/security', to: '/var/backups/security' });
    expect(await list('/var/backups/security')).toEqual(before);
    await p.on('indexer-1', { do: 'move', from: '/var/backups/security', to: '/var/backups/moved' });
    expect(await list('/var/backups/security')).toBeNull();
    expect(await p.on('indexer-1', { do: 'remove', path: '/var/backups/moved' })).toMatchObject({ is: 'refused' });
    await p.on('indexer-1', { do: 'remove', path: '/var/backups/moved', tree: true });
    expect(await list('/var/backups/moved')).toBeNull();
  });

  test('attributes of what is not there are refused; a directory is made with its parents', async () => {
    const p = open();
    expect(await p.on('web-1', { do: 'attributes', path: '/no', mode: '0600' })).toMatchObject({ is: 'refused' });
    await p.on('web-1', { do: 'directory', path: '/srv/a/b', mode: '0700', owner: 'ops' });
    expect(await p.file('web-1', '/srv/a/b')).toMatchObject({ type: 'directory', mode: '0700', owner: 'ops' });
    expect(await p.file('web-1', '/srv/a')).toMatchObject({ type: 'directory', mode: '0755' });
  });
});

describe('downloads (§4.4)', () => {
  const get = (p: P, path: string) =>
    p.value(need({ controller: true }, download, { url: `https://packages.example.com${path}` }));

  test('the module archive comes, is listed on the host, and is unpacked', async () => {
    const p = open();
    const got = await get(p, '/4.x/filebeat/platform-filebeat-0.5.tar.gz');
    if (got.is !== 'fetched') throw new Error(got.reason);
    const archive = '/var/backups/module.tar.gz';
    expect(await p.on('server-1', { do: 'upload', source: got.path, path: archive, sha256: got.sha256 })).toEqual({
      is: 'applied',
    });
    const members = await p.value(need({ host: 'server-1' }, archiveListing, archive));
    expect(members).toContainEqual({ path: 'platform/alerts/ingest/pipeline.json', type: 'file' });
    await p.on('server-1', { do: 'extract', archive, into: '/usr/share/filebeat/module' });
    expect(await p.text('server-1', '/usr/share/filebeat/module/platform/alerts/ingest/pipeline.json')).toContain(
      'module 0.5',
    );
  });

  test("the template is JSON of the target's release; an address that is none is a 404", async () => {
    const p = open();
    expect(await get(p, '/tags/v4.14.7/platform-template.json')).toMatchObject({
      is: 'fetched',
      text: expect.stringContaining('"release": "4.14.7"'),
    });
    expect(await get(p, '/tags/v4.14.9/platform-template.json')).toMatchObject({
      is: 'failed',
      reason: expect.stringContaining('404'),
    });
  });

  test('a fault serves a page in its place', async () => {
    const p = open({}, (state) =>
      state.faults.push({
        fault: 'download',
        path: '/tags/v4.14.7/platform-template.json',
        status: 200,
        body: '<html>not found</html>',
      }),
    );
    expect(await get(p, '/tags/v4.14.7/platform-template.json')).toMatchObject({
      is: 'fetched',
      text: '<html>not found</html>',
    });
  });

  test('what is no archive is unreadable as one', async () => {
    const p = open();
    await p.write('server-1', '/tmp/x.tar.gz', 'no archive');
    expect(await p.ask(need({ host: 'server-1' }, archiveListing, '/tmp/x.tar.gz'))).toMatchObject({
      is: 'failed',
      why: 'unreadable',
    });
  });
});

describe('hosts', () => {
  test('tell their system, ports, disk, and what a probe prints', async () => {
    const p = open();
    expect(await p.value(need({ host: 'web-1' }, system, undefined))).toMatchObject({
      hostname: 'web-1',
      os: 'debian',
      dialect: 'sh',
      timeMs: p.state.nowMs,
    });
    expect(await p.value(need({ host: 'indexer-1' }, port, 9200))).toEqual({ open: true });
    await p.sh('indexer-1', ['systemctl', 'stop', 'platform-indexer']);
    expect(await p.value(need({ host: 'indexer-1' }, port, 9200))).toEqual({ open: false });
    expect((await p.value(need({ host: 'web-1' }, disk, '/var'))).freeBytes).toBeGreaterThan(0);
    expect(await p.value(need({ host: 'web-1' }, probe, { argv: ['cat', '/etc/hostname'] }))).toEqual({
      exit: 0,
      stdout: 'web-1\n',
    });
  });

  test("a program that is not there ends with 127: an unknown one, and the indexer's tool on a server", async () => {
    const p = open();
    expect(await p.sh('web-1', ['frobnicate'])).toMatchObject({ exit: 127 });
    expect(await p.sh('server-1', [p.state.names.indexer.security_init])).toMatchObject({ exit: 127 });
  });

  test('a unit that is not there is not-found; one whose file changed needs a reload', async () => {
    const p = open();
    expect(await p.unit('web-1', 'nginx')).toMatchObject({ load: 'not-found', active: 'inactive' });
    expect(await p.sh('web-1', ['systemctl', 'start', 'nginx'])).toMatchObject({ exit: 5 });
    await p.write('web-1', '/usr/lib/systemd/system/platform-agent.service', '[Service]\n');
    expect(await p.unit('web-1', 'platform-agent')).toMatchObject({ needsReload: true });
    await p.sh('web-1', ['systemctl', 'daemon-reload']);
    expect(await p.unit('web-1', 'platform-agent')).toMatchObject({ needsReload: false });
  });

  test('stop, enable and disable; a restart has a later start', async () => {
    const p = open();
    const before = await p.unit('web-1', 'platform-agent');
    await p.sh('web-1', ['systemctl', 'restart', 'platform-agent.service']);
    expect((await p.unit('web-1', 'platform-agent')).startedAtMs).toBeGreaterThan(before.startedAtMs ?? 0);
    await p.sh('web-1', ['systemctl', 'stop', 'platform-agent']);
    await p.sh('web-1', ['systemctl', 'disable', 'platform-agent']);
    expect(await p.unit('web-1', 'platform-agent')).toMatchObject({
      active: 'inactive',
      sub: 'dead',
      enabled: 'disabled',
      processes: 0,
      startedAtMs: null,
    });
  });

  test('after a reboot the boot id is another, what is enabled runs, and a job under way is lost', async () => {
    const p = open();
    await enableRepository(p, ['web-1']);
    const boot = async () => (await p.value(need({ host: 'web-1' }, system, undefined))).bootId;
    const before = await boot();
    p.state.faults.push({ fault: 'cut', at: p.state.effects + 1, when: 'after' });
    await p.job('web-1', [...APT, 'platform-agent=4.14.7-1'], 'j1');
    await p.sh('web-1', ['systemctl', 'reboot']);
    expect(await boot()).not.toBe(before);
    expect(await p.machine.job({ host: 'web-1' }, 'j1')).toEqual({ is: 'lost', why: 'rebooted' });
    expect(await p.unit('web-1', 'platform-agent')).toMatchObject({ active: 'active' });
  });
});

describe('faults', () => {
  const restart = (p: P) => p.sh('web-1', ['systemctl', 'restart', 'platform-agent']);

  test('a unit fails to start as many times as said', async () => {
    const p = open({}, (state) =>
      state.faults.push({ fault: 'start-fails', host: 'web-1', unit: 'platform-agent', times: 1 }),
    );
    expect(await restart(p)).toMatchObject({ exit: 1 });
    expect(await p.unit('web-1', 'platform-agent')).toMatchObject({ active: 'failed' });
    expect(await restart(p)).toMatchObject({ exit: 0 });
  });

  test.each([
    ['before', null],
    ['after', 'hello\n'],
  ] as const)('a connection cut %s the effect: unknown, and the file is %j', async (when, text) => {
    const p = open({}, (state) => state.faults.push({ fault: 'cut', at: 1, when }));
    expect(await p.write('web-1', '/etc/motd', 'hello\n')).toMatchObject({ is: 'unknown', why: 'connection' });
    expect(await p.text('web-1', '/etc/motd')).toBe(text);
    expect(await p.write('web-1', '/etc/motd', 'again\n')).toEqual({ is: 'applied' });
  });

  test('a request that was cut is unknown too', async () => {
    const p = open({}, (state) => state.faults.push({ fault: 'cut', at: 1, when: 'after' }));
    expect(await p.request('indexer', 'POST', '/_flush')).toMatchObject({ is: 'unknown', why: 'connection' });
  });

  test('the same job asked for twice runs once', async () => {
    const p = open();
    await enableRepository(p, ['web-1']);
    p.state.faults.push({ fault: 'cut', at: p.state.effects + 1, when: 'after' });
    expect(await p.job('web-1', [...APT, 'platform-agent=4.14.7-1'], 'j')).toMatchObject({ is: 'unknown' });
    const since = p.state.hosts['web-1']?.jobs['j']?.sinceMs;
    expect(await p.job('web-1', [...APT, 'platform-agent=4.14.7-1'], 'j')).toMatchObject({ is: 'ended', exit: 0 });
    expect(p.state.hosts['web-1']?.jobs['j']?.sinceMs).toBe(since);
    expect(await p.machine.job({ host: 'web-1' }, 'other')).toEqual({ is: 'absent' });
  });

  test('a job that takes longer than its limit goes on, and is unknown', async () => {
    const p = open();
    await enableRepository(p, ['indexer-1']);
    const ended = await p.on(
      'indexer-1',
      { do: 'job', command: { argv: [...APT, 'platform-indexer=4.14.7-1'], timeoutMs: 5_000 }, expect: { exit: [0] } },
      'slow',
    );
    expect(ended).toMatchObject({ is: 'unknown', why: 'timeout' });
    await p.clock.sleep(60_000);
    expect(await p.machine.job({ host: 'indexer-1' }, 'slow')).toMatchObject({ is: 'ended', exit: 0 });
  });

  test.each([
    [{ fault: 'unreachable', host: 'web-1' } as const, 'unreachable'],
    [{ fault: 'no-sudo', host: 'web-1' } as const, 'no-access'],
  ])('%j', async (fault, why) => {
    const p = open({}, (state) => state.faults.push(fault));
    expect(await p.ask(need({ host: 'web-1' }, system, undefined))).toMatchObject({ is: 'failed', why });
    expect((await restart(p)).is).toBe(why === 'no-access' ? 'refused' : 'unknown');
    expect(await p.ask(need({ host: 'web-2' }, system, undefined))).toMatchObject({ is: 'value' });
  });

  test('a full disk: no file is written, no package installed', async () => {
    const p = open({}, (state) => state.faults.push({ fault: 'disk-full', host: 'web-1' }));
    expect(await p.value(need({ host: 'web-1' }, disk, '/'))).toMatchObject({ freeBytes: 0 });
    expect(await p.write('web-1', '/etc/motd', 'x')).toMatchObject({
      is: 'ended',
      exit: 1,
      stderr: expect.stringContaining('No space left'),
    });
  });

  test('a program does what the fault says', async () => {
    const p = open({}, (state) =>
      state.faults.push({
        fault: 'program',
        host: 'web-1',
        program: 'apt-get',
        exit: 100,
        stdout: 'E: broken\n',
        times: 1,
      }),
    );
    expect(await p.sh('web-1', ['apt-get', 'update'])).toMatchObject({ exit: 100, stdout: 'E: broken\n' });
    expect(await p.sh('web-1', ['apt-get', 'update'])).toMatchObject({ exit: 0 });
  });
});

describe('time and state', () => {
  test('effects side by side take as long as the longest, one after another as long as all', async () => {
    const agents = ['web-1', 'web-2'];
    const took = async (work: (p: P) => Promise<unknown>): Promise<number> => {
      const p = open();
      const from = p.state.nowMs;
      await work(p);
      return p.state.nowMs - from;
    };
    const restart = (p: P, name: string) => p.sh(name, ['systemctl', 'restart', 'platform-agent']);
    const one = await took((p) => restart(p, 'web-1'));
    expect(await took((p) => Promise.all(agents.map((a) => restart(p, a))))).toBe(one);
    expect(
      await took(async (p) => {
        for (const a of agents) await restart(p, a);
      }),
    ).toBe(2 * one);
  });

  test('who sleeps wakes in order, and an aborted sleep ends at once', async () => {
    const p = open();
    const woken: string[] = [];
    const stop = new AbortController();
    const sleeps = [3_000, 1_000, 2_000].map((ms) =>
      p.clock.sleep(ms).then(() => woken.push(`${ms} at ${p.clock.nowMs() - from}`)),
    );
    const from = p.clock.nowMs();
    const aborted = p.clock.sleep(3_600_000, stop.signal);
    stop.abort();
    await aborted;
    await Promise.all(sleeps);
    expect(woken).toEqual(['1000 at 1000', '2000 at 2000', '3000 at 3000']);
  });

  test('the state is one value: a clone goes its own way, and equal values do equal things', async () => {
    const p = open();
    await enableRepository(p, ['indexer-1']);
    const snapshot = structuredClone(p.state);
    expect(JSON.parse(JSON.stringify(p.state))).toEqual(snapshot);
    const upgrade = async (q: P): Promise<void> => {
      await q.sh('indexer-1', ['systemctl', 'stop', 'platform-indexer']);
      await q.job('indexer-1', [...APT, 'platform-indexer=4.14.7-1'], 'j');
      await q.sh('indexer-1', ['systemctl', 'start', 'platform-indexer']);
      await q.clock.sleep(60_000);
    };
    await upgrade(p);
    expect(p.state.hosts['indexer-1']).not.toEqual(snapshot.hosts['indexer-1']);
    const clone = open({}, (state) => Object.assign(state, snapshot));
    await upgrade(clone);
    expect(clone.state).toEqual(p.state);
  });

  test('a branded distribution has its own names everywhere', async () => {
    const names = {
      indexer: {
        package: 'acme-indexer',
        service: 'acme-indexer',
        config_dir: '/etc/acme-indexer',
        jvm_options: '{{indexer.config_dir}}/jvm.options',
      },
      manager: {
        package: 'acme-manager',
        service: 'acme-manager',
        install_dir: '/var/acme',
        config: '/var/acme/etc/acme.conf',
        root: 'acme_config',
      },
    };
    const p = open({ names });
    expect(await p.pkg('indexer-1', 'acme-indexer')).toMatchObject({ installed: '4.12.0-1' });
    expect(await p.pkg('indexer-1', 'platform-indexer')).toMatchObject({ installed: null });
    expect(await p.text('indexer-1', '/etc/acme-indexer/jvm.options')).toContain('-Xms8g');
    expect(await p.text('server-1', '/var/acme/etc/acme.conf')).toContain('<acme_config>');
    expect(await p.unit('server-1', 'acme-manager')).toMatchObject({ active: 'active' });
    expect(await p.sh('server-1', ['/var/acme/bin/platform-control', 'status'])).toMatchObject({ exit: 1 });
  });

  test('an inventory of one host with every role works', async () => {
    const [first] = inventory.hosts;
    if (first === undefined) throw new Error('no host');
    const one = { ...first, name: 'all', address: '10.0.0.5', roles: ['indexer', 'server', 'master', 'dashboard'] };
    const at = (port: number): { url: string; host: string }[] => [{ url: `https://10.0.0.5:${port}`, host: 'all' }];
    const { api, indexer, dashboard } = inventory.endpoints;
    if (api === undefined || indexer === undefined || dashboard === undefined) throw new Error('no endpoints');
    const small = {
      ...inventory,
      hosts: [one],
      endpoints: {
        api: { ...api, urls: at(55_000) },
        indexer: { ...indexer, urls: at(9200) },
        dashboard: { ...dashboard, urls: at(443) },
      },
    };
    const p = open({ inventory: small });
    expect(await p.json('indexer', '/_cluster/health')).toMatchObject({ status: 'green', number_of_nodes: 1 });
    expect(await p.json('api', '/manager/info')).toMatchObject({ error: 0 });
    expect(await p.json('dashboard', '/api/status')).toMatchObject({ version: { number: '4.12.0' } });
  });
});
