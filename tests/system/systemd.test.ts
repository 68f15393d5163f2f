import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { packageState } from '../../engine/facts/package.js';
import { packageVersions } from '../../engine/facts/package-versions.js';
import { service, type ServiceState } from '../../engine/facts/service.js';
import { system } from '../../engine/facts/host.js';
import { reached } from '../../engine/machines/machine.js';
import { ShMachine } from '../../engine/machines/shell/machine.js';
import { jobHash, unitOf } from '../../engine/machines/shell/job.js';
import { systemctl } from '../../engine/modules/systemctl/module.js';
import type { Action, Outcome } from '../../engine/terms/action.js';
import { need, refKey, type Answer, type Done, type Fact } from '../../engine/terms/fact.js';
import type { AnyModule } from '../../engine/terms/module.js';
import { systemClock } from '../../engine/machines/system-clock.js';
import { bootSystemdHost, type SystemdHost } from './systemd-host.js';

jest.setTimeout(300_000);
const on = { host: 'h' };
let host: SystemdHost;
let machine: ShMachine;
const enter = (): ShMachine =>
  new ShMachine({
    clock: systemClock,
    connect: () => Promise.resolve(reached(host.enter())),
    become: () => Promise.resolve(reached(undefined)),
  });

beforeAll(async () => {
  host = await bootSystemdHost();
}, 900_000);
afterAll(() => host.stop());
beforeEach(() => {
  machine = enter();
});
afterEach(() => machine.close());

async function value<K, V>(fact: Fact<K, V>, key: K): Promise<V> {
  const question = need(on, fact, key);
  const answer: Answer | undefined = (await machine.ask([question])).get(refKey(question));
  if (answer?.is !== 'value') throw new Error(answer?.reason);
  return answer.value as V;
}
const run = (...argv: [string, ...string[]]): Promise<Outcome> =>
  machine.perform(on, { do: 'run', command: { argv, timeoutMs: 60_000 }, expect: { exit: [0] } }, { id: 'run' });
const job = (argv: readonly [string, ...string[]], id: string, more: object = {}): Promise<Outcome> => {
  const action: Action = { do: 'job', command: { argv, timeoutMs: 60_000, ...more }, expect: { exit: [0] } };
  return machine.perform(on, action, { id });
};
const jobs = (): readonly string[] =>
  existsSync(join(host.root, 'var/lib/runbook/jobs')) ? readdirSync(join(host.root, 'var/lib/runbook/jobs')) : [];

describe('a job', () => {
  test('has its output, status and environment, and leaves nothing once its result is recorded', async () => {
    const outcome = await job(
      ['sh', '-c', 'echo "$GREETING $0 %n $HOME"; echo err >&2; umask; cat; exit 3', "it's $HOME"],
      'a',
      { env: { GREETING: 'hi $x' } },
    );
    expect(outcome).toEqual({ is: 'ended', exit: 3, stdout: "hi $x it's $HOME %n /root\n0022\n", stderr: 'err\n' });
    // Whoever waited for it may have been given up: another one finds the result.
    expect(await machine.job(on, 'a')).toEqual(outcome);
    await machine.forgetJob(on, 'a');
    expect(jobs()).toEqual([]);
    expect(await machine.job(on, 'a')).toEqual({ is: 'absent' });
    expect(statSync(join(host.root, 'var/lib/runbook/jobs')).mode & 0o777).toBe(0o700);
    expect(await run('systemctl', 'is-failed', unitOf('a'))).toMatchObject({ exit: 1, stdout: 'inactive\n' });
  });

  test('outlives its connection and is found again by the effect that started it', async () => {
    execFileSync('mkfifo', [join(host.root, 'gate')]);
    const first = job(['sh', '-c', 'echo begun; read x </gate; echo "$x"'], 'b');
    while (jobs().length === 0 || !existsSync(join(host.root, 'var/lib/runbook/jobs', jobHash('b'), 'started')))
      await machine.job(on, 'none');
    await machine.close();
    expect(await first).toMatchObject({ is: 'unknown', why: 'connection' });
    machine = enter();
    expect(await machine.job(on, 'b')).toMatchObject({ is: 'running' });
    // Performed again it is the same job, not a second one.
    const again = job(['sh', '-c', 'echo never'], 'b');
    writeFileSync(join(host.root, 'gate'), 'opened\n');
    expect(await again).toEqual({ is: 'ended', exit: 0, stdout: 'begun\nopened\n', stderr: '' });
    await machine.forgetJob(on, 'b');
  });

  test('a time limit ends the waiting and not the job; its outcome can still be had', async () => {
    execFileSync('mkfifo', [join(host.root, 'gate2')]);
    expect(await job(['sh', '-c', 'read x </gate2; echo late'], 'c', { timeoutMs: 1 })).toMatchObject({
      is: 'unknown',
      why: 'timeout',
      detail: expect.stringContaining(unitOf('c')),
    });
    writeFileSync(join(host.root, 'gate2'), '\n');
    let state = await machine.job(on, 'c');
    while (state.is === 'running') state = await machine.job(on, 'c');
    expect(state).toEqual({ is: 'ended', exit: 0, stdout: 'late\n', stderr: '' });
    await machine.forgetJob(on, 'c');
    expect(await machine.job(on, 'c')).toEqual({ is: 'absent' });
  });

  test('one that was killed and one that a reboot ended are lost, each for its own reason', async () => {
    for (const id of ['d', 'e'])
      expect(await job(['sleep', '600'], id, { timeoutMs: 1 })).toMatchObject({ why: 'timeout' });
    await run('systemctl', 'kill', '--signal=KILL', unitOf('d'));
    let state = await machine.job(on, 'd');
    while (state.is === 'running') state = await machine.job(on, 'd');
    expect(state).toEqual({ is: 'lost', why: 'killed' });
    const before = await value(system, undefined);
    await machine.close();
    await host.reboot();
    machine = enter();
    expect((await value(system, undefined)).bootId).not.toBe(before.bootId);
    expect(await machine.job(on, 'e')).toEqual({ is: 'lost', why: 'rebooted' });
    for (const id of ['d', 'e']) await machine.forgetJob(on, id);
    expect(jobs()).toEqual([]);
  });
});

