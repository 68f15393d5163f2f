import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { execa, type Options } from 'execa';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { startCluster, storeEnv, type Cluster } from '../lab/nats.js';
import { lineOf, localHarness, onePlay, openHarness, program, type Harness } from '../cli/cli-harness.js';

/** Two machines of a team are two folders of this one, each with its own copy of the project; the host is a third folder. */
let cluster: Cluster;
let host: Harness;
let a: Harness;
let b: Harness;
let stores = 0;
let store = '';
const started: ReturnType<Harness['start']>[] = [];

/** Each step counts how often it was done; the one in the middle ends when the file `go` is there. */
const counted = (name: string, first = ''): string =>
  `      - step: ${name}
        command: { argv: [sh, -c, "${first}echo ${name} >>@/made; touch @/${name}"], creates: "@/${name}", changes: ["@/${name}"], timeout: 60s }\n`;
const slow = counted('slow', 'touch @/began; until test -e @/go; do sleep 0.05; done; ');
const PLAYBOOK = onePlay(`${counted('before')}${slow}${counted('after')}${counted('last')}`);
const MANY_STEPS = 10;
const MANY = onePlay(Array.from({ length: MANY_STEPS }, (_, n) => counted(`step${n}`)).join(''));
const SLOW_LAST = onePlay(`${counted('before')}${slow}`);

const envOf = (more: Record<string, string> = {}) => ({
  ...storeEnv(cluster, store),
  ...more,
});
const run = (at: Harness, args: readonly string[], more?: Record<string, string>) => at.run(args, { env: envOf(more) });
const start = (at: Harness, args: readonly string[]): ReturnType<Harness['start']> => {
  const running = at.start(args, { env: envOf() });
  started.push(running);
  return running;
};
/** In a container, where processes have other numbers: what runs outside cannot be reached by a signal. */
function startElsewhere(args: readonly string[]): ReturnType<Harness['start']> {
  const container = ['--pid', '--fork', '--kill-child', '--mount-proc', process.execPath, program];
  const options = {
    cwd: b.folder,
    env: { PATH: process.env['PATH'] ?? '', HOME: b.folder, ...envOf() },
    extendEnv: false,
    stdin: 'ignore',
    reject: false,
  };
  const running = execa('unshare', [...container, ...args], options as Options) as ReturnType<Harness['start']>;
  started.push(running);
  return running;
}
/** Its command runs on the host. */
const inSlow = (running: ReturnType<Harness['start']>): Promise<unknown> => Promise.race([began(), ended(running)]);
const began = async (): Promise<void> => {
  while (!existsSync(host.path('began'))) await new Promise(setImmediate);
};
const ended = async (running: ReturnType<Harness['start']>): Promise<never> => {
  throw new Error(`it ended before: ${(await running).stderr}`);
};
const made = (): readonly string[] =>
  existsSync(host.path('made')) ? readFileSync(host.path('made'), 'utf8').trim().split('\n') : [];
/** Lets the step in the middle end, and waits until it has. */
async function letGo(): Promise<void> {
  writeFileSync(host.path('go'), '');
  while (!made().includes('slow')) await new Promise(setImmediate);
}
/** Two of the three servers. */
const away: number[] = [];
async function killTwo(): Promise<void> {
  for (const node of [0, 1]) {
    away.push(node);
    await cluster.kill(node);
  }
}
const startAgain = (): void => away.splice(0).forEach((node) => cluster.start(node));
const ALL = ['before', 'slow', 'after', 'last'];

beforeAll(async () => {
  cluster = await startCluster();
});
afterAll(() => cluster.stop());

afterEach(async () => {
  startAgain();
  for (const each of started.splice(0)) {
    each.kill('SIGCONT');
    each.kill('SIGKILL');
    await each;
  }
  for (const one of [host, a, b]) one.end();
});

async function newTeam(playbook = PLAYBOOK): Promise<void> {
  host = localHarness(playbook);
  const files = Object.fromEntries(['platform.yaml', 'test.yaml', 'inventory.yaml'].map((f) => [f, host.read(f)]));
  [a, b] = [openHarness(files), openHarness(files)];
  store = `team${(stores += 1)}`;
  expect(await run(a, ['store', 'create'])).toMatchObject({ exitCode: 0, stderr: '' });
}

