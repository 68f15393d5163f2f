import { describe, expect, test } from '@jest/globals';
import { runProgram } from '../../../engine/platforms/security-monitoring/simulator/platform.js';
import type { PlatformState } from '../../../engine/platforms/security-monitoring/simulator/state.js';
import type { Event } from '../../../engine/terms/event.js';
import { hintText } from '../../../engine/terms/hint.js';
import { taskKey } from '../../../engine/terms/task.js';
import { crashingAt } from '../../run/bench-hosts.js';
import { differences, endState } from '../end-state.js';
import { platform } from '../platform-bench.js';

const RPM_HOSTS = ['indexer-1', 'indexer-3', 'server-2', 'linux-2'];
const REPOSITORY = '/etc/yum.repos.d/platform.repo';
const LOCKS = '/etc/dnf/plugins/versionlock.list';

const refusal = (events: readonly Event[]): string =>
  events
    .flatMap((e) =>
      e.e === 'settled' && (e.as === 'blocked' || e.as === 'failed')
        ? [`${e.reason ?? ''} | ${hintText(e.hint ?? '')}`]
        : [],
    )
    .join('\n');
const textOf = (state: PlatformState, host: string, path: string): string | undefined =>
  state.hosts[host]?.files[path]?.text;
const enabled = (state: PlatformState): Record<string, string | undefined> =>
  Object.fromEntries(RPM_HOSTS.map((h) => [h, /^enabled=.*$/m.exec(textOf(state, h, REPOSITORY) ?? '')?.[0]]));
const all = (value: string): Record<string, string> => Object.fromEntries(RPM_HOSTS.map((h) => [h, value]));

/** As an operator keeps a package of an RPM host back. */
function lock(state: PlatformState, name: string, spec: string): void {
  const host = state.hosts[name];
  if (host === undefined) throw new Error(`no host ${name}`);
  expect(runProgram(state, host, ['dnf', '-y', 'versionlock', 'add', spec]).exit).toBe(0);
}

describe('hosts of both package families, upgraded in one run', () => {
  test('end at the target, each by its own package manager, with repositories off and the version lock made anew', async () => {
    const { run, state } = await platform({ rpmHosts: RPM_HOSTS });
    lock(state, 'linux-2', 'platform-agent-4.12.0-1');
    const ran = await run('apply');
    expect(refusal(ran.events)).toBe('');
    expect(ran.end).toBe('done');
    const versions = Object.values(state.hosts).flatMap((h) =>
      Object.entries(h.packages).map(([n, p]) => [n, p.version]),
    );
    expect(versions.filter(([n, v]) => v !== (n === 'filebeat' ? '7.10.2-2' : '4.14.7-1'))).toEqual([]);
    expect(enabled(state)).toEqual(all('enabled=0'));
    expect(textOf(state, 'linux-2', LOCKS)).toBe('platform-agent-0:4.14.7-1.*\n');
    expect(ran.events.at(-1)).toMatchObject({ e: 'run-ended', as: 'done', notRestored: [] });
    const asked = ran.events.flatMap((e) =>
      e.e === 'intent' && 'host' in e.task.on ? [`${e.task.on.host}: ${e.change.summary}`] : [],
    );
    const index = asked.filter((a) => /apt-get update|makecache/.test(a));
    expect(
      index
        .filter((a) => a.includes('makecache'))
        .map((a) => a.split(':')[0])
        .sort(),
    ).toEqual([...RPM_HOSTS].sort());
    expect(index.filter((a) => a.includes('apt-get')).some((a) => RPM_HOSTS.includes(a.split(':')[0] ?? ''))).toBe(
      false,
    );
  });

  test('have the same jvm.options, whether the new defaults lie in .rpmnew or in .dpkg-dist', async () => {
    const { run, state } = await platform({ rpmHosts: RPM_HOSTS });
    await run('apply');
    const path = '/etc/platform-indexer/jvm.options';
    expect(textOf(state, 'indexer-1', `${path}.rpmnew`)).toBe(textOf(state, 'indexer-2', `${path}.dpkg-dist`));
    expect(textOf(state, 'indexer-1', `${path}.rpmnew`)).toMatch(/\S/);
    expect(textOf(state, 'indexer-1', `${path}.dpkg-dist`)).toBeUndefined();
    expect(textOf(state, 'indexer-1', path)).toBe(textOf(state, 'indexer-2', path));
  });

  test('have nothing to do the second time', async () => {
    const { run } = await platform({ rpmHosts: RPM_HOSTS });
    await run('apply');
    const second = await run('apply');
    expect([second.end, second.events.flatMap((e) => (e.e === 'intent' ? [e.name] : []))]).toEqual(['done', []]);
  });

  test('are upgraded as the plan said', async () => {
    const { run } = await platform({ rpmHosts: RPM_HOSTS });
    const planned = await run('plan');
    // The merged options are known once the package is on the host, and shown then.
    const line = (task: unknown, { summary, diff }: { summary: string; diff?: string }): string =>
      JSON.stringify([task, summary, summary.includes('; keeps your settings in jvm.options') ? undefined : diff]);
    const told = planned.events.flatMap((e) =>
      e.e === 'checked' && e.change !== undefined ? [line(e.task, e.change)] : [],
    );
    const undecided = new Set(planned.events.flatMap((e) => (e.e === 'undecided' ? [e.name] : [])));
    // A step of several rounds is reported by its first.
    const begun = new Set<string>();
    const made = (await run('apply')).events.flatMap((e) => {
      if (e.e !== 'intent' || undecided.has(e.name) || begun.has(taskKey(e.task))) return [];
      begun.add(taskKey(e.task));
      return [line(e.task, e.change)];
    });
    expect(made.sort()).toEqual(told.sort());
    expect(made.filter((m) => m.includes('makecache'))).toHaveLength(RPM_HOSTS.length);
  });
});

