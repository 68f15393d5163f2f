import { afterEach, describe, expect, test } from '@jest/globals';
import { existsSync } from 'node:fs';
import { localHarness, modelHarness, MODEL_SECRETS, onePlay, PLATFORM, touch, type Harness } from './cli-harness.js';

let harness: Harness;
afterEach(() => harness.end());

const OPEN = '2000-01-01 00:00/2099-01-01 00:00 UTC';
const OVER = '2000-01-01 00:00/01:00 UTC';
const NOT_YET = '2099-01-01 00:00/01:00 UTC';
const isThere = (...names: readonly string[]): readonly boolean[] =>
  names.map((name) => existsSync(harness.path(name)));

/** A run that stops before its second play, and is open then. */
const FINAL = `${onePlay(touch('one', 'one'))}  - play: Final
    hosts: all
    point_of_no_return: the format is new
    steps:
${touch('two', 'two')}`;

describe('outside the window', () => {
  test.each([
    [NOT_YET, 'nothing was changed: the window is closed; it opens Thu 2099-01-01 00:00 UTC'],
    [OVER, 'nothing was changed: the window is closed since Sat 2000-01-01 01:00 UTC'],
  ])('%s: apply is refused with 5, unless it is said by name', async (window, message) => {
    harness = localHarness(onePlay(touch('one', 'one')));
    const { run, runs } = harness;
    const refused = await run(['apply', 'test.yaml', '-y', '--window', window]);
    expect([refused.exitCode, refused.stderr]).toEqual([5, expect.stringContaining(message)]);
    expect([...isThere('one'), ...runs()]).toEqual([false]);
    const allowed = await run(['apply', 'test.yaml', '-y', '--window', window, '--outside-window']);
    expect([allowed.exitCode, ...isThere('one')]).toEqual([0, true]);
  });

  test('that the inventory names, apply is refused; --window names another one', async () => {
    harness = localHarness(onePlay(touch('one', 'one')));
    harness.write(
      'inventory.yaml',
      `window: { opens: 2000-01-01 00:00, closes: "01:00", zone: UTC }\n${harness.read('inventory.yaml')}`,
    );
    expect((await harness.run(['apply', 'test.yaml', '-y'])).exitCode).toBe(5);
    const validated = await harness.run(['validate', 'test.yaml']);
    expect([validated.exitCode, validated.stderr]).toEqual([
      0,
      expect.stringMatching(/^inventory\.yaml:1:44 {2}warning: closes: 01:00 is in the past/),
    ]);
    expect((await harness.run(['apply', 'test.yaml', '-y', '--window', OPEN])).exitCode).toBe(0);
  });

  test('resume is refused, goes on in another window, and by name', async () => {
    harness = localHarness(FINAL);
    const { run } = harness;
    const stopped = await run(['apply', 'test.yaml', '-y', '--window', OPEN, '--pause-before', 'Final']);
    expect(stopped.exitCode).toBe(130);
    expect((await run(['resume', '-y', '--window', OVER])).exitCode).toBe(5);
    expect((await run(['resume', '-y', '--window', OVER, '--outside-window'])).exitCode).toBe(0);
    expect(isThere('one', 'two')).toEqual([true, true]);
  });

  test('what takes no service down is applied at any time; close and rollback are not bound', async () => {
    harness = modelHarness('{ from: 4.12.0 }');
    const env = MODEL_SECRETS;
    const prepared = await harness.run(['apply', 'prepare.yaml', '-y', '--window', NOT_YET], { env });
    expect([prepared.exitCode, prepared.stderr]).toEqual([0, expect.not.stringContaining('Window')]);
    const upgraded = await harness.run(['apply', 'upgrade-4.14.yaml', '-y', '--window', NOT_YET, '--json'], { env });
    expect([upgraded.exitCode, upgraded.stderr]).toEqual([5, expect.stringContaining('the window is closed')]);
  });
});

