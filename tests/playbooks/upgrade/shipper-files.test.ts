import { describe, expect, test } from '@jest/globals';
import type { PlatformState } from '../../../engine/platforms/security-monitoring/simulator/state.js';
import type { Action } from '../../../engine/terms/action.js';
import type { Event, Recorded } from '../../../engine/terms/event.js';
import type { Actor } from '../../../engine/terms/machine.js';
import { Crash, type Ran } from '../../run/bench-hosts.js';
import { platform, runOn, shippedProject } from '../platform-bench.js';

const FETCHED = '/var/backups/runbook/before-4.14/fetched';
const TEMPLATE = `${FETCHED}/index-template.json`;
const ARCHIVE = `${FETCHED}/platform-filebeat-0.5.tar.gz`;
const SERVED = '/tags/v4.14.7/platform-template.json';
const FORMER = '/tags/v4.12.0/platform-template.json';

const wrong = (events: readonly Event[]): readonly string[] =>
  events.flatMap((e) =>
    e.e === 'settled' && (e.as === 'failed' || e.as === 'blocked') ? [`${e.name}: ${e.reason ?? ''}`] : [],
  );
const textOf = (state: PlatformState, host: string, path: string): string | undefined =>
  state.hosts[host]?.files[path]?.text;
const put = (state: PlatformState, host: string, path: string, text: string | undefined): void => {
  const files = state.hosts[host]?.files ?? {};
  const entry = files[path];
  if (text === undefined) Reflect.deleteProperty(files, path);
  else if (entry !== undefined) entry.text = text;
};
const serve = (state: PlatformState, release: string): void => {
  const served = state.downloads[SERVED];
  if (served !== undefined)
    state.downloads[SERVED] = { ...served, latin1: served.latin1.replace('"4.14.7"', `"${release}"`) };
};
/** Once this step has ended on this host. */
const after =
  (step: string, host: string, then: (state: PlatformState) => void) =>
  ({ event }: Recorded, state: PlatformState): void => {
    if (event.e === 'settled' && event.name === step && 'host' in event.task.on && event.task.on.host === host)
      then(state);
  };

describe('what the shippers need, fetched before the first stop (§9.5.5)', () => {
  test.each([
    ['is no JSON any more', TEMPLATE, '{"index_patt'],
    ['is another than was fetched', ARCHIVE, 'other'],
    ['is gone', TEMPLATE, undefined],
  ])('a file that %s stops the run before its server is touched, and a resume goes on', async (_, path, text) => {
    const { run, state } = await platform();
    const first = await run('apply', {
      on: after('Stop the dashboard', 'dashboard-1', (now) => put(now, 'server-2', path, text)),
    });
    expect([first.end, wrong(first.events)]).toEqual([
      'failed',
      [expect.stringMatching(/^Shipper files are present and unchanged: .*is gone from server-2, or was changed/)],
    ]);
    expect(state.hosts['server-2']?.services['platform-manager']?.active).toBe('active');
    const [server1, server2] = [state.hosts['server-1'], state.hosts['server-2']];
    const whole = server1?.files[path];
    if (whole !== undefined && server2 !== undefined) server2.files[path] = { ...whole };
    const resumed = await run('resume', { past: first.recorded });
    expect([resumed.end, wrong(resumed.events.slice(first.events.length))]).toEqual(['done', []]);
  });

  test('a template that is spoilt in the middle of its server’s turn does not replace the one in use', async () => {
    const { run, state } = await platform();
    const live = state.names.shipper.template;
    const before = textOf(state, 'server-2', live);
    const ran = await run('apply', {
      on: after('Stop the manager', 'server-2', (now) => put(now, 'server-2', TEMPLATE, '<')),
    });
    expect(wrong(ran.events)).toEqual([expect.stringMatching(/^Install the index template: .*it is no JSON/)]);
    expect(textOf(state, 'server-2', live)).toBe(before);
  });

  /** The controller dies before this effect. */
  const dyingAt =
    (isIt: (action: Action) => boolean) =>
    (real: Actor): Actor => ({
      ...real,
      perform: (on, action, context) => {
        if (isIt(action)) throw new Crash();
        return real.perform(on, action, context);
      },
    });
  const isStop = (action: Action): boolean =>
    (action.do === 'run' || action.do === 'job') && action.command.argv.includes('stop');

  test('one that is served anew once all servers have theirs is not fetched by a resume', async () => {
    const { run, state } = await platform();
    const cut = await run('apply', { actor: dyingAt(isStop) });
    const asked = state.asked.length;
    serve(state, '4.14.7-repacked');
    const resumed = await run('resume', { past: cut.recorded });
    expect([cut.end, resumed.end]).toEqual(['interrupted', 'done']);
    expect(state.asked.slice(asked).map(({ path }) => path)).not.toContain(SERVED);
  });

  test('and where it was served anew in between, the run is refused with everything still running', async () => {
    const { run, state } = await platform();
    // Both fetch side by side: the controller dies at the second when the first has its file.
    let hasFirst: (() => void) | undefined;
    const first = new Promise<void>((resolve) => (hasFirst = resolve));
    const cut = await run('apply', {
      on: after('Download the index template', 'server-1', () => hasFirst?.()),
      actor: (real) => ({
        ...real,
        perform: async (on, action, context) => {
          if (action.do !== 'upload' || action.path !== TEMPLATE || !('host' in on) || on.host !== 'server-2')
            return real.perform(on, action, context);
          await first;
          throw new Crash();
        },
      }),
    });
    serve(state, '4.14.7-repacked');
    const { end, events } = await run('resume', { past: cut.recorded });
    expect([cut.end, end, wrong(events)]).toEqual([
      'interrupted',
      'failed',
      [expect.stringMatching(/^All servers have the same files: server-2 was given another/)],
    ]);
    const active = Object.values(state.hosts).flatMap((h) => Object.values(h.services).map((s) => s.active));
    expect(new Set(active)).toEqual(new Set(['active']));
  });
});

