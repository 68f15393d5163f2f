import { describe, expect, test } from '@jest/globals';
import { packageState, packageVersions } from '../../engine/facts/package.js';
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
  test('no dpkg', () => {
    expect(packageState.parse({ exit: 9, stdout: '' }, 'p')).toMatchObject({ is: 'failed', why: 'unreadable' });
  });
});

describe('package-versions', () => {
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
