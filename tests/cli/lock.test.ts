import { afterEach, describe, expect, test } from '@jest/globals';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, userInfo } from 'node:os';
import { lineOf, localHarness, onePlay, touch, type Harness } from './cli-harness.js';

let harness: Harness | undefined;
const open = (made: Harness): Harness => (harness = made);
const started: ReturnType<Harness['start']>[] = [];
afterEach(async () => {
  for (const each of started.splice(0)) {
    each.kill('SIGKILL');
    await each;
  }
  harness?.end();
  harness = undefined;
});

/** A step that ends when the file `go` is there, and one that counts how often it was made. */
const SLOW = onePlay(
  `${touch('first', 'first')}      - step: slow
        command: { argv: [sh, -c, "until test -e @/go; do sleep 0.05; done; touch @/slow"], creates: "@/slow", changes: ["@/slow"], timeout: 60s }
      - step: once
        command: { argv: [sh, -c, "echo x >>@/made; touch @/once"], creates: "@/once", changes: ["@/once"], timeout: 10s }
`,
);

const start = (args: readonly string[], from = harness): ReturnType<Harness['start']> => {
  if (from === undefined) throw new Error('no harness');
  const running = from.start(args);
  started.push(running);
  return running;
};
const inSlow = (running: ReturnType<Harness['start']>): Promise<string> => lineOf(running.stderr, / a {2}slow: /);
const locks = (): readonly string[] => {
  const folder = harness?.path('.runbook/locks/inventory.yaml') ?? '';
  return existsSync(folder) ? readdirSync(folder) : [];
};

