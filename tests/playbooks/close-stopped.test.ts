import { expect, jest, test } from '@jest/globals';
import { foldAll } from '../../engine/journal/fold.js';
import type { PlatformState } from '../../engine/platforms/security-monitoring/simulator/state.js';
import { closeView } from '../../engine/report/end/close-view.js';
import type { Recorded } from '../../engine/terms/event.js';
import { nowOn, platform, runOn } from './platform-bench.js';

/**
 * `RELEASE_POINTS=1/1` tries all points, `1/4` the first quarter of them; otherwise a few that lie apart, others with another seed. Points at which an indexer
 * is down are taken more often.
 */
const PART = process.env['RELEASE_POINTS']?.split('/').map(Number);
const SEED = Number(process.env['RELEASE_SEED'] ?? '1');
const EACH = { down: 25, up: 250 };
jest.setTimeout(PART === undefined ? 120_000 : 3_600_000);

const isDown = ({ hosts }: PlatformState): boolean =>
  Object.values(hosts).some((host) => host.services['platform-indexer']?.active === 'inactive');

const isChosen = (seq: number, state: PlatformState): boolean => {
  if (PART !== undefined) return seq % (PART[1] ?? 1) === (PART[0] ?? 1) - 1;
  return (seq + SEED * 7919) % (isDown(state) ? EACH.down : EACH.up) === 0;
};

/** What a controller leaves that dies at this point: its journal and the platform. */
interface Point {
  readonly name: string;
  readonly past: readonly Recorded[];
  readonly state: PlatformState;
}

/** After each record of an uncut upgrade; and where an effect has happened and is not recorded yet. */
async function pointsOf(bench: Awaited<ReturnType<typeof platform>>): Promise<readonly Point[]> {
  const [points, past]: [Point[], Recorded[]] = [[], []];
  await bench.run('apply', {
    on: (recorded, state) => {
      const before = [...past];
      past.push(recorded);
      if (!isChosen(recorded.seq, state)) return;
      const clone = structuredClone(state);
      const { e } = recorded.event;
      if (e === 'effect') points.push({ name: `before record ${recorded.seq}`, past: before, state: clone });
      points.push({ name: `after record ${recorded.seq} (${e})`, past: [...past], state: structuredClone(state) });
    },
  });
  return points;
}

/** `component on host` of each service that the line of the view names. */
const namedIn = (view: string, line: RegExp): readonly string[] =>
  (line.exec(view)?.[1]?.split(' · ') ?? []).flatMap((part) => {
    const [component = '', hosts = ''] = part.split(' on ');
    return hosts.split(', ').map((host) => `${component} on ${host}`);
  });

test('wherever the controller of an upgrade died, a release says before it is confirmed which services stay stopped', async () => {
  const bench = await platform();
  const { project } = bench;
  const { plays } = project.playbook;
  let stopped = 0;
  const points = await pointsOf(bench);
  for (const { name, past, state } of points) {
    const now = await nowOn(project, structuredClone(state), past);
    const folded = foldAll(past.map(({ event }) => event));
    const means = { past, state: folded, plays, now, ways: { where: '', backTo: [] } };
    const view = closeView(means, { color: false });
    const { end } = await runOn(project, state, 'close', { past });
    const { components } = await nowOn(project, state, past);
    const left = components.flatMap((c) =>
      c.installed !== null && c.active !== 'active' ? [`${c.component} on ${c.host}`] : [],
    );
    const stays = namedIn(view, /^STAYS STOPPED: (.*)$/m);
    // A step that is under way on its host may go on there.
    const may = namedIn(view, /^MAY STAY STOPPED .*: (.*)$/m);
    const unnamed = left.filter((c) => !stays.includes(c) && !may.includes(c));
    const wrong = stays.filter((c) => !left.includes(c));
    expect({ name, end, unnamed, wrong, may: may.length <= 2 }).toEqual({
      name,
      end,
      unnamed: [],
      wrong: [],
      may: true,
    });
    stopped += left.length > 0 ? 1 : 0;
  }
  if (PART !== undefined)
    process.stderr.write(`${points.length} points, of which ${stopped} leave a service stopped\n`);
  expect(stopped).toBeGreaterThan(0);
});
