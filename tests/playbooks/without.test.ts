import { expect, test } from '@jest/globals';
import { foldAll } from '../../engine/journal/fold.js';
import { isUnfinished } from '../../engine/journal/state.js';
import type { Event } from '../../engine/terms/event.js';
import { crashingAt, type Ran } from '../run/bench-hosts.js';
import type { Project } from '../../engine/language/project.js';
import { down } from '../mutate/look.js';
import { platform, runOn } from './platform-bench.js';
import { endOf } from './platform-looks.js';

const touching = (events: readonly Event[], host: string): readonly string[] =>
  events.flatMap((e) => (e.e === 'intent' && 'host' in e.task.on && e.task.on.host === host ? [e.name] : []));

test('a run that stopped because of a dead host is closed without it: all else is restored, and it is named', async () => {
  const { run, state } = await platform();
  state.faults.push({ fault: 'start-fails', host: 'indexer-2', unit: 'platform-indexer' });
  const failed = await run('apply');
  state.faults.splice(0);
  state.faults.push({ fault: 'unreachable', host: 'indexer-2' });
  const closed = await run('close', { past: failed.recorded, options: { without: new Set(['indexer-2']) } });
  expect([closed.end, isUnfinished(foldAll(closed.events))]).toEqual(['closed', false]);
  const last = closed.events.at(-1);
  const left = last?.e === 'run-ended' ? last.notRestored.map(({ task }) => task.on) : [];
  expect(left.length).toBeGreaterThan(0);
  expect(left.filter((on) => !('host' in on) || on.host !== 'indexer-2')).toEqual([]);
});

test('a resume without a host asks nothing of it and changes nothing there; it stays open for that host', async () => {
  const { run, state } = await platform();
  const cut = await run('apply', { actor: crashingAt(3, 'after') });
  state.faults.push({ fault: 'unreachable', host: 'linux-1' });
  const resumed = await run('resume', { past: cut.recorded, options: { without: new Set(['linux-1']) } });
  const after = resumed.events.slice(cut.events.length);
  expect([resumed.end, touching(after, 'linux-1')]).toEqual(['unreachable', []]);
  expect(touching(after, 'indexer-1')).toContain('Upgrade the package');
});

// The first is the first host of the shippers' configuration, which their own test begins with.
test.each(['indexer-1', 'indexer-2'])(
  'with %s dead and an agent without sudo, the rest of the platform is upgraded',
  async (dead) => {
    const { run, state } = await platform();
    state.faults.push({ fault: 'start-fails', host: dead, unit: 'platform-indexer' });
    const failed = await run('apply');
    state.faults.splice(0);
    state.faults.push({ fault: 'unreachable', host: dead }, { fault: 'no-sudo', host: 'linux-1' });
    const givenUp = new Set([dead]);
    const resume = (project: Project, past: Ran) =>
      runOn(project, state, 'resume', { past: past.recorded, options: { without: givenUp } });
    const { project } = await platform();
    // Two nodes are left for three copies: that is to be accepted, too. Where the dead one was the last, the others have all their copies.
    const waiting = dead === 'indexer-1' ? failed : await resume(project, failed);
    if (waiting !== failed)
      expect(endOf(waiting).at(-1)).toMatch(/can be on no node.*accept_unassigned_replicas=true/s);
    const accepted = { ...project, extraVars: { ...project.extraVars, accept_unassigned_replicas: true } };
    const resumed = await resume(accepted, waiting);
    const left = endOf(resumed).slice(endOf(waiting).length);
    expect(left.length).toBeGreaterThan(0);
    expect(left.filter((line) => !line.includes('linux-1: the user may not become root'))).toEqual([]);
    const { [dead]: _dead, [`linux-1`]: _away, ...others } = state.hosts;
    const below = Object.values(others).flatMap(({ name, packages }) =>
      Object.entries(packages).flatMap(([of, { version, held }]) =>
        of === 'filebeat' ? [] : version === '4.14.7-1' && !held ? [] : [`${name} ${of} ${version}`],
      ),
    );
    expect(below).toEqual([]);
    const warned = resumed.events.flatMap((e) => (e.e === 'warned' ? [e.text] : []));
    expect(warned.some((text) => text.includes('the security configuration was not applied'))).toBe(
      dead === 'indexer-1',
    );
    expect([state.cluster.persistent['cluster.routing.allocation.enable'], down(state)]).toEqual([
      'all',
      [`platform-indexer on ${dead}`],
    ]);
  },
);
