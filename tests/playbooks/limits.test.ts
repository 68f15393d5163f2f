import { afterEach, describe, expect, test } from '@jest/globals';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { foldAll } from '../../engine/journal/fold.js';
import { isUnfinished } from '../../engine/journal/state.js';
import type { Event } from '../../engine/terms/event.js';
import type { Outcome } from '../../engine/terms/action.js';
import type { Actor } from '../../engine/terms/machine.js';
import { bench, settledOf } from '../run/bench-hosts.js';
import { differences, endState } from './end-state.js';
import { platform } from './platform-bench.js';

let shop: ReturnType<typeof bench> | undefined;
const open = (playbook: string, hosts: readonly string[] = ['a', 'b', 'c'], facts = '') =>
  (shop = bench(playbook, hosts, facts));
afterEach(async () => {
  await shop?.end();
  shop = undefined;
});

const count = (events: readonly Event[], e: Event['e']): number => events.filter((event) => event.e === e).length;
/** An actor whose every effect comes to this. */
const always =
  (outcome: Outcome) =>
  (real: Actor): Actor => ({ ...real, perform: () => Promise.resolve(outcome) });

const REPEATABLE = (more: string): string => `
playbook: P
plays:
  - play: One
    hosts: a
    steps:
      - step: push
        command: { argv: ["true"], changes: [], repeatable: true, timeout: 10s }
        ${more}
`;

describe('an effect of which nothing is heard', () => {
  const lost: Outcome = { is: 'unknown', why: 'connection', detail: 'no route' };

  test('is tried as often as the step says and no more; then the host is lost, not failed', async () => {
    const { run } = open(REPEATABLE('retries: 2'));
    const ran = await run('apply', { actor: always(lost) });
    expect([ran.end, count(ran.events, 'intent'), count(ran.events, 'host-lost')]).toEqual(['unreachable', 3, 1]);
    expect(settledOf(ran)).toEqual(['a push: unreachable']);
  });

  test('because its time limit passed fails with just that', async () => {
    const { run } = open(REPEATABLE('retries: 0'));
    const ran = await run('apply', {
      actor: always({ is: 'unknown', why: 'timeout', detail: 'push did not end in 10 s' }),
    });
    expect(ran.events).toContainEqual(
      expect.objectContaining({
        e: 'settled',
        as: 'failed',
        reason: 'the time limit passed: push did not end in 10 s',
      }),
    );
  });
});

test('hosts of a serial play that may drop out are reported as failed at the end, and a resume takes them again', async () => {
  const { run, path } = open(`
playbook: P
plays:
  - play: Each
    hosts: all
    serial: 1
    on_host_failure: continue
    steps:
      - step: only once fixed
        when: host.name == "b"
        command: { argv: [test, -e, "@/fixed"], changes: everything, timeout: 10s }
      - step: mark
        command: { argv: [touch, "@/{{host.name}}"], creates: "@/{{host.name}}", changes: ["@/{{host.name}}"], timeout: 10s }
`);
  const first = await run('apply');
  expect([first.end, ...['a', 'b', 'c'].map((n) => existsSync(path(n)))]).toEqual(['failed', true, false, true]);
  writeFileSync(path('fixed'), '');
  const resumed = await run('resume', { past: first.recorded });
  expect([resumed.end, existsSync(path('b'))]).toEqual(['done', true]);
});

test('what a failure gave back is made again by a resume, and of what came after it only what may be done twice', async () => {
  const { run, path } = open(
    `
playbook: P
plays:
  - play: Work
    hosts: a
    steps:
      - step: open
        command: { argv: [touch, "@/open"], creates: "@/open", changes: ["@/open"], timeout: 10s }
        temporary:
          command: { argv: [rm, -f, "@/open"], unless: { argv: [test, "!", -e, "@/open"] }, changes: ["@/open"], repeatable: true, timeout: 10s }
      - step: pay
        command: { argv: [sh, -c, "echo restored >>@/restored"], changes: ["@/restored"], timeout: 10s }
      - step: refresh
        command: { argv: [sh, -c, "echo fresh >>@/fresh"], changes: ["@/fresh"], repeatable: true, timeout: 10s }
  - play: Use
    hosts: a
    steps:
      - step: needs it open
        command: { argv: [test, -e, "@/open", -a, -e, "@/fixed"], changes: everything, timeout: 10s }
`,
    ['a'],
  );
  const failed = await run('apply');
  expect([failed.end, existsSync(path('open'))]).toEqual(['failed', false]);
  const again = await run('resume', { past: failed.recorded });
  expect([again.end, existsSync(path('open'))]).toEqual(['failed', false]);
  writeFileSync(path('fixed'), '');
  const resumed = await run('resume', { past: again.recorded });
  expect([resumed.end, existsSync(path('open'))]).toEqual(['done', false]);
  expect(readFileSync(path('restored'), 'utf8')).toBe('restored\n');
  expect(readFileSync(path('fresh'), 'utf8')).toBe('fresh\nfresh\nfresh\n');
});