describe('a plan', () => {
  test('that its window refuses whenever it is begun exits with 5, as apply does; before its window, or by name, with 0', async () => {
    harness = localHarness(FINAL);
    const { run } = harness;
    const codeOf = async (...args: string[]): Promise<unknown> => (await run(args)).exitCode;
    expect(await codeOf('plan', 'test.yaml', '--window', OVER)).toBe(5);
    expect(await codeOf('plan', 'test.yaml', '--window', NOT_YET)).toBe(0);
    expect(await codeOf('apply', 'test.yaml', '--dry-run', '--window', OVER, '--outside-window')).toBe(0);
    await run(['apply', 'test.yaml', '-y', '--pause-before', 'Final']);
    const rest = await run(['resume', '--dry-run', '--window', OVER]);
    expect([rest.exitCode, rest.stdout]).toEqual([5, expect.not.stringContaining('To continue it')]);
  });
});

describe('the page', () => {
  const headOf = async (window: string): Promise<string> => {
    harness = modelHarness('{ from: 4.12.0 }');
    const { stdout } = await harness.run(['plan', 'upgrade-4.14.yaml', '--window', window], { env: MODEL_SECRETS });
    return stdout.slice(0, stdout.indexOf('\n\n'));
  };

  test('tells how long what takes, and the latest start with time for a rollback', async () => {
    expect(await headOf('22:00/02:00 Europe/Berlin')).toContain(`
         about 17 min before the first service stops, then about 23 min until the last one is back
Window Sat 2026-11-21 22:00 – Sun 02:00 CET · latest start 00:53 CET (with time for a rollback, 25 min)`);
  });

  test('says from when on it can be applied where its window opens later', async () => {
    expect(await headOf('22:30/02:30 UTC')).toMatch(/^READY from Sat 2026-11-21 22:30 UTC on, 1 warning$/m);
  });

  test('says where the window is too short', async () => {
    const head = await headOf('22:30/23:00 UTC');
    expect(head).toContain('Window Sat 2026-11-21 22:30 – 23:00 UTC · TOO SHORT by ');
    // The estimate of 41 min and 25 min for a rollback, in a window of 30 min.
    expect(head).toMatch(/TOO SHORT by 36 min/);
    // In one that is open, counted from now (22:00).
    expect(await headOf('21:50/22:10 UTC')).toMatch(/TOO SHORT by 56 min/);
    expect(head).toMatch(/^.* NOT READY, the window is too short$/m);
  });

  test('and where it is too late: then apply is refused', async () => {
    expect(await headOf('20:00/23:00 UTC')).toContain('latest start 21:53 UTC HAS PASSED');
    const { exitCode, stderr } = await harness.run(
      ['apply', 'upgrade-4.14.yaml', '-y', '--window', '20:00/23:00 UTC'],
      {
        env: MODEL_SECRETS,
      },
    );
    expect([exitCode, stderr]).toEqual([
      5,
      expect.stringMatching(/about 41 min and a rollback 25 min: 6 min 20 s more than is left of the window/),
    ]);
  });
});

