import { afterEach, describe, expect, test } from '@jest/globals';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { lineOf, localHarness, modelHarness, MODEL_SECRETS, onePlay, until, type Harness } from './cli-harness.js';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** A step that ends when the file `go` of the host is there, and one that counts how often it was made there. */
const work = (host: string): string =>
  onePlay(`      - step: slow
        command: { argv: [sh, -c, "until test -e ${host}/go; do sleep 0.05; done"], changes: everything, timeout: 60s }
      - step: count
        command: { argv: [sh, -c, "echo x >>${host}/made"], changes: ["${host}/made"], timeout: 10s }
`);

/** Two folders of the same inventory: one host, which is this machine's own shell and keeps its files in a folder of its own. */
function twoHarnesses(): {
  readonly host: string;
  readonly lease: string;
  readonly harnesses: readonly [Harness, Harness];
} {
  const host = mkdtempSync(join(tmpdir(), 'runbook-host-'));
  ends.push(() => rmSync(host, { recursive: true }));
  const lease = join(host, 'var', 'lease');
  const make = (): Harness => {
    const harness = localHarness(work(host));
    ends.push(() => harness.end());
    harness.write(
      'platform.yaml',
      `platform: Test\nroles: { node: { description: A node } }\nlease: { roles: [node], file: ${lease} }\n`,
    );
    harness.write(
      'inventory.yaml',
      'platform: {}\nendpoints: {}\nsecrets: {}\nhosts:\n  a: { address: 127.0.0.1, machine: local, roles: [node] }\n',
    );
    return harness;
  };
  return { host, lease, harnesses: [make(), make()] };
}

const start = (harness: Harness, args: readonly string[], env = {}): ReturnType<Harness['start']> => {
  const running = harness.start(args, { env });
  ends.push(async () => {
    running.kill('SIGKILL');
    await running;
  });
  return running;
};
const inSlow = (running: ReturnType<Harness['start']>): Promise<string> => lineOf(running.stderr, / a {2}slow: /);

/** Loaded into the program: kills it once it has written this text to a file. */
const killAfter = (text: string): string => {
  const code = `import fs from 'node:fs'; import { syncBuiltinESMExports } from 'node:module'; const { writeSync } = fs;
    fs.writeSync = (fd, data, ...more) => {
      const written = writeSync(fd, data, ...more);
      if (String(data).includes(${JSON.stringify(text)})) process.kill(process.pid, 'SIGKILL');
      return written;
    };
    syncBuiltinESMExports();`;
  return `--import=data:text/javascript,${encodeURIComponent(code)}`;
};

