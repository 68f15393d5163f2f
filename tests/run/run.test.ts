import { afterEach, describe, expect, test } from '@jest/globals';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { bench, crashingAt, settledOf } from './bench-hosts.js';

let shop: ReturnType<typeof bench> | undefined;
const open = (playbook: string, hosts: readonly string[] = ['a', 'b', 'c']) => (shop = bench(playbook, hosts));
afterEach(async () => {
  await shop?.end();
  shop = undefined;
});

const touch = (name: string): string =>
  `command: { argv: [touch, "@/${name}"], creates: "@/${name}", changes: ["@/${name}"], timeout: 10s }`;

test('a host that fails beside one that pauses ends the run as failed; a resume continues both', async () => {
  const { run, path } = open(
    `playbook: P
plays:
  - play: Side by side
    hosts: all
    steps:
      - step: one
        ${touch('{{host.name}}/one')}
      - step: two
        ${touch('{{host.name}}/two')}
`,
    ['a', 'b'],
  );
  mkdirSync(path('a'));
  const no = (): Promise<boolean> => Promise.resolve(false);
  const ran = await run('apply', {
    goOn: (at) => ('step' in at && at.step.name === 'two' ? no() : Promise.resolve(true)),
  });
  expect([ran.end, settledOf(ran)]).toEqual(['failed', expect.arrayContaining(['a one: done', 'b one: failed'])]);
  mkdirSync(path('b'));
  const resumed = await run('resume', { past: ran.recorded });
  expect([resumed.end, existsSync(path('a/two')), existsSync(path('b/two'))]).toEqual(['done', true, true]);
});

describe('a serial play', () => {
  test('one host finishes all its steps before the next begins', async () => {
    const { run } = open(`
playbook: P
plays:
  - play: Each
    hosts: all
    serial: 1
    steps:
      - step: one
        ${touch('one-{{host.name}}')}
      - step: two
        ${touch('two-{{host.name}}')}
`);
    expect(settledOf(await run('apply'))).toEqual([
      'a one: done',
      'a two: done',
      'b one: done',
      'b two: done',
      'c one: done',
      'c two: done',
    ]);
  });

  test('a failed host stops the run before the next host and the next play, and says what was untouched', async () => {
    const { run, path } = open(`
playbook: P
plays:
  - play: Each
    hosts: all
    serial: 1
    steps:
      - step: only a
        when: host.name == "b"
        command: { argv: ["false"], changes: everything, timeout: 10s }
      - step: mark
        ${touch('{{host.name}}')}
  - play: Later
    hosts: all
    steps:
      - step: never
        ${touch('never')}
`);
    const ran = await run('apply');
    expect(ran.end).toBe('failed');
    expect(['a', 'b', 'c', 'never'].map((n) => existsSync(path(n)))).toEqual([true, false, false, false]);
    expect(ran.events.at(-1)).toMatchObject({
      e: 'run-ended',
      as: 'failed',
      untouched: ['Later'],
      reason: 'b failed in "Each"',
    });
  });
});

describe('a play whose hosts may drop out', () => {
  test('goes on with the others, does the plays after it, and ends failed', async () => {
    const { run, path } = open(`
playbook: P
plays:
  - play: Each
    hosts: all
    on_host_failure: continue
    steps:
      - step: only b
        when: host.name == "b"
        command: { argv: ["false"], changes: everything, timeout: 10s }
      - step: mark
        ${touch('{{host.name}}')}
  - play: Later
    hosts: a
    steps:
      - step: later
        ${touch('later')}
`);
    const ran = await run('apply');
    expect(ran.end).toBe('failed');
    expect(['a', 'b', 'c', 'later'].map((n) => existsSync(path(n)))).toEqual([true, false, true, true]);
  });
});

test('a step that runs once is done by one host, and the others wait for it', async () => {
  const { run, path } = open(`
playbook: P
plays:
  - play: All
    hosts: all
    steps:
      - step: once
        run_once: true
        command: { argv: [sh, -c, "echo x >>@/once"], changes: ["@/once"], timeout: 10s }
      - step: after
        command: { argv: [test, -s, "@/once"], changes: everything, timeout: 10s }
`);
  expect((await run('apply')).end).toBe('done');
  expect(readFileSync(path('once'), 'utf8')).toBe('x\n');
});

const TEMPORARY = (noRestoreAfter: string | undefined, fail: boolean): string => `
playbook: P
plays:
  - play: Work
    hosts: a
    steps:
      - step: open
        id: opened
        command: { argv: [touch, "@/open"], creates: "@/open", changes: ["@/open"], timeout: 10s }
        temporary:
${noRestoreAfter === undefined ? '' : `          no_restore_after: ${noRestoreAfter}\n`}          command: { argv: [rm, -f, "@/open"], unless: { argv: [test, "!", -e, "@/open"] }, changes: ["@/open"], repeatable: true, timeout: 10s }
      - step: point of no return
        id: reached
        ${touch('reached')}
      - step: maybe
        command: { argv: [${fail ? 'test, -e, "@/fixed"' : '"true"'}], changes: everything, timeout: 10s }
`;