describe('units', () => {
  const unit = (text: string, name = 'probe.service'): void =>
    writeFileSync(join(host.root, 'etc/systemd/system', name), text);
  const state = (name = 'probe'): Promise<ServiceState> => value<string, ServiceState>(service, name);

  test('from unknown to masked', async () => {
    expect(await state('nonesuch')).toMatchObject({
      load: 'not-found',
      active: 'inactive',
      processes: 0,
      startedAtMs: null,
    });
    unit('[Service]\nExecStart=/bin/sh -c "sleep 600 & exec sleep 600"\n[Install]\nWantedBy=multi-user.target\n');
    await run('systemctl', 'daemon-reload');
    expect(await state()).toMatchObject({
      load: 'loaded',
      active: 'inactive',
      enabled: 'disabled',
      processes: 0,
      startedAtMs: null,
      needsReload: false,
    });
    const before = Date.now();
    await run('systemctl', 'enable', '--now', 'probe');
    const started = await state();
    expect(started).toMatchObject({ active: 'active', sub: 'running', enabled: 'enabled', processes: 2 });
    expect(started.startedAtMs).toBeGreaterThanOrEqual(before);
    expect(started.startedAtMs).toBeLessThanOrEqual(Date.now());
    unit('[Service]\nExecStart=/bin/sleep 601\n');
    // systemd compares times of whole files; it must not be the same moment.
    await run('touch', '-d', '+1 minute', '/etc/systemd/system/probe.service');
    expect(await state()).toMatchObject({ needsReload: true, startedAtMs: started.startedAtMs });
    await run('systemctl', 'disable', '--now', 'probe');
    expect(await state()).toMatchObject({ active: 'inactive', processes: 0, startedAtMs: null });
    await run('rm', '/etc/systemd/system/probe.service');
    await run('systemctl', 'mask', 'probe');
    expect((await state()).load).toBe('masked');
  });

  test('restarted is restarted once, also by a run that was interrupted in it', async () => {
    unit('[Service]\nExecStart=/bin/sleep 600\n', 'again.service');
    await run('systemctl', 'daemon-reload');
    await run('systemctl', 'start', 'again');
    const at = { task: { step: 'playbook/play/step', on }, timeMs: 0 };
    const decide = async (done: Done) =>
      (systemctl as unknown as AnyModule).decide(
        { unit: 'again', state: 'restarted' },
        { now: { ...(await state('again')) }, done: done },
        at,
      );
    const before = await state('again');
    const interrupted: Done = { is: 'unknown', marks: { before: { ...before } } };
    expect(await decide(interrupted)).toMatchObject({ is: 'change' });
    const verdict = await decide({ is: 'never' });
    if (verdict.is !== 'change') throw new Error(verdict.is);
    for (const action of verdict.change.actions)
      expect(await machine.perform(on, action, { id: 'again' })).toMatchObject({ exit: 0 });
    expect((await state('again')).startedAtMs).toBeGreaterThan(before.startedAtMs ?? 0);
    expect(await decide(interrupted)).toMatchObject({ is: 'ok' });
    await run('systemctl', 'stop', 'again');
  });

  test('a process left behind in a stopped unit is counted', async () => {
    unit(
      '[Service]\nType=forking\nKillMode=process\nExecStart=/bin/sh -c "sleep 600 & sleep 600 &"\nRemainAfterExit=yes\n',
      'left.service',
    );
    await run('systemctl', 'daemon-reload');
    await run('systemctl', 'start', 'left');
    expect(await state('left')).toMatchObject({ active: 'active', processes: 2 });
    await run('systemctl', 'stop', 'left');
    const left = await state('left');
    expect([left.active, left.processes]).toEqual(['inactive', 2]);
    await run('pkill', '-KILL', '-x', 'sleep');
  });
});