describe('the lease on a host', () => {
  test('has gone, with its marker, once the run is recorded as done: a controller that is killed then leaves none', async () => {
    const { host, harnesses } = twoHarnesses();
    const [one] = harnesses;
    writeFileSync(join(host, 'go'), '');
    const killed = await start(one, ['apply', 'test.yaml', '-y'], { NODE_OPTIONS: killAfter('"e":"run-ended"') });
    expect([killed.signal, readFileSync(join(host, 'made'), 'utf8'), readdirSync(join(host, 'var'))]).toEqual([
      'SIGKILL',
      'x\n',
      [],
    ]);
  });

  test('keeps a run in another folder away, by the name of who works; a plan neither minds it nor writes one', async () => {
    const { host, lease, harnesses } = twoHarnesses();
    const [one, other] = harnesses;
    expect([(await one.run(['plan', 'test.yaml'])).exitCode, readdirSync(host)]).toEqual([0, []]);
    const running = start(one, ['apply', 'test.yaml', '-y']);
    await inSlow(running);
    const held = readFileSync(lease, 'utf8');
    const refused = await other.run(['apply', 'test.yaml', '-y']);
    expect([refused.exitCode, refused.stderr, refused.stderr]).toEqual([
      5,
      expect.stringContaining(
        `a is in use by runbook apply of ${userInfo().username} on ${hostname()} (process ${running.pid ?? 0}), since `,
      ),
      expect.stringContaining('runbook unlock'),
    ]);
    expect(refused.stderr).toContain(`(${one.path('inventory.yaml')})`);
    expect([(await other.run(['plan', 'test.yaml'])).exitCode, readFileSync(lease, 'utf8')]).toEqual([0, held]);
    writeFileSync(join(host, 'go'), '');
    expect([(await running).exitCode, existsSync(lease), readFileSync(join(host, 'made'), 'utf8')]).toEqual([
      0,
      false,
      'x\n',
    ]);
    expect((await other.run(['apply', 'test.yaml', '-y'])).exitCode).toBe(0);
  });

  test('is compared by the host as an action begins: a run that another one has replaced there does no more', async () => {
    const { host, lease, harnesses } = twoHarnesses();
    const running = start(harnesses[0], ['apply', 'test.yaml', '-y']);
    await inSlow(running);
    const other = `${JSON.stringify({ token: 't', user: 'kim', machine: 'ctl-2', pid: 77, sinceMs: 1000 })}\n`;
    writeFileSync(lease, other);
    writeFileSync(join(host, 'go'), '');
    const ran = await running;
    expect([ran.exitCode, ran.stderr]).toEqual([5, expect.stringContaining('another process has taken over this run')]);
    expect([existsSync(join(host, 'made')), readFileSync(lease, 'utf8')]).toEqual([false, other]);
  });

  test('of a process that was killed on this machine counts for nothing', async () => {
    const { host, lease, harnesses } = twoHarnesses();
    const [one, other] = harnesses;
    const running = start(one, ['apply', 'test.yaml', '-y']);
    await until(() => existsSync(`${lease}.journal`));
    running.kill('SIGKILL');
    await running;
    writeFileSync(join(host, 'go'), '');
    // What that run did is asked for all the same (tests/cli/set-back.test.ts).
    const apply = await other.run(['apply', 'test.yaml', '-y']);
    expect([apply.exitCode, apply.stderr]).toEqual([3, expect.stringContaining('and that run is not here')]);
    const goOn = await other.run(['apply', 'test.yaml', '-y', '--from-hosts', '--no-diagnose']);
    expect([goOn.exitCode, goOn.stdout]).toEqual([1, expect.stringContaining('--done STEP')]);
    // Host by host: another one may have gone through the whole play.
    expect((await other.run(['resume', '-y', '--done', 'slow', '--no-diagnose'])).exitCode).toBe(1);
    expect((await other.run(['resume', '-y', '--not-done', 'count'])).exitCode).toBe(0);
    expect([existsSync(lease), readFileSync(join(host, 'made'), 'utf8')]).toEqual([false, 'x\n']);
  });

  test('of another machine stays until the operator confirms its removal', async () => {
    const { host, lease, harnesses } = twoHarnesses();
    const [one] = harnesses;
    writeFileSync(join(host, 'go'), '');
    await one.run(['apply', 'test.yaml', '-y']);
    const kim = { token: 't', verb: 'apply', inventory: '/home/kim/i.yaml', user: 'kim', machine: 'ctl-2', pid: 77 };
    writeFileSync(lease, `${JSON.stringify({ ...kim, sinceMs: 1000 })}\n`);
    for (const args of [['apply', 'test.yaml', '-y'], ['unlock']]) {
      const refused = await one.run(args);
      expect(`${refused.stdout}${refused.stderr}`).toMatch(/runbook apply of kim on ctl-2 \(process 77\), since 1970-/);
      expect([refused.exitCode, existsSync(lease)]).toEqual([args[0] === 'apply' ? 5 : 2, true]);
    }
    expect(readFileSync(join(host, 'made'), 'utf8')).toBe('x\n');
    expect([(await one.run(['unlock', '-y'])).exitCode, existsSync(lease)]).toEqual([0, false]);
    expect((await one.run(['apply', 'test.yaml', '-y'])).exitCode).toBe(0);
    expect((await one.run(['unlock', '-y'])).stdout).toContain('are not locked');
  });

  test('cannot be had where the user may not write: it is said, and the run goes on', async () => {
    const { host, harnesses } = twoHarnesses();
    // A file where the folder should be: root may not do that either.
    writeFileSync(join(host, 'var'), '');
    writeFileSync(join(host, 'go'), '');
    const ran = await harnesses[0].run(['apply', 'test.yaml', '-y']);
    expect([ran.exitCode, ran.stderr]).toEqual([0, expect.stringContaining('no lease on a (')]);
    expect(ran.stdout).not.toContain('marker');
  });

  test('keeps a resume or close from restoring the temporary changes of an unfinished run', async () => {
    const { host, lease, harnesses } = twoHarnesses();
    const [one] = harnesses;
    one.write(
      'test.yaml',
      `playbook: Try\nplays:\n  - play: Work\n    hosts: all\n    serial: 1\n    steps:
      - step: open
        id: opened
        command: { argv: [touch, "${host}/open"], creates: "${host}/open", changes: ["${host}/open"], timeout: 10s }
        temporary: { command: { argv: [rm, -f, "${host}/open"], unless: { argv: [test, "!", -e, "${host}/open"] }, changes: ["${host}/open"], repeatable: true, timeout: 10s }, no_restore_after: opened }
      - step: fails
        command: { argv: [test, -e, "${host}/fixed"], changes: everything, timeout: 10s }\n`,
    );
    expect((await one.run(['apply', 'test.yaml', '-y'])).exitCode).toBe(1);
    writeFileSync(lease, `${JSON.stringify({ token: 't', user: 'kim', machine: 'ctl-2', pid: 77, sinceMs: 1000 })}\n`);
    for (const args of [
      ['resume', '-y'],
      ['close', '-y'],
    ])
      expect([(await one.run(args)).exitCode, existsSync(join(host, 'open'))]).toEqual([5, true]);
    rmSync(lease);
    writeFileSync(join(host, 'fixed'), '');
    expect([(await one.run(['resume', '-y'])).exitCode, existsSync(join(host, 'open'))]).toEqual([0, false]);
  });
});

test('on the model, too: two folders with the same platform', async () => {
  const one = modelHarness('{ socket: model.sock }');
  ends.push(() => one.end());
  const model = start(one, ['model', 'upgrade-4.14.yaml'], MODEL_SECRETS);
  await lineOf(model.stdout, /listens on/);
  const other = modelHarness(`{ socket: ${one.path('model.sock')} }`);
  ends.push(() => other.end());
  const running = start(one, ['apply', 'upgrade-4.14.yaml', '-y'], MODEL_SECRETS);
  await lineOf(running.stderr, / Restrict shard allocation to primaries: /);
  running.kill('SIGSTOP');
  const refused = await other.run(['apply', 'upgrade-4.14.yaml', '-y'], { env: MODEL_SECRETS });
  expect([refused.exitCode, refused.stderr]).toEqual([
    5,
    expect.stringMatching(/(indexer|server|dashboard)\S* is in use by /),
  ]);
  running.kill('SIGCONT');
  expect((await running).exitCode).toBe(0);
  expect((await other.run(['apply', 'upgrade-4.14.yaml', '-y'], { env: MODEL_SECRETS })).exitCode).toBe(0);
});