describe('a question that is answered no', () => {
  test.each([['no'], [undefined]])('(%s) refuses: nothing was changed, and nothing is unfinished', async (answer) => {
    const { run, state } = await platform();
    state.cluster.persistent['cluster.routing.allocation.enable'] = 'primaries';
    const ran = await run('apply', answer === undefined ? {} : { answer });
    expect([ran.end, isUnfinished(foldAll(ran.events))]).toEqual(['refused', false]);
  });
});

describe('--limit', () => {
  test.each([
    ['an agent alone, before the managers', ['linux-1']],
    ['all indexers but one', ['indexer-1', 'indexer-2', 'server-1', 'server-2', 'dashboard-1']],
    ['the dashboard alone', ['dashboard-1']],
  ])('%s: refused before the first change', async (_, hosts) => {
    const { run, state } = await platform();
    const before = structuredClone(state.hosts);
    const ran = await run('apply', { options: { limit: new Set(hosts) } });
    expect([ran.end, count(ran.events, 'intent')]).toEqual(['refused', 0]);
    expect(state.hosts).toEqual(before);
  });
});

describe('a second apply after a first that was stopped and released', () => {
  const uncut = platform().then(async ({ run, state }) => {
    await run('apply');
    return endState(state);
  });

  test.each(['Upgrade the manager', 'Add the ruleset fragment', 'Upgrade the shipper', 'Upgrade the agent'])(
    'after "%s": finishes what is partially done',
    async (last) => {
      const { run, state } = await platform();
      let seen = false;
      const stopped = await run('apply', {
        name: 'first',
        stopping: () => seen,
        on: ({ event }) => (seen ||= event.e === 'settled' && event.name === last),
      });
      const released = await run('close', { past: stopped.recorded });
      expect([stopped.end, released.end]).toEqual(['interrupted', 'closed']);
      const second = await run('apply', { name: 'second' });
      expect(second.end).toBe('done');
      expect(differences(await uncut, endState(state))).toEqual([]);
    },
  );

  test('an agent whose service did not come up is found and started', async () => {
    const { run, state } = await platform();
    state.faults.push({ fault: 'start-fails', host: 'linux-1', unit: 'platform-agent' });
    const failed = await run('apply', { name: 'first' });
    await run('close', { past: failed.recorded });
    state.faults.length = 0;
    const second = await run('apply', { name: 'second' });
    expect([second.end, state.hosts['linux-1']?.services['platform-agent']?.active]).toEqual(['done', 'active']);
  });
});

describe('a condition with a name that leads nowhere', () => {
  const WAITS = (what: string): string => `
playbook: P
plays:
  - play: One
    hosts: a
    steps:
      - step: look
        command: { argv: [sh, -c, "echo '{}' >@/answer.json"], changes: ["@/answer.json"], timeout: 10s }
      - step: hope
        ${what}
`;
  const ANSWER = '  answer: { description: What stands there, file: "@/answer.json", format: json }\n';
  test.each([
    ['wait', 'wait_for: { that: fact.answer.stdot == "hello" }\n        timeout: 1h'],
    ['wait for one of several', 'wait_for: { that: [fact.answer.stdot == "a", "true"] }\n        timeout: 1h'],
    ['check', 'check: { that: fact.answer.stdot == "hello", message: no }'],
  ])('%s: fails at once, with the name', async (_, what) => {
    const { run } = open(WAITS(what), ['a'], ANSWER);
    const ran = await run('apply');
    expect([ran.end === 'done', count(ran.events, 'waiting')]).toEqual([false, 0]);
    expect(ran.events).toContainEqual(
      expect.objectContaining({ e: 'settled', as: 'blocked', reason: expect.stringContaining('stdot') as unknown }),
    );
  });

  test('in an invariant: the serial play stops at once', async () => {
    const { run, state } = await platform({}, (p) => ({
      ...p,
      platform: {
        ...p.platform,
        invariants: p.platform.invariants.map((i) => ({
          ...i,
          condition: 'fact.health.statuss == "green"',
        })),
      },
    }));
    const startMs = state.nowMs;
    const ran = await run('apply');
    expect(ran.events.at(-1)).toMatchObject({ reason: expect.stringContaining('statuss') as unknown });
    expect(state.nowMs - startMs).toBeLessThan(120_000);
  });
});