describe('one controller at a time', () => {
  test.each([
    ['apply', 'test.yaml', '-y'],
    ['resume', '-y'],
    ['close', '-y'],
  ])('%s beside a run: refused with the name of who works, and the run is not disturbed', async (...args) => {
    const { run, path } = open(localHarness(SLOW));
    const running = start(['apply', 'test.yaml', '-y']);
    await inSlow(running);
    const refused = await run(args);
    expect([refused.exitCode, refused.stderr]).toEqual([
      5,
      expect.stringContaining(
        `inventory.yaml is in use by runbook apply of ${userInfo().username} on ${hostname()} (process ${running.pid ?? 0}), since `,
      ),
    ]);
    const { stdout } = await run(['runs']);
    expect(stdout).toMatch(/^\S+ +running +\d+ {2}Try$/m);
    expect(stdout).toContain('In use now by runbook apply of ');
    writeFileSync(path('go'), '');
    expect((await running).exitCode).toBe(0);
    expect([readFileSync(path('made'), 'utf8'), locks()]).toEqual(['x\n', []]);
  });

  test('of several that start at once exactly one begins', async () => {
    const { path, runs } = open(localHarness(SLOW));
    const all = Array.from({ length: 4 }, () => start(['apply', 'test.yaml', '-y']));
    await Promise.any(all.map((each) => inSlow(each)));
    writeFileSync(path('go'), '');
    const codes = (await Promise.all(all)).map(({ exitCode }) => exitCode);
    // One that comes after the other has ended finds nothing to do.
    expect(codes.filter((code) => code !== 5 && code !== 0)).toEqual([]);
    expect([readFileSync(path('made'), 'utf8'), runs().length]).toEqual([
      'x\n',
      codes.filter((code) => code === 0).length,
    ]);
  });

  test('--lock-wait waits for the other to end', async () => {
    const { path } = open(localHarness(SLOW));
    const first = start(['apply', 'test.yaml', '-y']);
    await inSlow(first);
    const second = start(['apply', 'test.yaml', '-y', '--lock-wait', '10m']);
    await lineOf(second.stderr, /^Waiting up to 10 min for runbook apply of /);
    writeFileSync(path('go'), '');
    expect([(await first).exitCode, (await second).exitCode]).toEqual([0, 0]);
    expect(readFileSync(path('made'), 'utf8')).toBe('x\n');
  });

  test('the lock of a killed process counts for nothing', async () => {
    const { path, run } = open(localHarness(SLOW));
    const running = start(['apply', 'test.yaml', '-y']);
    await inSlow(running);
    running.kill('SIGKILL');
    await running;
    expect(locks()).toHaveLength(1);
    writeFileSync(path('go'), '');
    expect([(await run(['resume', '-y'])).exitCode, locks()]).toEqual([0, []]);
  });

  test('a frozen process keeps its lock until it is taken away; when it wakes up it changes nothing more', async () => {
    const { path, run, runs, journalOf } = open(localHarness(SLOW));
    const frozen = start(['apply', 'test.yaml', '-y']);
    await inSlow(frozen);
    frozen.kill('SIGSTOP');
    const refused = await run(['resume', '-y']);
    expect([refused.exitCode, refused.stderr]).toEqual([
      5,
      expect.stringMatching(/in use by .*\n[^]* runbook unlock /),
    ]);
    const unasked = await run(['unlock']);
    expect([unasked.exitCode, locks().length]).toEqual([2, 1]);
    expect((await run(['unlock', '-y'])).exitCode).toBe(0);
    writeFileSync(path('go'), '');
    const resumed = await run(['resume', '-y']);
    expect([resumed.exitCode, readFileSync(path('made'), 'utf8')]).toEqual([0, 'x\n']);
    const id = runs()[0] ?? '';
    const after = journalOf(id);
    frozen.kill('SIGCONT');
    const woken = await frozen;
    expect([woken.exitCode, woken.stderr]).toEqual([5, expect.stringContaining('has taken over this run')]);
    expect([readFileSync(path('made'), 'utf8'), journalOf(id)]).toEqual(['x\n', after]);
    expect((await run(['show'])).exitCode).toBe(0);
  });

  test.each([
    ['deleted, with its lock', 'rm -rf @/.runbook'],
    ['deleted', 'rm -rf @/.runbook/runs'],
    ['moved', 'mv @/.runbook/runs @/elsewhere'],
  ])('a run whose folder is %s while it works says so, and does nothing more', async (_how, script) => {
    const gone = `      - step: gone\n        command: { argv: [sh, -c, "${script}"], changes: [], timeout: 10s }\n`;
    const { path, run } = open(localHarness(onePlay(`${gone}${touch('after', 'after')}`)));
    const { exitCode, stderr } = await run(['apply', 'test.yaml', '-y']);
    expect([exitCode, stderr.split('\n').slice(-2)]).toEqual([
      1,
      [
        expect.stringMatching(
          /^runbook: .*\/\.runbook\/runs\/\S+ is gone: it was deleted or moved while the run worked; /,
        ),
        '  Put the folder back, or a copy of it; then runbook resume, from a copy with --from-hosts',
      ],
    ]);
    expect(existsSync(path('after'))).toBe(false);
  });

  test('a lock from another machine is not judged from here: unlock takes it away', async () => {
    const { path, run, cutJournal } = open(localHarness(onePlay(touch('one', 'one'))));
    await run(['apply', 'test.yaml', '-y']);
    rmSync(path('one'));
    cutJournal((lines) => lines.length - 1);
    const other = { ...held(), machine: 'ctl-2', machineId: 'other', boot: 'other', user: 'kim', pid: 77 };
    writeFileSync(path('.runbook/locks/inventory.yaml/t.held'), JSON.stringify(other));
    const refused = await run(['apply', 'test.yaml', '-y']);
    expect([refused.exitCode, refused.stderr]).toEqual([
      5,
      expect.stringContaining('runbook apply of kim on ctl-2 (process 77), since 1970-01-01T00:00:01Z'),
    ]);
    expect((await run(['show'])).stdout).toContain(
      '\n  runbook unlock   remove the lock of a process that has ended there',
    );
    expect((await run(['unlock', '-y'])).exitCode).toBe(0);
    expect((await run(['resume', '-y'])).exitCode).toBe(0);
  });
});

const held = () => ({ token: 't', verb: 'apply', inventory: 'i', pidSpace: '', start: '1', sinceMs: 1000 });