describe('after prepare.yaml by itself', () => {
  const prepared = async () => {
    const bench = await platform();
    const ran = await runOn(await shippedProject('prepare.yaml'), bench.state, 'apply', { name: 'prepare' });
    expect(ran.end).toBe('done');
    for (const path of [SERVED, FORMER, ARCHIVE.replace(FETCHED, '/4.x/filebeat')])
      bench.state.faults.push({ fault: 'download', path, status: 503, body: '' });
    return { ...bench, asked: bench.state.asked.length };
  };

  test('the download address may be gone: what lies on the servers is taken, and it is not asked', async () => {
    const { run, state, asked } = await prepared();
    const ran = await run('apply');
    expect([ran.end, wrong(ran.events)]).toEqual(['done', []]);
    expect(state.asked.slice(asked).filter(({ path }) => !/\/(apt|yum)\//.test(path))).toEqual([]);
  });

  test.each([
    ['is gone', undefined],
    ['is not what was noted', '{}'],
  ])(
    'where a file of one server %s, it is asked, and what is missing told with everything still running',
    async (_, text) => {
      const { run, state } = await prepared();
      put(state, 'server-2', TEMPLATE, text);
      const ran = await run('apply');
      expect(ran.end).toBe('refused');
      expect(wrong(ran.events)).toContainEqual(expect.stringMatching(/^Download the .*: .*503/));
      const active = Object.values(state.hosts).flatMap((h) => Object.values(h.services).map((each) => each.active));
      expect(new Set(active)).toEqual(new Set(['active']));
    },
  );
});

describe('server.yaml by itself', () => {
  const alone = async (state: PlatformState, on?: (r: Recorded, s: PlatformState) => void): Promise<Ran> =>
    runOn(await shippedProject('server.yaml'), state, 'apply', { name: 'alone', ...(on === undefined ? {} : { on }) });

  test('fetches both before its first stop, once', async () => {
    const { run, state } = await platform();
    const first = await run('apply', {
      on: ({ event }, now) => {
        if (event.e === 'play-started' && event.play.endsWith('Check before the first server stops'))
          now.faults.push({ fault: 'no-sudo', host: 'server-2' });
      },
    });
    state.faults.length = 0;
    await run('close', { past: first.recorded });
    for (const host of ['server-1', 'server-2'])
      for (const path of [TEMPLATE, ARCHIVE]) put(state, host, path, undefined);
    const repository = state.names.repository.deb;
    for (const host of Object.values(state.hosts)) {
      host.packageIndex = structuredClone(state.repository);
      put(state, host.name, repository, host.files[repository]?.text.replace('#deb ', 'deb '));
    }
    const asked = state.asked.length;
    let atStop = 0;
    const ran = await alone(state, ({ event }, now) => {
      if (event.e === 'intent' && event.name === 'Stop the manager' && atStop === 0) atStop = now.asked.length;
    });
    expect([ran.end, wrong(ran.events)]).toEqual(['done', []]);
    const [before, since] = [state.asked.slice(asked, atStop), state.asked.slice(atStop)].map((l) =>
      l.map((a) => a.path),
    );
    expect(before?.filter((p) => !p.includes('/apt/'))).toEqual([
      FORMER,
      '/4.x/filebeat/platform-filebeat-0.4.tar.gz',
      '/4.x/filebeat/platform-filebeat-0.5.tar.gz',
      SERVED,
    ]);
    expect(since).toEqual([]);
  });

  test('beside indexers of another version is refused, and nothing is fetched', async () => {
    const { state } = await platform();
    const ran = await alone(state);
    expect([ran.end, state.asked]).toEqual(['refused', []]);
  });
});
