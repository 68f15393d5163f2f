import { afterAll, describe, expect, test } from '@jest/globals';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packageState } from '../../engine/facts/package.js';
import { packageOffers } from '../../engine/facts/package-offers.js';
import { packageVersions } from '../../engine/facts/package-versions.js';
import { service } from '../../engine/facts/service.js';

/** What dpkg-query, apt-cache and systemctl print, as taken from hosts; the hosts themselves are met in the system tests. */
describe('package', () => {
  const none = { manager: 'apt', installed: null, held: false, changedAtMs: null };
  const cases: readonly [string, string, object][] = [
    [
      'installed',
      'ii |4.12.0-1\n@1795211715.233\n',
      { manager: 'apt', installed: '4.12.0-1', status: 'ii', held: false, changedAtMs: 1795211715233 },
    ],
    [
      'held',
      'hi |1:4.14.7-1\n@5.000\n',
      { manager: 'apt', installed: '1:4.14.7-1', status: 'hi', held: true, changedAtMs: 5000 },
    ],
    [
      'half configured',
      'iF |4.14.7-1\n@5.000\n',
      { manager: 'apt', installed: '4.14.7-1', status: 'iF', held: false, changedAtMs: 5000 },
    ],
    [
      'only unpacked',
      'iU |4.14.7-1\n@5.000\n',
      { manager: 'apt', installed: '4.14.7-1', status: 'iU', held: false, changedAtMs: 5000 },
    ],
    [
      'half configured and to be installed again',
      'iFR|4.14.7-1\n@5.000\n',
      { manager: 'apt', installed: '4.14.7-1', status: 'iFR', held: false, changedAtMs: 5000 },
    ],
    [
      'half installed, dpkg interrupted',
      'interrupted\niHR|4.12.0-1\n@5.000\n',
      { manager: 'apt', installed: '4.12.0-1', status: 'iHR', held: false, changedAtMs: 5000, interrupted: true },
    ],
    ['removed, its configuration left', 'rc |4.12.0-1\n@5.000\n', { ...none, status: 'rc' }],
    ['known, never installed', 'un |\n', { ...none, status: 'un' }],
    ['held, not installed', 'hn |\n', { ...none, status: 'hn', held: true }],
    ['unknown', '', { ...none, status: 'un' }],
    [
      'of two architectures, one removed',
      'rc |1.0\nii |1.1\n@5.000\n@7.000\n',
      { manager: 'apt', installed: '1.1', status: 'ii', held: false, changedAtMs: 7000 },
    ],
  ];
  test.each(cases)('%s', (_name, stdout, value) => {
    expect(packageState.parse({ exit: 0, stdout }, 'p')).toEqual({ is: 'value', value });
  });
  const absent = { manager: 'dnf', installed: null, status: 'un', held: false, changedAtMs: null };
  const rpms: readonly [string, string, object][] = [
    [
      'an rpm',
      'rpm dnf\n|0|4.12.0-1|1795222393\nlocks\n',
      { manager: 'dnf', installed: '4.12.0-1', status: 'ii', held: false, changedAtMs: 1795222393000 },
    ],
    [
      'an rpm with an epoch, locked by yum',
      'rpm yum\n|1|4.12.0-1|5\nlocks\n1:p-4.12.0-1.*\n',
      { manager: 'yum', installed: '1:4.12.0-1', status: 'ii', held: true, changedAtMs: 5000 },
    ],
    ['no rpm', 'rpm dnf\npackage p is not installed\nlocks\n', absent],
    [
      'two versions that an interrupted transaction left, and a warning',
      'rpm dnf\nwarning: something\n|0|4.12.0-1|7\n|0|4.15.0-1|7\nlocks\n',
      { manager: 'dnf', installed: '4.15.0-1', status: 'iH', held: false, changedAtMs: 7000 },
    ],
    [
      'two architectures of one version',
      'rpm dnf\n|0|4.12.0-1|7\n|0|4.12.0-1|8\nlocks\n',
      { manager: 'dnf', installed: '4.12.0-1', status: 'ii', held: false, changedAtMs: 8000 },
    ],
  ];
  test.each(rpms)('%s', (_name, stdout, value) => {
    expect(packageState.parse({ exit: 0, stdout }, 'p')).toEqual({ is: 'value', value });
  });
  test('an rpm database that cannot be read is no package that is missing', () => {
    const stdout = 'rpm dnf\nerror: rpmdb: BDB0113 Thread/process 1/2 failed: Thread died\nlocks\n';
    expect(packageState.parse({ exit: 0, stdout }, 'p')).toMatchObject({ is: 'failed', why: 'unreadable' });
  });
  const lines: readonly [string, boolean][] = [
    ['platform-agent-0:4.12.0-1.*', true],
    ['0:platform-agent-4.12.0-1.*', true],
    ['name = "platform-agent"', true],
    ['platform-agent', true],
    ['platform-agent-*', true],
    ['platform-agent-tools-0:4.12.0-1.*', false],
    ['!platform-agent-0:4.12.0-1.*', false],
    ['# Added lock on platform-agent', false],
    ['my-platform-agent-0:1-1.*', false],
  ];
  test.each(lines)('the lock "%s"', (line, held) => {
    const stdout = `rpm dnf\n|0|4.12.0-1|7\nlocks\n${line}\n`;
    expect(packageState.parse({ exit: 0, stdout }, 'platform-agent')).toMatchObject({ value: { held } });
  });
  test('neither dpkg nor rpm, and rpm alone', () => {
    expect(packageState.parse({ exit: 8, stdout: '' }, 'p')).toMatchObject({ is: 'failed', why: 'unreadable' });
    expect(packageState.parse({ exit: 9, stdout: '' }, 'p')).toMatchObject({ is: 'failed', why: 'unreadable' });
  });
});

