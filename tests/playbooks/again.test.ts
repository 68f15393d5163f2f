import { describe, expect, test } from '@jest/globals';
import type { PlatformState } from '../../engine/platforms/security-monitoring/simulator/state.js';
import type { Event, Recorded } from '../../engine/terms/event.js';
import type { Ran } from '../run/bench-hosts.js';
import { platform } from './platform-bench.js';

const FILEBEAT = '/usr/bin/filebeat';
const SECURITY = '/usr/share/platform-indexer/bin/indexer-security-init.sh';

const acted = (events: readonly Event[], step: string): readonly string[] =>
  events.flatMap((e) => (e.e === 'intent' && e.name === step && 'host' in e.task.on ? [e.task.on.host] : []));
const endOf = (ran: Ran): readonly unknown[] => {
  const wrong = ran.events.find((e) => e.e === 'settled' && !['ok', 'done'].includes(e.as));
  return [ran.end, wrong?.e === 'settled' ? `${wrong.name}: ${wrong.reason ?? ''}` : ''];
};
const settled = ({ event }: Recorded, step: string, host: string): boolean =>
  event.e === 'settled' && event.name === step && 'host' in event.task.on && event.task.on.host === host;

describe('a run that is released with every package upgraded', () => {
  /** A fault from when a step ended on a host; then the release, and an apply of its own. */
  async function again(
    step: string,
    host: string,
    program: string,
    then: (state: PlatformState) => void = () => undefined,
  ): Promise<{ second: Ran; state: PlatformState }> {
    const { run, state } = await platform();
    const fault = { fault: 'program', host, program, exit: 1, stdout: 'ERROR\n' } as const;
    const first = await run('apply', {
      on: (recorded) => {
        if (settled(recorded, step, host)) state.faults.push({ ...fault });
      },
    });
    expect(first.end).toBe('failed');
    state.faults.length = 0;
    then(state);
    await run('close', { past: first.recorded });
    return { second: await run('apply', { name: 'second' }), state };
  }

  test('sets up what the shipper did not', async () => {
    const { second, state } = await again('Start the shipper', 'server-1', FILEBEAT, ({ cluster }) => {
      for (const name of Object.keys(cluster.pipelines)) cluster.pipelines[name] = '{"description":"older"}';
    });
    expect(endOf(second)).toEqual(['done', '']);
    expect(acted(second.events, 'Set up the pipelines')).toContain('server-1');
    expect(acted(second.events, 'Upgrade the shipper')).toEqual([]);
    expect(JSON.stringify(state.cluster.pipelines)).toContain('module 0.5');
  });

  test('applies the security configuration that was not, after a backup of what it is now, and notes that it is done', async () => {
    const { second, state } = await again('Wait until nodes are in one cluster', 'indexer-1', SECURITY);
    expect(endOf(second)).toEqual(['done', '']);
    expect([
      acted(second.events, 'Back up the security configuration'),
      acted(second.events, 'Apply the security configuration'),
    ]).toEqual([['indexer-1'], ['indexer-1']]);
    expect(Object.keys(state.hosts['indexer-1']?.files ?? {})).not.toContain(
      '/var/lib/runbook/pending/security-configuration',
    );
  });
});

test('a repository that is enabled already is asked about, and nothing is changed on a "no"', async () => {
  const { run, state } = await platform();
  const list = state.hosts['server-2']?.files['/etc/apt/sources.list.d/platform.list'];
  if (list === undefined) throw new Error('server-2 has no list');
  list.text = list.text.replace(/^#\s*deb /m, 'deb ');
  const asked: string[] = [];
  const ran = await run('apply', {
    answer: 'no',
    on: ({ event }) => {
      if (event.e === 'answered') asked.push(event.question);
    },
  });
  expect([ran.end, acted(ran.events, 'Stop the indexer'), asked]).toEqual([
    'refused',
    [],
    [expect.stringContaining('is enabled already')],
  ]);
});

describe('a node that started and is not what it should be', () => {
  /** From its start on, whatever happens. */
  const after = async (change: (state: PlatformState) => void): Promise<Ran> => {
    const { run } = await platform();
    let started = false;
    return run('apply', {
      on: (recorded, state) => {
        started ||= settled(recorded, 'Start the indexer', 'indexer-2');
        if (started) change(state);
      },
    });
  };
  const waited = (ran: Ran): number => {
    const at = (step: string): number => ran.recorded.find((r) => settled(r, step, 'indexer-2'))?.atMs ?? Number.NaN;
    return at('Wait until the node has rejoined the cluster') - at('Start the indexer');
  };

  test('runs an engine that is not its package’s: it does not count as back', async () => {
    const { run } = await platform();
    const ran = await run('apply', {
      on: (recorded, { hosts }) => {
        if (!settled(recorded, 'Upgrade the package', 'indexer-2')) return;
        const files = hosts['indexer-2']?.files ?? {};
        const library = Object.keys(files).find((path) => /\/opensearch-[\d.]+\.jar$/.test(path)) ?? '';
        files[library.replace(/[\d.]+\.jar$/, '9.9.9.jar')] = files[library] as (typeof files)[string];
        Reflect.deleteProperty(files, library);
      },
    });
    expect(endOf(ran)).toEqual(['failed', expect.stringContaining('Wait until the node has rejoined the cluster')]);
  });

  test('ends at once: the wait for it does, too, and says so', async () => {
    const ran = await after((state) => {
      const unit = state.hosts['indexer-2']?.services['platform-indexer'];
      if (unit !== undefined) Object.assign(unit, { active: 'failed', processes: 0 });
    });
    expect(endOf(ran)).toEqual([
      'failed',
      expect.stringMatching(/Wait until the node has rejoined the cluster: .*failed/),
    ]);
    expect(waited(ran)).toBeLessThan(60_000);
  });
});