test.each([
  ['2026-11-22 22:00/22:20 UTC', 5, 'not-ready', 'NOT READY, the window is too short'],
  ['20:00/23:00 UTC', 5, 'not-ready', 'NOT READY, the latest start has passed'],
  ['22:30/02:30 UTC', 0, 'ready', 'READY from Sat 2026-11-21 22:30 UTC on, 1 warning'],
])(
  '%s: each document, and the plan file, says what the page says, with the same exit code',
  async (window, code, is, state) => {
    harness = modelHarness('{ from: 4.12.0 }');
    const plan = async (...args: string[]) => {
      const { stdout, exitCode } = await harness.run(['plan', 'upgrade-4.14.yaml', '--window', window, ...args], {
        env: MODEL_SECRETS,
      });
      expect(exitCode).toBe(code);
      return stdout;
    };
    const page = await plan('-o', 'change.plan');
    expect(page).toContain(state);
    const [, span = '', latest = ''] = /^Window (.*?) · (.*?) \(with/m.exec(page) ?? [];
    for (const md of [
      await plan('--format', 'md'),
      (await harness.run(['show', 'change.plan', '--format', 'md'])).stdout,
    ]) {
      expect(md).toMatch(new RegExp(`^# .* · ${state}$`, 'm'));
      expect(md).toContain(`- **Window**: ${span} · ${latest} (with time for a rollback, 25 min)`);
      expect(md).toContain(
        '- **Downtime**: about 17 min before the first service stops, then about 23 min until the last one',
      );
    }
    const html = (await harness.run(['show', 'change.plan', '--format', 'html'])).stdout;
    for (const text of [state, span, latest]) expect(html).toContain(text);
    const json = JSON.parse((await harness.run(['show', 'change.plan', '--format', 'json'])).stdout) as unknown;
    expect(json).toMatchObject({
      state: is,
      plan: { is },
      sections: expect.arrayContaining([
        expect.objectContaining({ window: expect.objectContaining({ rollbackMs: 25 * 60_000 }) as unknown }),
      ]) as unknown,
    });
    expect(JSON.parse((await plan('--json')).trimEnd().split('\n').at(-1) ?? '')).toMatchObject({
      event: { exit: code, plan: { is } },
    });
  },
);

test('where the rest and a rollback do not fit, resume is refused; by name it goes on', async () => {
  harness = localHarness(
    FINAL.replace(
      'plays:',
      'back_out: [{ stage: always, do: runbook rollback, takes: 4h, data_loss: none, requires: [ready] }]\nplays:',
    ),
  );
  harness.write('platform.yaml', `${PLATFORM}checks: { ready: { that: 1 == 1, description: It is ready } }\n`);
  const { run } = harness;
  const start = ['apply', 'test.yaml', '-y', '--window', OPEN, '--pause-before', 'Final'];
  expect((await run(start)).exitCode).toBe(130);
  const inTwoHours = new Date(Date.now() + 7_200_000).toISOString().slice(0, 16);
  const refused = await run(['resume', '-y', '--window', `2000-01-01 00:00/${inTwoHours} UTC`]);
  expect([refused.exitCode, ...isThere('one', 'two')]).toEqual([5, true, false]);
  expect(refused.stderr).toMatch(/the run takes about 10 s and a rollback 4 h: 2 h.* more than is left of the window/);
  expect((await run(['resume', '-y', '--outside-window'])).exitCode).toBe(0);
});

test('an approved plan keeps its window', async () => {
  harness = localHarness(onePlay(touch('one', 'one')));
  const { run } = harness;
  expect((await run(['plan', 'test.yaml', '-o', 'change.plan', '--window', NOT_YET])).exitCode).toBe(0);
  expect((await run(['apply', 'change.plan', '-y', '--window', OPEN])).exitCode).toBe(2);
  expect((await run(['apply', 'change.plan', '-y'])).exitCode).toBe(5);
  expect((await run(['apply', 'change.plan', '-y', '--outside-window'])).exitCode).toBe(0);
});

test.each([
  ['22:00', '--window: "22:00" is not OPENS/CLOSES [ZONE], such as "2026-11-21 22:00/02:00 Europe/Berlin"'],
  ['22:00/02:00 Berlin', '--window: zone: there is no time zone "Berlin"'],
  ['2026-11-21 22:00/2026-11-21 02:00 UTC', '--window: closes: 2026-11-21 02:00 is not after 2026-11-21 22:00'],
])('a wrong window is one sentence: %s', async (window, message) => {
  harness = localHarness(onePlay(touch('one', 'one')));
  const { exitCode, stderr } = await harness.run(['apply', 'test.yaml', '-y', '--window', window]);
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining(message)]);
});