describe('package-versions', () => {
  test('what dnf and yum offer', () => {
    const dnf = 'rpm dnf\nprobe 4.12.0-1\nprobe 4.14.7-1\n\nprobe-tools 9-1\n';
    expect(packageVersions.parse({ exit: 0, stdout: dnf }, 'probe')).toEqual({
      is: 'value',
      value: ['4.14.7-1', '4.12.0-1'],
    });
    const yum = `rpm yum
Available Packages
probe.x86_64                     4.12.0-1                    platform
probe.x86_64
                                 0:4.14.7-1                  platform
probe-tools.x86_64               9-1                         platform
`;
    expect(packageVersions.parse({ exit: 0, stdout: yum }, 'probe')).toEqual({
      is: 'value',
      value: ['4.14.7-1', '4.12.0-1'],
    });
    const none = 'rpm yum\nError: No matching Packages to list\n';
    expect(packageVersions.parse({ exit: 1, stdout: none }, 'probe')).toEqual({ is: 'value', value: [] });
    expect(packageVersions.parse({ exit: 1, stdout: 'rpm dnf\nError: bad config\n' }, 'p')).toMatchObject({
      is: 'failed',
      reason: 'the package manager does not list the versions of p: Error: bad config',
    });
  });
  test('each version that a repository offers, newest first, sources left out', () => {
    const stdout = ` filebeat | 7.10.2-2 | https://packages.example.com/4.x/apt stable/main amd64 Packages
 filebeat | 7.10.2-1 | https://packages.example.com/4.x/apt stable/main amd64 Packages
 filebeat | 7.10.2-1 | https://mirror.example.com/4.x/apt stable/main amd64 Packages
 filebeat | 7.10.0-1 | https://packages.example.com/4.x/apt stable/main Sources
`;
    expect(packageVersions.parse({ exit: 0, stdout }, 'filebeat')).toEqual({
      is: 'value',
      value: ['7.10.2-2', '7.10.2-1'],
    });
  });
  test('an empty repository offers none; a broken index is no answer', () => {
    expect(packageVersions.parse({ exit: 0, stdout: '' }, 'p')).toEqual({ is: 'value', value: [] });
    expect(packageVersions.parse({ exit: 100, stdout: '' }, 'p')).toMatchObject({ is: 'failed' });
  });
});

