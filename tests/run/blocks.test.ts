import { afterEach, describe, expect, test } from '@jest/globals';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { bench, crashingAt, settledOf } from './bench-hosts.js';

let shop: ReturnType<typeof bench> | undefined;
afterEach(async () => {
  await shop?.end();
  shop = undefined;
});
const open = (playbook: string, hosts: readonly string[] = ['a'], facts = ''): ReturnType<typeof bench> =>
  (shop = bench(playbook, hosts, facts));

const touch = (name: string): string =>
  `command: { argv: [touch, "@/${name}"], creates: "@/${name}", changes: ["@/${name}"], timeout: 10s }`;
const append = (text: string): string =>
  `command: { argv: [sh, -c, "echo ${text} >>@/log"], changes: ["@/log"], repeatable: true, timeout: 10s }`;
const DONE = '  done: { description: Is it done, command: [sh, -c, "test -e @/done && echo yes || echo no"] }\n';

const logOf = (path: (name: string) => string): string =>
  existsSync(path('log')) ? readFileSync(path('log'), 'utf8').replaceAll('\n', ' ').trim() : '';

/** Its own second step makes the condition of the block false. */
const REPLACE = (fail: string): string => `
playbook: P
plays:
  - play: Replace
    hosts: all
    steps:
      - block: Replace it
        when: fact.done == "no"
        steps:
          - step: stop
            ${append('stop')}
          - step: install
            ${touch('done')}
          - step: check
            command: { argv: [${fail}], changes: everything, repeatable: true, timeout: 10s }
          - step: start
            ${append('start')}
      - step: outside
        ${append('outside')}
`;

describe('a block', () => {
  test('is gone through whole, although one of its steps makes its condition false', async () => {
    const { run, path } = open(REPLACE('"true"'), ['a'], DONE);
    expect((await run('apply')).end).toBe('done');
    expect(logOf(path)).toBe('stop start outside');
  });

  test('is skipped whole where its condition does not hold, and the steps after it are not', async () => {
    const { run, path } = open(REPLACE('"true"'), ['a'], DONE);
    writeFileSync(path('done'), '');
    const ran = await run('apply');
    expect([ran.end, logOf(path)]).toEqual(['done', 'outside']);
    expect(ran.events.filter(({ e }) => e === 'task-skipped')).toHaveLength(4);
  });

  test('that was begun is finished by a resume, whatever its condition says by then', async () => {
    const { run, path } = open(REPLACE('test, -e, "@/fixed"'), ['a'], DONE);
    const failed = await run('apply');
    expect([failed.end, logOf(path)]).toEqual(['failed', 'stop']);
    writeFileSync(path('fixed'), '');
    const resumed = await run('resume', { past: failed.recorded });
    expect([resumed.end, logOf(path)]).toEqual(['done', 'stop start outside']);
  });

  test('that changed nothing yet is asked again by a resume', async () => {
    const { run, path } = open(
      REPLACE('"true"').replace(
        '- step: stop',
        `- step: gate\n            command: { argv: [test, -e, "@/gate"], changes: nothing, timeout: 10s }\n          - step: stop`,
      ),
      ['a'],
      DONE,
    );
    const failed = await run('apply');
    expect([failed.end, logOf(path)]).toEqual(['refused', '']);
    writeFileSync(path('done'), '');
    writeFileSync(path('gate'), '');
    const resumed = await run('resume', { past: failed.recorded });
    expect([resumed.end, logOf(path)]).toEqual(['done', 'outside']);
  });

  test.each([0, 1, 2, 3, 4])('is finished after the controller died at effect %i', async (nth) => {
    const { run, path } = open(REPLACE('"true"'), ['a'], DONE);
    const died = await run('apply', { actor: crashingAt(nth, 'after') });
    const resumed = await run('resume', { past: died.recorded });
    expect([resumed.end, existsSync(path('done'))]).toEqual(['done', true]);
    expect(logOf(path)).toMatch(/stop.* start.* outside/);
  });

  test('is asked on each host by itself, and its plan shows the steps of the hosts where it holds', async () => {
    const { run } = open(
      `
playbook: P
plays:
  - play: Each
    hosts: all
    steps:
      - block: On one
        when: host.name == "b"
        steps:
          - step: mark
            ${append('{{host.name}}')}
`,
      ['a', 'b'],
    );
    const planned = await run('plan');
    expect(planned.events.filter((e) => e.e === 'checked').map(({ task }) => task.on)).toEqual([{ host: 'b' }]);
  });

  test('in a block is asked only where the outer one holds', async () => {
    const { run, path } = open(`
playbook: P
plays:
  - play: Each
    hosts: all
    steps:
      - block: Outer
        when: "false"
        steps:
          - block: Inner
            when: "true"
            steps:
              - step: never
                ${append('never')}
`);
    expect([(await run('apply')).end, logOf(path)]).toEqual(['done', '']);
  });
});

describe('a loop', () => {
  const LOOP = (list: string, more = ''): string => `
playbook: P
vars: { names: [x, y], one: x }
plays:
  - play: Each
    hosts: all
    steps:
      - step: add
        loop: ${list}
        ${more}
        ${append('{{item}}')}
`;

  test.each([
    ['[x, y/z, 3]', 'x y/z 3'],
    ['"{{vars.names}}"', 'x y'],
  ])('over %s does the step for each element', async (list, log) => {
    const { run, path } = open(LOOP(list));
    expect([(await run('apply')).end, logOf(path)]).toEqual(['done', log]);
  });

  test('asks `when` for each element', async () => {
    const { run, path } = open(LOOP('[x, y]', 'when: item == "y"'));
    expect([(await run('apply')).end, logOf(path)]).toEqual(['done', 'y']);
  });

  test('goes on after a crash with the elements that are left', async () => {
    const { run, path } = open(LOOP('[x, y, z]'));
    const stopped = await run('apply', { actor: crashingAt(2, 'before') });
    const resumed = await run('resume', { past: stopped.recorded });
    expect([resumed.end, logOf(path)]).toEqual(['done', 'x y z']);
  });

  test('over no list fails its step with one message', async () => {
    const { run } = open(LOOP('"{{vars.one}}"'));
    const ran = await run('apply');
    expect(ran.end).toBe('refused');
    expect(settledOf(ran)).toEqual(['a add: failed']);
  });
});

describe('the `when` of a play', () => {
  const PLAY = (when: string): string => `
playbook: P
plays:
  - play: Work
    hosts: all
    when: ${when}
    steps:
      - step: work
        ${append('{{host.name}}')}
`;

  test('that holds lets the play run on all its hosts, also those for which it does not', async () => {
    const { run, path } = open(PLAY('hosts.all.exists(h, h.name == "b")'), ['a', 'b']);
    expect((await run('apply')).end).toBe('done');
    expect(logOf(path).split(' ').sort()).toEqual(['a', 'b']);
  });

  test('that does not hold skips it with the reason', async () => {
    const { run, path } = open(PLAY('hosts.all.exists(h, h.name == "c")'), ['a', 'b']);
    const ran = await run('apply');
    expect([ran.end, logOf(path)]).toEqual(['done', '']);
    expect(ran.events).toContainEqual(
      expect.objectContaining({ e: 'play-skipped', because: 'no h in hosts.all with h.name == "c"' }),
    );
  });
});
