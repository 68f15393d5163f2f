import { afterEach, describe, expect, test } from '@jest/globals';
import { existsSync, writeFileSync } from 'node:fs';
import {
  linesOf,
  localHarness,
  modelHarness,
  MODEL_SECRETS,
  onePlay,
  openHarness,
  touch,
  type Harness,
} from '../cli-harness.js';

let harness: Harness | undefined;
const open = (made: Harness): Harness => (harness = made);
afterEach(() => {
  harness?.end();
  harness = undefined;
});

const TWO = onePlay(`${touch('one', 'one')}${touch('two', 'two')}        tags: [late]\n`);
const FAILS = onePlay(
  `${touch('one', 'one')}      - step: two\n        spec: "9.4"\n        command: { argv: [sh, -c, "echo no such luck >&2; exit 7"], changes: everything, timeout: 10s }\n${touch('three', 'three')}`,
);
const ESCAPE = String.fromCharCode(27);

describe('exit codes', () => {
  test('0: done, and 0 again with nothing to do', async () => {
    const { run, path } = open(localHarness(TWO));
    const first = await run(['apply', 'test.yaml', '-y']);
    expect([first.exitCode, existsSync(path('one')), existsSync(path('two'))]).toEqual([0, true, true]);
    const second = await run(['apply', 'test.yaml', '-y']);
    expect([second.exitCode, second.stdout]).toEqual([0, expect.stringContaining(' 0 changed   2 unchanged')]);
  });

  test('1: failed, partly changed; says the step, the reason, what is untouched and what to type', async () => {
    const { run, path } = open(
      localHarness(`${FAILS}  - play: Later\n    hosts: all\n    steps:\n${touch('four', 'four')}`),
    );
    const ran = await run(['apply', 'test.yaml', '-y']);
    expect([ran.exitCode, existsSync(path('one')), existsSync(path('three'))]).toEqual([1, true, false]);
    expect(ran.stdout).toContain('ended with status 7: no such luck\n');
    expect(ran.stdout).toContain('Stopped: a failed in "Work". 1 changed, 1 failed in ');
    expect(ran.stdout).toContain('Not started: Later (a)\n');
    expect(ran.stdout).toMatch(/1 {2}runbook resume +fix the cause first; about \d+ s; no data loss$/m);
  });

  test('3: refused before anything changed, by plan and by apply', async () => {
    const { run, path } = open(
      localHarness(
        onePlay(
          `      - step: look\n        check: { that: 1 == 2, message: no good, hint: fix it }\n${touch('one', 'one')}`,
        ),
      ),
    );
    for (const args of [
      ['plan', 'test.yaml'],
      ['apply', 'test.yaml', '-y'],
    ]) {
      const ran = await run(args);
      expect([ran.exitCode, existsSync(path('one'))]).toEqual([3, false]);
      expect(ran.stdout).toContain('no good');
      expect(ran.stdout).toContain('fix it');
      expect(ran.stdout).toContain('Nothing was changed.');
    }
    expect((await run(['apply', 'test.yaml', '-y'])).exitCode).toBe(3);
  });

  test('4: a host that cannot be reached, and nothing was changed', async () => {
    const { run, write, path } = open(localHarness(TWO));
    // A port of this machine on which no process listens.
    write(
      'inventory.yaml',
      'platform: {}\nendpoints: {}\nsecrets: {}\nhosts:\n  a: { address: 127.0.0.1, ssh: { port: 1, user: ops } }\n',
    );
    for (const args of [
      ['plan', 'test.yaml'],
      ['apply', 'test.yaml', '-y'],
    ]) {
      const ran = await run(args);
      expect([ran.exitCode, existsSync(path('one'))]).toEqual([4, false]);
      expect(ran.stdout).toMatch(/^(AWAY {6}1 {2}a:|✗ a)/m);
    }
  });

  test('4: no process serves the model that the inventory names; no run is left behind', async () => {
    const { run, runs, folder } = open(modelHarness('{ socket: model.sock }'));
    const ran = await run(['apply', 'upgrade-4.14.yaml', '-y'], { env: MODEL_SECRETS });
    expect([ran.exitCode, ran.stdout]).toEqual([4, '']);
    expect(ran.stderr).toBe(
      `runbook: no model platform listens on ${folder}/model.sock (ENOENT)\n  start it, in another terminal: runbook model PLAYBOOK -i INVENTORY`,
    );
    expect(runs()).toEqual([]);
  });

  test('5: an unfinished run is in the way; resume, then the way is free', async () => {
    const { run, path, runs } = open(localHarness(FAILS.replace('echo no such luck >&2; exit 7', 'test -e @/fixed')));
    await run(['apply', 'test.yaml', '-y']);
    const refused = await run(['apply', 'test.yaml', '-y']);
    expect([refused.exitCode, refused.stdout]).toEqual([5, '']);
    expect(refused.stderr).toContain(`the run ${runs()[0] ?? ''} of this inventory is unfinished`);
    for (const verb of ['show', 'resume', 'close'])
      expect(refused.stderr).toMatch(new RegExp(`^  runbook ${verb} `, 'm'));
    const planned = await run(['plan', 'test.yaml']);
    expect([planned.exitCode, planned.stdout.includes('To apply:')]).toEqual([0, false]);
    expect(planned.stderr).toContain(`The run ${runs()[0] ?? ''} is unfinished and may keep services stopped.`);
    writeFileSync(path('fixed'), '');
    expect((await run(['resume', '-y'])).exitCode).toBe(0);
    expect(existsSync(path('three'))).toBe(true);
    expect((await run(['apply', 'test.yaml', '-y'])).exitCode).toBe(0);
  });
});