describe('packages', () => {
  /** A package in a repository of its own. */
  function build(version: string): void {
    const folder = join(host.root, 'repo', version);
    mkdirSync(join(folder, 'DEBIAN'), { recursive: true });
    writeFileSync(
      join(folder, 'DEBIAN/control'),
      `Package: probe\nVersion: ${version}\nArchitecture: all\nMaintainer: t <t@example.com>\nDescription: t\n`,
    );
    writeFileSync(join(folder, 'DEBIAN/postinst'), '#!/bin/sh\n[ ! -e /fail ]\n', { mode: 0o755 });
    mkdirSync(join(folder, 'etc'));
    writeFileSync(join(folder, 'etc/probe.conf'), version);
    execFileSync('dpkg-deb', ['--build', folder, join(host.root, 'repo', `probe_${version}.deb`)], { stdio: 'ignore' });
  }
  test('installed, held, broken, removed; offered without a trace on the host', async () => {
    for (const version of ['1.0-1', '1.10-1', '1.9-1']) build(version);
    execFileSync('sh', ['-c', 'cd "$0/repo" && apt-ftparchive packages . >Packages', host.root]);
    writeFileSync(join(host.root, 'etc/apt/sources.list'), 'deb [trusted=yes] file:/repo ./\n');
    await run('apt-get', 'update');
    const traces = (): string =>
      execFileSync('sh', ['-c', 'ls -la --time-style=full-iso "$0/var/cache/apt" "$0/var/lib/apt/lists"', host.root], {
        encoding: 'utf8',
      });
    await run('rm', '-f', '/var/cache/apt/pkgcache.bin', '/var/cache/apt/srcpkgcache.bin');
    const before = traces();
    expect(await value(packageVersions, 'probe')).toEqual(['1.10-1', '1.9-1', '1.0-1']);
    expect(traces()).toBe(before);
    expect(await value(packageState, 'probe')).toMatchObject({ installed: null, held: false });
    await run('dpkg', '-i', '/repo/probe_1.0-1.deb');
    const installed = await value(packageState, 'probe');
    expect(installed).toMatchObject({ manager: 'apt', installed: '1.0-1', status: 'ii', held: false });
    expect(installed.changedAtMs).toBeLessThanOrEqual(Date.now());
    await run('apt-mark', 'hold', 'probe');
    expect(await value(packageState, 'probe')).toMatchObject({ installed: '1.0-1', status: 'hi', held: true });
    await run('apt-mark', 'unhold', 'probe');
    writeFileSync(join(host.root, 'fail'), '');
    await run('dpkg', '-i', '/repo/probe_1.9-1.deb');
    expect(await value(packageState, 'probe')).toMatchObject({ installed: '1.9-1', status: 'iF' });
    await run('rm', '/fail');
    await run('dpkg', '--configure', '-a');
    expect(await value(packageState, 'probe')).toMatchObject({ installed: '1.9-1', status: 'ii' });
    await run('dpkg', '-r', 'probe');
    expect(await value(packageState, 'probe')).toMatchObject({ installed: null, changedAtMs: null });
  });
});