describe('service', () => {
  const show = (more: string): string => `LoadState=loaded
ActiveState=active
SubState=running
UnitFileState=enabled
ControlGroup=/system.slice/ssh.service
NeedDaemonReload=no
${more}`;
  const running = {
    load: 'loaded',
    active: 'active',
    sub: 'running',
    enabled: 'enabled',
    processes: 3,
    needsReload: false,
  };

  test('the start as systemd tells it, to the millisecond', () => {
    const stdout = show(
      'InactiveExitTimestamp=Fri 2026-11-20 21:47:32.123456 UTC\nInactiveExitTimestampMonotonic=5000000\nProcesses=3\nUptime=9.00\nNow=1795212000000\n',
    );
    expect(service.parse({ exit: 0, stdout }, 'ssh')).toEqual({
      is: 'value',
      value: { ...running, startedAtMs: Date.UTC(2026, 10, 20, 21, 47, 32, 123) },
    });
  });
  test('the start by the clocks, where systemd tells whole seconds in a zone of its own', () => {
    const stdout = show(
      'InactiveExitTimestamp=Fri 2026-11-20 22:47:32 CET\nInactiveExitTimestampMonotonic=5000000\nProcesses=3\nUptime=9.00\nNow=1795212000000\n',
    );
    expect(service.parse({ exit: 0, stdout }, 'ssh')).toEqual({
      is: 'value',
      value: { ...running, startedAtMs: 1795211996000 },
    });
  });
  test('stopped, with a process left', () => {
    const stdout =
      'LoadState=loaded\nActiveState=failed\nSubState=failed\nUnitFileState=disabled\nNeedDaemonReload=yes\nInactiveExitTimestamp=Fri 2026-11-20 21:47:32.1 UTC\nProcesses=1\nUptime=9\nNow=1\n';
    expect(service.parse({ exit: 0, stdout }, 'x')).toEqual({
      is: 'value',
      value: {
        load: 'loaded',
        active: 'failed',
        sub: 'failed',
        enabled: 'disabled',
        processes: 1,
        startedAtMs: null,
        needsReload: true,
      },
    });
  });
  test.each(['not-found', 'masked', 'bad-setting', 'error'])('%s', (load) => {
    const stdout = `LoadState=${load}\nActiveState=inactive\nSubState=dead\nUnitFileState=\nControlGroup=\nNeedDaemonReload=no\nInactiveExitTimestamp=\nInactiveExitTimestampMonotonic=0\nUptime=9\nNow=1\n`;
    expect(service.parse({ exit: 0, stdout }, 'x')).toMatchObject({
      value: { load, active: 'inactive', processes: 0, startedAtMs: null },
    });
  });
  test('no systemd', () => {
    const stdout = 'System has not been booted with systemd as init system (PID 1).';
    expect(service.parse({ exit: 1, stdout }, 'x')).toMatchObject({
      is: 'failed',
      reason: expect.stringContaining('systemd'),
    });
  });
});

/** By this machine's own apt, from a repository in a folder: no network. */
const hasApt = spawnSync('apt-cache', ['--version']).status === 0;
(hasApt ? describe : describe.skip)('a repository that is disabled, asked by apt', () => {
  const folder = mkdtempSync(join(tmpdir(), 'runbook-repository-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const ask = (url: string) => {
    const file = '/etc/apt/sources.list.d/platform.list';
    const key = packageOffers.key({ name: 'probe', file, text: `deb [trusted=yes] ${url} ./\n`, timeoutMs: 60_000 });
    const env = { PATH: process.env['PATH'] ?? '', LC_ALL: 'C', TMPDIR: folder };
    const { status, stdout } = spawnSync('sh', ['-c', packageOffers.sh(key)], { env, encoding: 'latin1' });
    return packageOffers.parse({ exit: status ?? -1, stdout }, key);
  };

  test('its versions, and nothing stays on the host', () => {
    const fields = ['Package: probe', 'Version: 4.14.7-1', 'Architecture: all', 'Filename: ./p.deb', 'Size: 1'];
    writeFileSync(join(folder, 'Packages'), `${[...fields, `SHA256: ${'0'.repeat(64)}`].join('\n')}\n`);
    expect(ask(`file:${folder}`)).toEqual({ is: 'value', value: ['4.14.7-1'] });
    expect(execFileSync('ls', [folder], { encoding: 'utf8' })).toBe('Packages\n');
  });

  test('why they cannot be read', () => {
    expect(ask('file:/nowhere')).toMatchObject({
      is: 'failed',
      why: 'unreadable',
      reason: expect.stringMatching(
        /^what the repository in \S+ offers could not be read: E: Failed to fetch file:\/nowhere/,
      ),
    });
  });
});

test('a disabled repository as dnf answers: newest first, and none of the package is no failure', () => {
  const key = packageOffers.key({ name: 'probe', file: '/etc/yum.repos.d/p.repo', text: '', timeoutMs: 60_000 });
  const parsed = (exit: number, stdout: string) => packageOffers.parse({ exit, stdout }, key);
  expect(parsed(0, 'rpm dnf\nprobe 0:4.12.0-1\nprobe 0:4.14.7-1\n')).toEqual({
    is: 'value',
    value: ['4.14.7-1', '4.12.0-1'],
  });
  expect(parsed(0, 'rpm dnf\n')).toEqual({ is: 'value', value: [] });
  expect(parsed(1, 'rpm yum\nError: No matching Packages to list\n')).toEqual({ is: 'value', value: [] });
  expect(
    parsed(1, "rpm dnf\nErrors during downloading metadata for repository 'platform':\nError: Failed\n"),
  ).toMatchObject({ is: 'failed' });
  expect(parsed(124, 'rpm dnf\n')).toMatchObject({ reason: expect.stringContaining('no answer in time') });
});