describe('a temporary change', () => {
  test('is recorded before it is made and restored at the end', async () => {
    const { run, path } = open(TEMPORARY('opened', false));
    const ran = await run('apply');
    const kinds = ran.events.map((e) => e.e);
    expect(kinds.indexOf('temporary-made')).toBeLessThan(kinds.indexOf('intent'));
    expect([ran.end, existsSync(path('open'))]).toEqual(['done', false]);
    expect(ran.events.at(-1)).toMatchObject({ notRestored: [] });
  });

  test('is restored at once on a failure where that does no harm', async () => {
    const { run, path } = open(TEMPORARY(undefined, true));
    expect([(await run('apply')).end, existsSync(path('open'))]).toEqual(['failed', false]);
  });

  test('is kept and listed after the step past which giving it back does harm; resume ends it', async () => {
    const { run, path } = open(TEMPORARY('reached', true));
    const failed = await run('apply');
    expect(failed.events.at(-1)).toMatchObject({ as: 'failed', notRestored: [{ name: 'open' }] });
    expect(existsSync(path('open'))).toBe(true);
    writeFileSync(path('fixed'), '');
    const resumed = await run('resume', { past: failed.recorded });
    expect([resumed.end, existsSync(path('open'))]).toEqual(['done', false]);
  });

  test('is kept too where that step is a loop', async () => {
    const { run, path } = open(TEMPORARY('reached', true).replace('id: reached', 'id: reached\n        loop: [one]'));
    expect((await run('apply')).events.at(-1)).toMatchObject({ as: 'failed', notRestored: [{ name: 'open' }] });
    expect(existsSync(path('open'))).toBe(true);
  });

  /** A drain that is ended by a command, of which nothing can be read. */
  const DRAIN = (restoredBy: string, last: string): string => `
playbook: P
plays:
  - play: Work
    hosts: all
    serial: 1
    steps:
      - step: drain
        command: { argv: [sh, -c, "echo drain {{host.name}} >>@/log"], changes: everything, timeout: 10s }
        temporary:
${restoredBy}          command: { argv: [sh, -c, "echo return {{host.name}} >>@/log"], changes: everything, timeout: 10s }
      - step: work
        command: { argv: [sh, -c, "echo work {{host.name}} >>@/log"], changes: everything, timeout: 10s }
${last}`;
  const RETURN = `      - step: return
        id: returned
        command: { argv: [sh, -c, "echo back {{host.name}} >>@/log"], changes: everything, timeout: 10s }
`;
  const FAILING = `      - step: fails
        command: { argv: ["false"], changes: everything, timeout: 10s }
`;

  test.each([
    [
      'by that command at the end, and by no other that changes everything',
      DRAIN('', ''),
      'done',
      ['drain a', 'work a', 'drain b', 'work b', 'return a', 'return b'],
    ],
    [
      'by the step that it names, host by host, and not again',
      DRAIN('          restored_by: returned\n', RETURN),
      'done',
      ['drain a', 'work a', 'back a', 'drain b', 'work b', 'back b'],
    ],
    [
      'by that command on a failure before the step that it names',
      DRAIN('          restored_by: returned\n', `${FAILING}${RETURN}`),
      'failed',
      ['drain a', 'work a', 'return a'],
    ],
  ])('that a command ends is restored %s', async (_, playbook, end, log) => {
    const { run, path } = open(playbook, ['a', 'b']);
    const planned = await run('plan');
    const by = playbook.includes('restored_by') ? 'step' : 'end';
    expect(planned.events.flatMap((e) => (e.e === 'temporary-restored' ? [e.by] : []))).toEqual([by, by]);
    const ran = await run('apply');
    expect([ran.end, readFileSync(path('log'), 'utf8').trim().split('\n')]).toEqual([end, log]);
    expect(ran.events.at(-1)).toMatchObject({ notRestored: [] });
  });

  test('release gives it back and closes the run', async () => {
    const { run, path } = open(TEMPORARY('opened', true));
    const failed = await run('apply');
    const released = await run('close', { past: failed.recorded });
    expect([released.end, existsSync(path('open'))]).toEqual(['closed', false]);
  });
});

const THREE = `
playbook: P
plays:
  - play: Each
    hosts: all
    serial: 1
    steps:
      - step: count
        command: { argv: [sh, -c, "echo {{host.name}} >>@/log-{{host.name}}"], changes: ["@/log-{{host.name}}"], creates: "@/log-{{host.name}}", timeout: 10s }
      - step: twice is fine
        command: { argv: [sh, -c, "echo {{host.name}} >@/last"], changes: ["@/last"], repeatable: true, timeout: 10s }
`;

