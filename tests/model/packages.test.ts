import { describe, expect, test } from '@jest/globals';
import { packageVersions } from '../../engine/facts/package-versions.js';
import { need } from '../../engine/terms/fact.js';
import { APT, enableRepository, platform } from './platform.js';

const JVM = '/etc/platform-indexer/jvm.options';
const BARE = ['apt-get', '-y', 'install'] as const;
const withOptions = (...options: string[]) =>
  [
    'apt-get',
    '-y',
    ...options.flatMap((o) => ['-o', `Dpkg::Options::=${o}`]),
    'install',
    'platform-indexer=4.14.7-1',
  ] as const;

describe('a disabled repository', () => {
  test('does not fail: the package is "already the newest version", with status 0', async () => {
    const p = platform();
    expect(await p.sh('indexer-1', [...BARE, 'platform-indexer'])).toMatchObject({
      exit: 0,
      stdout: expect.stringContaining('platform-indexer is already the newest version (4.12.0-1).'),
    });
    expect(await p.pkg('indexer-1', 'platform-indexer')).toMatchObject({ installed: '4.12.0-1' });
  });

  test('a pinned version that is not there fails with 100', async () => {
    const p = platform();
    expect(await p.sh('indexer-1', [...BARE, 'platform-indexer=4.14.7-1'])).toMatchObject({
      exit: 100,
      stderr: expect.stringContaining("Version '4.14.7-1' for 'platform-indexer' was not found"),
    });
  });

  test('enabled but never fetched offers nothing; after update both versions, newest first', async () => {
    const p = platform();
    const versions = () => p.value(need({ host: 'indexer-1' }, packageVersions, 'platform-indexer'));
    expect(await versions()).toEqual([]);
    await enableRepository(p, ['indexer-1']);
    expect(await versions()).toEqual(['4.14.7-1', '4.12.0-1']);
    const list = p.state.names.repository.deb;
    await p.write('indexer-1', list, ((await p.text('indexer-1', list)) ?? '').replace(/^deb /m, '#deb '));
    expect(await versions()).toEqual([]);
  });

  test('an empty repository is fetched, and offers nothing', async () => {
    const p = platform({}, (state) => Object.keys(state.repository).forEach((name) => (state.repository[name] = [])));
    await enableRepository(p, ['indexer-1']);
    expect(await p.sh('indexer-1', [...APT, 'platform-indexer=4.14.7-1'])).toMatchObject({ exit: 100 });
  });
});

describe('a changed configuration file', () => {
  test('without a policy: the prompt finds no terminal, the package is iU, and the new version shows already', async () => {
    const p = platform();
    await enableRepository(p, ['indexer-1']);
    expect(await p.sh('indexer-1', [...BARE, 'platform-indexer=4.14.7-1'])).toMatchObject({
      exit: 100,
      stderr: expect.stringContaining('end of file on stdin at conffile prompt'),
    });
    expect(await p.pkg('indexer-1', 'platform-indexer')).toMatchObject({ installed: '4.14.7-1', status: 'iU' });
    expect(await p.sh('indexer-1', ['dpkg', '--force-confold', '--configure', '-a'])).toMatchObject({ exit: 0 });
    expect(await p.pkg('indexer-1', 'platform-indexer')).toMatchObject({ installed: '4.14.7-1', status: 'ii' });
  });

  test.each([
    [['--force-confold'], 'old', '.dpkg-dist'],
    [['--force-confdef', '--force-confnew'], 'old', '.dpkg-dist'],
    [['--force-confnew'], 'new', '.dpkg-old'],
  ] as const)('%s keeps the %s file, and the other is in %s', async (options, kept, beside) => {
    const p = platform();
    await enableRepository(p, ['indexer-1']);
    const before = await p.text('indexer-1', JVM);
    expect(await p.sh('indexer-1', withOptions(...options))).toMatchObject({ exit: 0 });
    const [now, other] = [await p.text('indexer-1', JVM), await p.text('indexer-1', `${JVM}${beside}`)];
    expect(kept === 'old' ? now : other).toBe(before);
    expect(kept === 'old' ? other : now).toContain('InitiatingHeapOccupancyPercent=45');
  });

  test('an untouched one is replaced in place, and nothing is beside it', async () => {
    const p = platform();
    await enableRepository(p, ['indexer-1']);
    const shipped = p.state.hosts['indexer-1']?.packages['platform-indexer']?.conffiles[JVM] ?? '';
    await p.write('indexer-1', JVM, shipped);
    expect(await p.sh('indexer-1', withOptions('--force-confold'))).toMatchObject({ exit: 0 });
    expect(await p.text('indexer-1', JVM)).toContain('InitiatingHeapOccupancyPercent=45');
    expect(await p.text('indexer-1', `${JVM}.dpkg-dist`)).toBeNull();
  });

  test('where the default did not change there is nothing to ask', async () => {
    const p = platform();
    await enableRepository(p, ['indexer-1']);
    const config = await p.text('indexer-1', '/etc/platform-indexer/opensearch.yml');
    await p.sh('indexer-1', withOptions('--force-confold'));
    expect(await p.text('indexer-1', '/etc/platform-indexer/opensearch.yml')).toBe(config);
    expect(await p.text('indexer-1', '/etc/platform-indexer/opensearch.yml.dpkg-dist')).toBeNull();
  });
});