describe('a run of a team', () => {
  test('whose machine died is continued by another, and the first one sees it', async () => {
    await newTeam();
    const first = start(a, ['apply', 'test.yaml', '-y']);
    await inSlow(first);
    expect((await run(b, ['runs'])).stdout).toMatch(/running +\d+ +Try\n\nIn use now by runbook apply/);
    first.kill('SIGKILL');
    await first;
    writeFileSync(host.path('go'), '');
    expect((await run(b, ['runs'])).stdout).toContain('(unfinished)');
    expect(await run(b, ['resume', '-y'])).toMatchObject({ exitCode: 0 });
    expect(made()).toEqual(ALL);
    expect((await run(a, ['show'])).stdout).toContain('4 changed');
    expect(a.journalOf(a.runs()[0] ?? '')).toEqual(b.journalOf(b.runs()[0] ?? ''));
  });

  test('is followed from another machine to its end', async () => {
    await newTeam();
    const first = start(a, ['apply', 'test.yaml', '-y']);
    await inSlow(first);
    const following = start(b, ['attach', '--plain']);
    await lineOf(following.stderr, /Following the run|a {2}slow: /);
    await letGo();
    const followed = await following;
    expect([followed.exitCode, followed.stderr]).toEqual([0, expect.stringMatching(/ a {2}last /)]);
    expect((await first).exitCode).toBe(0);
    expect((await run(b, ['report', '--format', 'json'])).stdout).toContain('"done"');
  });

  test('is stopped from another machine after the step at hand, however often, and resumed there', async () => {
    await newTeam();
    const first = start(a, ['apply', 'test.yaml', '-y']);
    await inSlow(first);
    const refused = await startElsewhere(['resume', '-y']);
    expect([refused.exitCode, refused.stderr]).toEqual([5, expect.stringMatching(/\n {2}runbook stop {3}stops /)]);
    const stops = [startElsewhere(['stop']), startElsewhere(['stop'])];
    await Promise.all(stops.map((stop) => lineOf(stop.stderr, /^Stopping at its next safe point: runbook apply of /)));
    await letGo();
    for (const { exitCode, stdout } of await Promise.all(stops))
      expect([exitCode, stdout]).toEqual([0, 'Stopped. What was done, and what to type next: runbook show']);
    expect([(await first).exitCode, made()]).toEqual([130, ['before', 'slow']]);
    expect(await run(b, ['resume', '-y'])).toMatchObject({ exitCode: 0 });
    expect(made()).toEqual(ALL);
  });

  test('that is frozen does not answer a stop, and stops when it wakes up', async () => {
    await newTeam();
    const frozen = start(a, ['apply', 'test.yaml', '-y']);
    await inSlow(frozen);
    frozen.kill('SIGSTOP');
    const stop = await startElsewhere(['stop']);
    expect([stop.exitCode, stop.stderr]).toEqual([
      4,
      expect.stringMatching(/^Asked to stop: [^]* has not answered for 30 s: [^]*\n {2}runbook resume --take-over {3}/),
    ]);
    frozen.kill('SIGCONT');
    await lineOf(frozen.stderr, /Stopping after /);
    await letGo();
    expect([(await frozen).exitCode, made()]).toEqual([130, ['before', 'slow']]);
  });

  test('is taken over from a frozen machine, which does nothing more when it wakes up', async () => {
    await newTeam();
    const frozen = start(a, ['apply', 'test.yaml', '-y']);
    await inSlow(frozen);
    frozen.kill('SIGSTOP');
    await letGo();
    const refused = await run(b, ['resume', '-y']);
    expect([refused.exitCode, refused.stderr]).toEqual([5, expect.stringMatching(/in use by [^]*resume --take-over /)]);
    // Nothing is taken before the operator agreed.
    const unasked = await run(b, ['resume', '--take-over']);
    expect([unasked.exitCode, unasked.stderr]).toEqual([2, expect.stringContaining('a confirmation is needed')]);
    expect((await run(b, ['runs'])).stdout).toContain('In use now by runbook apply');
    const second = await run(b, ['resume', '-y', '--take-over']);
    expect(second).toMatchObject({ exitCode: 0 });
    frozen.kill('SIGCONT');
    const woken = await frozen;
    expect(woken.stderr.match(/has taken over/g)).toHaveLength(1);
    expect([woken.exitCode, woken.stderr]).toEqual([
      5,
      expect.stringContaining('another process has taken over this run'),
    ]);
    expect(made()).toEqual(ALL);
    expect(await run(a, ['show'])).toMatchObject({
      exitCode: 0,
      stderr: expect.stringMatching(/was continued by \S+@\S+ from record \d+ on/),
    });
    expect((await run(a, ['resume', '-y'])).stderr).toContain('no unfinished run');
  });

  test('that is unlocked from another machine cannot go on either', async () => {
    await newTeam();
    const frozen = start(a, ['apply', 'test.yaml', '-y']);
    await inSlow(frozen);
    frozen.kill('SIGSTOP');
    expect(await run(b, ['unlock', 'test.yaml', '-y'])).toMatchObject({ exitCode: 0 });
    await letGo();
    frozen.kill('SIGCONT');
    expect((await frozen).exitCode).toBe(5);
    expect(made()).toEqual(['before', 'slow']);
    expect(await run(b, ['resume', '-y'])).toMatchObject({ exitCode: 0 });
    expect(made()).toEqual(ALL);
  });

  /** More rounds, for a figure: RUNBOOK_ROUNDS=50. */
  test('is taken over from a machine that is frozen at any step: every step is done, and at most the one at hand twice', async () => {
    const rounds = Number(process.env['RUNBOOK_ROUNDS'] ?? 4);
    const [codes, twice]: [Record<string, number>, number[]] = [{}, []];
    for (let round = 0; round < rounds; round += 1) {
      await newTeam(MANY);
      const at = (round * 7) % MANY_STEPS;
      const frozen = start(a, ['apply', 'test.yaml', '-y']);
      await lineOf(frozen.stderr, new RegExp(` a {2}step${at}: `));
      frozen.kill('SIGSTOP');
      expect(await run(b, ['resume', '-y', '--take-over'])).toMatchObject({ exitCode: 0 });
      frozen.kill('SIGCONT');
      const { exitCode = 0 } = await frozen;
      codes[exitCode] = (codes[exitCode] ?? 0) + 1;
      const steps = Array.from({ length: MANY_STEPS }, (_, n) => made().filter((name) => name === `step${n}`).length);
      expect(Math.min(...steps)).toBe(1);
      expect(steps.filter((times) => times > 1).length).toBeLessThanOrEqual(1);
      twice.push(steps.filter((times) => times > 1).length);
      for (const one of [host, a, b]) one.end();
    }
    process.stdout.write(
      `${rounds} rounds: exit codes ${JSON.stringify(codes)}, ${twice.filter((n) => n > 0).length} with a step done twice\n`,
    );
    expect(codes).toEqual({ 5: rounds });
  });

  test('begins once, of several machines that begin at once', async () => {
    await newTeam();
    const all = [a, b, a, b].map((at) => start(at, ['apply', 'test.yaml', '-y']));
    await Promise.any(all.map(inSlow));
    await letGo();
    const codes = (await Promise.all(all)).map(({ exitCode }) => exitCode);
    expect(codes.filter((code) => code !== 5 && code !== 0)).toEqual([]);
    expect(made()).toEqual(ALL);
  });
});