test('a run upon RPM hosts that is cut, while dnf runs or elsewhere, is resumed to the same end', async () => {
  const everything = { rpmHosts: [...RPM_HOSTS, 'indexer-2', 'server-1', 'dashboard-1', 'linux-1'] };
  const whole = await platform(everything);
  const jobs: number[] = [];
  let effects = 0;
  const uncut = await whole.run('apply', {
    actor: (real) => ({
      ...real,
      perform: (on, action, context) => {
        effects += 1;
        if (action.do === 'job' && !action.command.argv.includes('--downloadonly')) jobs.push(effects);
        return real.perform(on, action, context);
      },
    }),
  });
  expect([uncut.end, jobs.length]).toEqual(['done', 10]);
  for (const [nth, when] of [
    [jobs[0] ?? 0, 'after'],
    [jobs[4] ?? 0, 'before'],
  ] as const) {
    const { run, state } = await platform(everything);
    const cut = await run('apply', { actor: crashingAt(nth, when) });
    expect(cut.end).toBe('interrupted');
    const resumed = await run('resume', { past: cut.recorded });
    expect([nth, resumed.end, differences(endState(whole.state), endState(state))]).toEqual([nth, 'done', []]);
  }
});

describe('what an operator would miss on an RPM host', () => {
  test('a repository that is enabled already is asked about', async () => {
    const { run, state } = await platform({ rpmHosts: RPM_HOSTS });
    const file = state.hosts['indexer-3']?.files[REPOSITORY];
    if (file !== undefined) file.text = file.text.replace('enabled=0', 'enabled = 1');
    const asked = await run('apply', { answer: 'no' });
    expect(refusal(asked.events)).toMatch(/answered/i);
    expect(state.hosts['indexer-1']?.packages['platform-indexer']?.version).toBe('4.12.0-1');
  });

  test('a repository file that does not say `enabled` is refused before the first stop', async () => {
    const { run, state } = await platform({ rpmHosts: RPM_HOSTS });
    const file = state.hosts['server-2']?.files[REPOSITORY];
    if (file !== undefined) file.text = file.text.replace('enabled=0\n', '');
    const ran = await run('apply', { answer: 'yes' });
    expect(ran.end).toBe('failed');
    expect(refusal(ran.events)).toMatch(/platform\.repo/);
    expect(Object.values(state.hosts).every((h) => Object.values(h.services).every((s) => s.active === 'active'))).toBe(
      true,
    );
  });

  test('a failure gives the repository back as it was', async () => {
    const { run, state } = await platform({ rpmHosts: RPM_HOSTS });
    state.faults.push({ fault: 'download', path: '/4.x/yum/', status: 404, body: '' });
    const ran = await run('apply');
    expect(ran.end).toBe('failed');
    expect(refusal(ran.events)).toMatch(/cannot fetch what the repository platform offers: .*404/);
    expect(enabled(state)).toEqual(all('enabled=0'));
  });

  test('a script of the package that fails, which RPM passes over, fails the step', async () => {
    const { run, state } = await platform({ rpmHosts: RPM_HOSTS });
    state.faults.push({ fault: 'half-configured', host: 'server-2', package: 'platform-manager', times: 1 });
    const ran = await run('apply');
    expect(ran.end).toBe('failed');
    expect(refusal(ran.events)).toMatch(/the %post script of platform-manager-4.14.7-1.x86_64 ended with status 1/);
  });
});