describe('configuration files of an RPM host', () => {
  const ENVIRONMENT = '/etc/default/platform-indexer';
  /** An upgrade of a host whose repository is on. */
  async function upgraded(prepare: (p: ReturnType<typeof platform>) => void = () => undefined) {
    const p = platform({ rpmHosts: ['indexer-1'] });
    const list = p.state.names.repository.rpm;
    await p.write('indexer-1', list, ((await p.text('indexer-1', list)) ?? '').replace('enabled=0', 'enabled=1'));
    await p.sh('indexer-1', ['dnf', '-y', 'makecache']);
    prepare(p);
    const before = { jvm: await p.text('indexer-1', JVM), environment: await p.text('indexer-1', ENVIRONMENT) };
    expect(await p.sh('indexer-1', ['dnf', '-y', 'install', 'platform-indexer-4.14.7-1'])).toMatchObject({ exit: 0 });
    return { before, text: (path: string) => p.text('indexer-1', path) };
  }

  test('a changed one stays, with the new default in .rpmnew; one that is replaced is put aside as .rpmsave', async () => {
    const { before, text } = await upgraded();
    expect([await text(JVM), await text(`${ENVIRONMENT}.rpmsave`)]).toEqual([before.jvm, before.environment]);
    expect(await text(`${JVM}.rpmnew`)).toContain('InitiatingHeapOccupancyPercent=45');
    expect(await text(ENVIRONMENT)).toMatch(/belong into jvm\.options\.\n$/);
    expect([await text(`${JVM}.rpmsave`), await text(`${ENVIRONMENT}.rpmnew`)]).toEqual([null, null]);
  });

  test('one that was taken away comes back', async () => {
    const { text } = await upgraded(({ state }) => {
      Reflect.deleteProperty(state.hosts['indexer-1']?.files ?? {}, JVM);
    });
    expect(await text(JVM)).toContain('InitiatingHeapOccupancyPercent=45');
  });
});

describe('holds, downgrades, locks and disks', () => {
  test('a held package is not changed: 100, unless allowed; the hold shows as hi', async () => {
    const p = platform();
    await enableRepository(p, ['web-1']);
    await p.sh('web-1', ['apt-mark', 'hold', 'platform-agent']);
    expect(await p.pkg('web-1', 'platform-agent')).toMatchObject({ held: true, status: 'hi' });
    expect(await p.sh('web-1', [...APT, 'platform-agent=4.14.7-1'])).toMatchObject({
      exit: 100,
      stderr: expect.stringContaining('Held packages were changed'),
    });
    expect(
      await p.sh('web-1', ['apt-get', '-y', '--allow-change-held-packages', 'install', 'platform-agent=4.14.7-1']),
    ).toMatchObject({ exit: 0 });
    expect(await p.pkg('web-1', 'platform-agent')).toMatchObject({ installed: '4.14.7-1', held: false, status: 'ii' });
  });

  test('a downgrade with -y alone fails with 100; with --allow-downgrades it is done', async () => {
    const p = platform();
    await enableRepository(p, ['web-1']);
    await p.sh('web-1', [...APT, 'platform-agent=4.14.7-1']);
    expect(await p.sh('web-1', [...APT, 'platform-agent=4.12.0-1'])).toMatchObject({
      exit: 100,
      stderr: expect.stringContaining('--allow-downgrades'),
    });
    expect(
      await p.sh('web-1', ['apt-get', '-y', '--allow-downgrades', 'install', 'platform-agent=4.12.0-1']),
    ).toMatchObject({ exit: 0 });
    expect(await p.pkg('web-1', 'platform-agent')).toMatchObject({ installed: '4.12.0-1', status: 'ii' });
  });

  test('a version without its revision is pinned by a star', async () => {
    const p = platform();
    await enableRepository(p, ['web-1']);
    expect(await p.sh('web-1', [...APT, 'platform-agent=4.14.7-*'])).toMatchObject({ exit: 0 });
    expect(await p.pkg('web-1', 'platform-agent')).toMatchObject({ installed: '4.14.7-1' });
  });

  test.each([
    ['as a job', 'job' as const],
    ['run', 'sh' as const],
  ])('a lock held for 20 s is waited for (%s)', async (_, how) => {
    const p = platform();
    await enableRepository(p, ['web-1']);
    const started = p.state.nowMs;
    Object.assign(p.state.hosts['web-1'] ?? {}, { lockedUntilMs: started + 20_000 });
    expect(await p[how]('web-1', [...APT, 'platform-agent=4.14.7-1'])).toMatchObject({ exit: 0 });
    expect(p.state.nowMs - started).toBeGreaterThanOrEqual(20_000);
  });

  test.each([
    ['as a job', 'job' as const],
    ['run', 'sh' as const],
  ])('a lock held for longer than the patience fails with 100, and names the holder (%s)', async (_, how) => {
    const p = platform();
    await enableRepository(p, ['web-1']);
    const started = p.state.nowMs;
    Object.assign(p.state.hosts['web-1'] ?? {}, { lockedUntilMs: started + 20_000 });
    const argv = ['apt-get', '-y', '-o', 'DPkg::Lock::Timeout=5', 'install', 'platform-agent=4.14.7-1'] as const;
    expect(await p[how]('web-1', argv)).toMatchObject({
      exit: 100,
      stderr: expect.stringMatching(/held by process \d+ \(unattended-upgr\)/),
    });
    expect(p.state.nowMs - started).toBeLessThan(10_000);
    expect(await p.pkg('web-1', 'platform-agent')).toMatchObject({ installed: '4.12.0-1' });
  });

  test('without room for the package apt says so and fails', async () => {
    const p = platform();
    await enableRepository(p, ['indexer-1']);
    Object.assign(p.state.hosts['indexer-1']?.disk ?? {}, { usedBytes: 99_900_000_000 });
    expect(await p.sh('indexer-1', [...APT, 'platform-indexer=4.14.7-1'])).toMatchObject({
      exit: 100,
      stderr: expect.stringContaining("You don't have enough free space"),
    });
  });

  test('a script of the package that fails leaves iU, and configuring again ends it', async () => {
    const p = platform({}, (state) =>
      state.faults.push({ fault: 'half-configured', host: 'web-1', package: 'platform-agent', times: 1 }),
    );
    await enableRepository(p, ['web-1']);
    expect(await p.sh('web-1', [...APT, 'platform-agent=4.14.7-1'])).toMatchObject({
      exit: 100,
      stderr: expect.stringContaining('returned error exit status 1'),
    });
    expect(await p.pkg('web-1', 'platform-agent')).toMatchObject({ status: 'iU' });
    await p.sh('web-1', ['dpkg', '--force-confold', '--configure', '-a']);
    expect(await p.pkg('web-1', 'platform-agent')).toMatchObject({ status: 'ii' });
  });

  test('a repository whose index is a 404 page fails with 100', async () => {
    const p = platform({}, (state) =>
      state.faults.push({ fault: 'download', path: '/4.x/apt/', status: 404, body: '' }),
    );
    const list = p.state.names.repository.deb;
    await p.write('web-1', list, 'deb https://packages.example.com/4.x/apt/ stable main\n');
    expect(await p.sh('web-1', ['apt-get', 'update'])).toMatchObject({
      exit: 100,
      stderr: expect.stringContaining('does not have a Release file'),
    });
  });
});