describe('a controller that dies', () => {
  test.each([1, 2, 3, 4, 5, 6].flatMap((n) => [[n, 'before'] as const, [n, 'after'] as const]))(
    'at effect %d, %s it happened: resume goes to the same end, and nothing settled is done twice',
    async (nth, when) => {
      const { run, path } = open(THREE);
      const cut = await run('apply', { actor: crashingAt(nth, when) });
      const resumed = await run('resume', { past: cut.recorded });
      expect(resumed.end).toBe('done');
      expect(['a', 'b', 'c'].map((h) => readFileSync(path(`log-${h}`), 'utf8'))).toEqual(['a\n', 'b\n', 'c\n']);
      expect(readFileSync(path('last'), 'utf8')).toBe('c\n');
      const settled = settledOf(resumed);
      expect(new Set(settled).size).toBe(settled.length);
    },
  );

  test('in the middle of something that may not be done twice: an operator is asked to look, by a clear refusal', async () => {
    const { run, path } = open(`
playbook: P
plays:
  - play: One
    hosts: a
    steps:
      - step: pay
        command: { argv: [sh, -c, "echo restored >>@/restored"], changes: ["@/restored"], timeout: 10s }
`);
    const cut = await run('apply', { actor: crashingAt(1, 'after') });
    const resumed = await run('resume', { past: cut.recorded });
    expect(resumed.events).toContainEqual(
      expect.objectContaining({
        e: 'settled',
        as: 'blocked',
        reason: expect.stringContaining('not known whether this was done'),
      }),
    );
    expect(readFileSync(path('restored'), 'utf8')).toBe('restored\n');
  });
});

test('an operator who asks to stop gets the step in hand finished and no other begun; resume does the rest', async () => {
  const { run, path } = open(THREE);
  const stopped = await run('apply', { stopAfter: 3 });
  expect([stopped.end, existsSync(path('log-c'))]).toEqual(['interrupted', false]);
  expect((await run('resume', { past: stopped.recorded })).end).toBe('done');
});

test('a plan does nothing, and says what an apply then does', async () => {
  const { run, path } = open(THREE);
  const planned = await run('plan');
  expect([planned.end, existsSync(path('last'))]).toEqual(['done', false]);
  const would = planned.events.flatMap((e) => (e.e === 'checked' && e.verdict === 'change' ? [e.because] : []));
  const did = (await run('apply')).events.flatMap((e) => (e.e === 'intent' ? [e.change.summary] : []));
  expect(would).toEqual(did);
});

test('a step is tried again as often as it says, and then fails with the last reason', async () => {
  const { run, path } = open(`
playbook: P
plays:
  - play: One
    hosts: a
    steps:
      - step: third time lucky
        command: { argv: [sh, -c, "echo x >>@/tries; test $(wc -l <@/tries) -ge 3"], changes: ["@/tries"], timeout: 10s }
        retries: 2
      - step: never
        command: { argv: [sh, -c, "echo no luck >&2; exit 7"], changes: everything, timeout: 10s }
        retries: 1
`);
  const ran = await run('apply');
  expect(readFileSync(path('tries'), 'utf8')).toBe('x\nx\nx\n');
  expect(ran.events).toContainEqual(
    expect.objectContaining({
      e: 'settled',
      name: 'never',
      as: 'failed',
      reason: expect.stringMatching(/^sh -c .* ended with status 7: no luck$/s),
    }),
  );
});

test('a question without a terminal refuses; an answer is kept, and a "no" stops', async () => {
  const playbook = `
playbook: P
plays:
  - play: One
    hosts: a
    steps:
      - step: sure
        confirm: { question: "Sure?" }
`;
  const { run } = open(playbook);
  expect((await run('apply')).events).toContainEqual(
    expect.objectContaining({
      e: 'settled',
      as: 'failed',
      reason: expect.stringContaining('needs an answer of the operator'),
    }),
  );
  expect((await run('apply', { answer: 'no' })).end).not.toBe('done');
  expect((await run('apply', { answer: 'yes' })).end).toBe('done');
});

test('a resume decides again whether a question that was cut off is asked: it may be answered by now', async () => {
  const playbook = `
playbook: P
plays:
  - play: One
    hosts: a
    steps:
      - step: sure
        when: fact.answered != "yes"
        confirm: { question: "Sure?" }
`;
  const answered =
    '  answered: { description: Is it, command: [sh, -c, "test -e @/answered && echo yes || echo no"] }\n';
  const { run, path } = (shop = bench(playbook, ['a'], answered));
  const { recorded } = await run('apply', { answer: 'no' });
  const past = recorded.slice(0, recorded.findIndex(({ event }) => event.e === 'intent') + 1);
  writeFileSync(path('answered'), '');
  const resumed = await run('resume', { past });
  expect([resumed.end, settledOf(resumed)]).toEqual(['done', []]);
});