describe('a store that is away', () => {
  test('in the middle: the run waits before its next action, says so, and goes on when it is back', async () => {
    await newTeam();
    const first = start(a, ['apply', 'test.yaml', '-y']);
    await inSlow(first);
    await killTwo();
    await letGo();
    await lineOf(first.stderr, /does not answer .*The run waits before its next action/);
    expect(made()).toEqual(['before', 'slow']);
    startAgain();
    expect((await first).exitCode).toBe(0);
    expect(made()).toEqual(ALL);
    expect((await run(b, ['show'])).stdout).toContain('4 changed');
  });

  test('in the middle, and the operator stops: the run is resumed later, elsewhere', async () => {
    await newTeam();
    const first = start(a, ['apply', 'test.yaml', '-y']);
    await inSlow(first);
    await killTwo();
    await letGo();
    await lineOf(first.stderr, /does not answer/);
    first.kill('SIGINT');
    const stopped = await first;
    expect([stopped.exitCode, stopped.stderr]).toEqual([4, expect.stringContaining('To continue: runbook resume')]);
    expect(made()).toEqual(['before', 'slow']);
    startAgain();
    expect(await run(b, ['resume', '-y', '--lock-wait', '1m'])).toMatchObject({ exitCode: 0 });
    expect(made()).toEqual(ALL);
  });

  test('at the end: the run ends all the same, and the next command sends what is missing', async () => {
    await newTeam(SLOW_LAST);
    const first = start(a, ['apply', 'test.yaml', '-y']);
    await inSlow(first);
    await killTwo();
    await letGo();
    const ended = await first;
    expect([ended.exitCode, ended.stderr]).toEqual([
      0,
      expect.stringMatching(/The last records of the run are not in the store[^]*could not be released/),
    ]);
    startAgain();
    expect((await run(a, ['resume', '-y'])).stderr).toContain('no unfinished run');
    expect((await run(b, ['runs'])).stdout).toMatch(/done +2 +Try/);
  });

  test('at the start: nothing is changed; what is here can still be read', async () => {
    await newTeam();
    const nowhere = { RUNBOOK_STORE: 'nats://localhost:1/team' };
    const refused = await run(a, ['apply', 'test.yaml', '-y'], nowhere);
    expect([refused.exitCode, refused.stderr]).toEqual([4, expect.stringContaining("the team's store: ")]);
    expect([made(), a.runs()]).toEqual([[], []]);
    expect(await run(a, ['runs'], nowhere)).toMatchObject({
      exitCode: 0,
      stderr: expect.stringContaining('what this machine has of the runs is used'),
    });
  });

  test('whose name is wrong is not made by the way, and without one no store is asked', async () => {
    await newTeam();
    const wrong = { RUNBOOK_STORE: envOf().RUNBOOK_STORE.replace(store, 'tema') };
    const refused = await run(a, ['apply', 'test.yaml', '-y'], wrong);
    expect([refused.exitCode, refused.stderr]).toEqual([4, expect.stringContaining('docs/teams.md')]);
    writeFileSync(host.path('go'), '');
    expect(await run(a, ['apply', 'test.yaml', '-y'], { RUNBOOK_STORE: '' })).toMatchObject({ exitCode: 0 });
    expect((await run(b, ['runs'])).stdout).toContain('no runs');
  });
});