describe('what packages do by themselves', () => {
  test.each([true, false])('a service is restarted only if it was active: %s', async (active) => {
    const p = platform();
    await enableRepository(p, ['dashboard-1']);
    if (!active) await p.sh('dashboard-1', ['systemctl', 'stop', 'platform-dashboard']);
    const before = await p.unit('dashboard-1', 'platform-dashboard');
    await p.job('dashboard-1', [...APT, 'platform-dashboard=4.14.7-1']);
    const after = await p.unit('dashboard-1', 'platform-dashboard');
    expect(after.active).toBe(before.active);
    if (active) expect(after.startedAtMs).toBeGreaterThan(before.startedAtMs ?? 0);
  });

  test('the manager keeps a changed configuration byte for byte, with the new default beside it', async () => {
    const p = platform();
    await enableRepository(p, ['server-1']);
    const before = await p.text('server-1', p.state.names.manager.config);
    await p.sh('server-1', [...APT, 'platform-manager=4.14.7-1']);
    expect(await p.text('server-1', p.state.names.manager.config)).toBe(before);
    expect(await p.text('server-1', `${p.state.names.manager.config}.new`)).toContain('malicious-ioc-md5');
  });

  test('a configuration without a connector gets a root of its own, with the address 0.0.0.0', async () => {
    const p = platform({ from: '4.7.0' });
    await enableRepository(p, ['server-1']);
    const path = p.state.names.manager.config;
    const before = (await p.text('server-1', path)) ?? '';
    expect(before).not.toContain('<indexer>');
    await p.sh('server-1', [...APT, 'platform-manager=4.14.7-1']);
    const after = (await p.text('server-1', path)) ?? '';
    expect(after.startsWith(before)).toBe(true);
    expect(after.slice(before.length)).toContain('<host>https://0.0.0.0:9200</host>');
    expect(await p.file('server-1', path)).toMatchObject({ owner: 'root', group: 'platform', mode: '0660' });
  });

  test('the shipper keeps its version and changes its revision', async () => {
    const p = platform();
    await enableRepository(p, ['server-1']);
    await p.sh('server-1', [...APT, 'filebeat=7.10.2-2']);
    expect(await p.pkg('server-1', 'filebeat')).toMatchObject({ installed: '7.10.2-2' });
    expect(await p.sh('server-1', ['filebeat', 'version'])).toMatchObject({
      stdout: expect.stringContaining('7.10.2'),
    });
  });
});