describe('apply plans first, on all hosts', () => {
  test.each<readonly [string, (inventory: string) => string]>([
    [
      'a bad duration in a template, needed only after the first node was stopped',
      (i) => i.replace(/^vars: \{/m, 'vars: { limit: 20 minutes, rejoin_limit: "{{vars.limit}}",'),
    ],
  ])('what the plan refuses is not applied: %s', async (_what, change) => {
    const { run, runs } = open(modelHarness('{ from: 4.12.0 }', change));
    const plan = await run(['plan', 'upgrade-4.14.yaml'], { env: MODEL_SECRETS });
    const apply = await run(['apply', 'upgrade-4.14.yaml', '-y'], { env: MODEL_SECRETS });
    expect([plan.exitCode, apply.exitCode, runs()]).toEqual([3, 3, []]);
    expect(apply.stdout).toContain('Nothing was changed');
  });

  test('its versions and counts stand above the first step', async () => {
    const { run } = open(modelHarness('{ from: 4.12.0 }'));
    const { stderr } = await run(['apply', 'upgrade-4.14.yaml', '-y'], { env: MODEL_SECRETS });
    const [heading = ''] = stderr.split('\n');
    expect(heading).toMatch(/ · 4\.12\.0 → 4\.14\.7 · 8 hosts ON THE MODEL {3}READY/);
    expect(stderr).toMatch(/^STEPS {5}\d+ will change · .*\n(?:.+\n)+\n\d{4}-/m);
  });
});

describe('streams', () => {
  test('results go to standard output, progress with its time to standard error; without a terminal no colours', async () => {
    const { run } = open(localHarness(TWO));
    const plan = await run(['plan', 'test.yaml']);
    expect([plan.stderr, plan.stdout]).toEqual(['', expect.stringContaining('\nSTEPS     2 will change · ')]);
    const apply = await run(['apply', 'test.yaml', '-y']);
    expect(apply.stdout).toContain('✓ Try: done in ');
    const time = String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z`;
    const lines = apply.stderr.split('\n');
    expect(lines.slice(0, 2)).toEqual([
      'Try · 1 host   READY',
      expect.stringMatching(/^PLAN at .*, not started yet · /),
    ]);
    const totals = lines.findIndex((l) => l.startsWith('STEPS     2 will change · '));
    expect(lines.slice(totals + 2).every((l) => new RegExp(`^${time} `).test(l))).toBe(true);
    expect(apply.stderr).toMatch(new RegExp(`^${time}   ✓ a  one  `, 'm'));
    expect(`${plan.stdout}${apply.stdout}${apply.stderr}`).not.toContain(ESCAPE);
  });

  test('--json: NDJSON on standard output that begins with its version, nothing on standard error', async () => {
    const { run } = open(localHarness(TWO));
    for (const [verb, args] of [
      ['plan', ['plan', 'test.yaml', '--json']],
      ['apply', ['apply', 'test.yaml', '-y', '--json']],
    ] as const) {
      const ran = await run(args);
      const [version, ...all] = linesOf(ran.stdout);
      const events = all.slice(0, -1);
      expect([version, ran.stderr]).toEqual([{ format: 'runbook-events', version: 1, verb }, '']);
      expect(events.map((e) => e['seq'])).toEqual(events.map((_, i) => i + 1));
      expect(events.at(-1)?.['event']).toMatchObject({ e: 'run-ended', as: 'done' });
      expect(all.at(-1)?.['event']).toMatchObject({ e: 'summary', state: 'done', exit: 0, counts: { changed: 2 } });
    }
    expect(linesOf((await run(['runs', '--json'])).stdout)).toEqual([
      { format: 'runbook-runs', version: 1 },
      {
        ...{ run: expect.any(String), ended: 'done', changed: 2, playbook: 'Try', unfinished: false },
        parts: [expect.objectContaining({ verb: 'apply' })],
      },
    ]);
    const shown = linesOf((await run(['show', '--json'])).stdout);
    expect([shown[0], shown.at(-1)]).toEqual([
      { format: 'runbook-events', version: 1, verb: 'show' },
      expect.objectContaining({ event: expect.objectContaining({ e: 'summary' }) }),
    ]);
  });

  test('a reader that goes away does not end a run', async () => {
    const { start, path } = open(
      localHarness(onePlay(Array.from({ length: 12 }, (_, i) => touch(`step ${i}`, `file-${i}`)).join(''))),
    );
    const running = start(['apply', 'test.yaml', '-y', '--json']);
    running.stdout.once('data', () => running.stdout.destroy());
    await running;
    expect(existsSync(path('file-11'))).toBe(true);
  });

  test('what a host prints cannot steer the terminal, nor write lines of its own', async () => {
    const { run } = open(
      localHarness(
        onePlay(
          String.raw`      - step: evil
        command: { argv: [printf, '\033]0;owned\007\033[2J\r✓ a  fine\n\xc2\x9b31m'], changes: everything, expect: never, timeout: 10s }
`,
        ),
      ),
    );
    const ran = await run(['apply', 'test.yaml', '-y', '-vvv']);
    expect(ran.exitCode).toBe(1);
    const shown = `${ran.stdout}${ran.stderr}`;
    expect(shown).toContain(String.raw`\x1b]0;owned\x07\x1b[2J\x0d`);
    // eslint-disable-next-line no-control-regex -- these are what must not reach a terminal
    expect(shown).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/);
  });
});

describe('the output', () => {
  test('a plan changes nothing, and prints the command that applies it', async () => {
    const { run, path, runs } = open(localHarness(TWO));
    const { stdout } = await run(['plan', 'test.yaml', '-i', 'inventory.yaml', '-l', 'a', '-v']);
    expect([existsSync(path('one')), runs()]).toEqual([false, []]);
    expect(stdout).toMatch(/To apply: {2}runbook apply test.yaml -i inventory.yaml -l a$/);
  });

  test('a plan with nothing left to do says so, and suggests no apply', async () => {
    const { run } = open(localHarness(TWO));
    await run(['apply', 'test.yaml', '-y']);
    const { stdout, exitCode } = await run(['plan', 'test.yaml']);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/\nNothing to do\.$/);
    expect(stdout).not.toContain('To apply');
  });

  test.each([['--dry-run'], ['--check'], ['-C']])('apply %s is plan', async (flag) => {
    const { run, runs } = open(localHarness(TWO));
    const { stdout } = await run(['apply', 'test.yaml', flag]);
    const timeless = (text: unknown): string => String(text).replace(/^DRY RUN.*$/m, '');
    expect([timeless(stdout), runs()]).toEqual([timeless((await run(['plan', 'test.yaml'])).stdout), []]);
  });

  test('-v also what is right, -vv also what is skipped, -vvv also what each effect came to', async () => {
    const { run } = open(
      localHarness(
        onePlay(
          `      - step: right\n        command: { argv: ["true"], creates: "@/inventory.yaml", changes: nothing, timeout: 10s }\n      - step: left out\n        when: 1 == 2\n        command: { argv: ["true"], changes: everything, timeout: 10s }\n      - step: talks\n        command: { argv: [echo, hello there], changes: everything, timeout: 10s }\n`,
        ),
      ),
    );
    const progress = async (...v: readonly string[]): Promise<string> =>
      (await run(['apply', 'test.yaml', '-y', ...v])).stderr;
    const [plain, v, vv, vvv] = [await progress(), await progress('-v'), await progress('-vv'), await progress('-vvv')];
    expect([plain, v, vv, vvv].map((t) => t.includes('= a  right'))).toEqual([false, true, true, true]);
    expect([plain, v, vv, vvv].map((t) => t.includes('- a  left out: skipped'))).toEqual([false, false, true, true]);
    expect([plain, v, vv, vvv].map((t) => /status 0\n +hello there/.test(t))).toEqual([false, false, false, true]);
  });

  test('--diff shows the whole of what changes, and without it the first lines', async () => {
    const lines = Array.from({ length: 40 }, (_, i) => `line ${i}`).join('\\n');
    const { run } = open(
      localHarness(
        onePlay(`      - step: write\n        file: { path: "@/text", state: file, content: "${lines}\\n" }\n`),
      ),
    );
    expect((await run(['plan', 'test.yaml', '--detail'])).stdout).toMatch(/more lines \(--diff\)/);
    expect((await run(['plan', 'test.yaml', '--diff'])).stdout).toContain('+line 39');
    const applied = await run(['apply', 'test.yaml', '-y', '-D']);
    expect([applied.stderr.includes('+line 39'), applied.stdout.includes('+line 39')]).toEqual([true, true]);
  });

  test('tags choose steps', async () => {
    const { run, path } = open(localHarness(TWO));
    await run(['apply', 'test.yaml', '-y', '--tags', 'late']);
    expect([existsSync(path('one')), existsSync(path('two'))]).toEqual([false, true]);
  });

  test('--start-at-step leaves out what comes before, asks which of several is meant, and a resume remembers it', async () => {
    const { run, path, journalOf, runs } = open(
      localHarness(FAILS.replace('echo no such luck >&2; exit 7', 'test -e @/fixed')),
    );
    expect((await run(['apply', 'test.yaml', '-y', '--start-at-step', 'two'])).exitCode).toBe(1);
    writeFileSync(path('fixed'), '');
    expect((await run(['resume', '-y'])).exitCode).toBe(0);
    expect([existsSync(path('one')), existsSync(path('three'))]).toEqual([false, true]);
    expect(journalOf(runs()[0] ?? '').some((r) => JSON.stringify(r.event).includes('Work/one'))).toBe(false);
    const twice = open(localHarness(`${TWO}  - play: Again\n    hosts: all\n    steps:\n${touch('two', 'three')}`));
    const { stderr, exitCode } = await twice.run(['plan', 'test.yaml', '--start-at-step', 'two']);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('--start-at-step "Again / two"')]);
    expect((await twice.run(['plan', 'test.yaml', '--start-at-step', 'Again / two'])).stdout).toContain(
      '\nSTEPS     1 will change · ',
    );
  });

  test('the inventory of the environment is taken when none is named', async () => {
    const { run, write } = open(localHarness(TWO));
    write(
      'other.yaml',
      'platform: {}\nendpoints: {}\nsecrets: {}\nhosts:\n  zed: { address: 127.0.0.1, machine: local }\n',
    );
    const listed = await run(['plan', 'test.yaml', '--list-hosts'], { env: { RUNBOOK_INVENTORY: 'other.yaml' } });
    expect(listed.stdout).toContain('zed');
  });

  test('the shipped playbooks are found from an empty directory', async () => {
    const { run } = open(openHarness());
    expect((await run(['validate', 'upgrade-4.14.yaml'])).exitCode).toBe(0);
  });
});
