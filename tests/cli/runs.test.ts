import { afterEach, describe, expect, test } from '@jest/globals';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { seal } from '../../engine/lib/sealed.js';
import { localHarness, onePlay, program, touch, type Harness } from './cli-harness.js';

let harness: Harness | undefined;
const open = (made: Harness): Harness => (harness = made);
afterEach(() => {
  harness?.end();
  harness = undefined;
});

/** Makes a temporary change, then fails until the file `fixed` exists. */
const STOPS = onePlay(
  `      - step: open the gate
        id: gate
        command: { argv: [touch, "@/open"], creates: "@/open", changes: ["@/open"], timeout: 10s }
        temporary:
          no_restore_after: gate
          command: { argv: [rm, -f, "@/open"], unless: { argv: [test, "!", -e, "@/open"] }, changes: ["@/open"], repeatable: true, timeout: 10s }
      - step: maybe
        command: { argv: [test, -e, "@/fixed"], changes: everything, timeout: 10s }
${touch('last', 'last')}`,
);

const SUM = '"sum":"0123456789abcdef",';
/** Records with the checksums of what they are now. */
const sealed = (lines: string): string =>
  lines.replaceAll(/^\{"sum":.*$/gm, (l) => seal(`{${l.slice(1 + SUM.length)}`));

describe('an unfinished run', () => {
  test('is shown with what is not restored yet, and resumed from its own copies whatever became of the files', async () => {
    const { run, write, path } = open(localHarness(STOPS));
    const failed = await run(['apply', 'test.yaml', '-y']);
    expect(failed.stdout).toContain('Temporary changes in effect: open the gate (a)');
    write('test.yaml', onePlay(touch('something else', 'edited')));
    rmSync(path('platform.yaml'));
    writeFileSync(path('fixed'), '');
    const resumed = await run(['resume', '-y']);
    expect([resumed.exitCode, resumed.stdout]).toEqual([0, expect.stringContaining('✓ Try: done in ')]);
    expect(['open', 'last', 'edited'].map((n) => existsSync(path(n)))).toEqual([false, true, false]);
  });

  test('is closed only after a yes', async () => {
    const { run, path } = open(localHarness(STOPS));
    await run(['apply', 'test.yaml', '-y']);
    const unasked = await run(['close']);
    expect([unasked.exitCode, existsSync(path('open'))]).toEqual([2, true]);
    expect(unasked.stderr).toContain('Will be restored, in this order:\n  1. undone on a: open the gate\n');
    const released = await run(['close', '-y']);
    expect([released.exitCode, existsSync(path('open')), released.stdout]).toEqual([
      0,
      false,
      expect.stringContaining('Run closed'),
    ]);
    expect((await run(['resume', '-y'])).exitCode).toBe(2);
    expect((await run(['runs'])).stdout).toMatch(/ closed +\d {2}Try$/m);
  });

  test('of another inventory is found with -i, and what to type says so', async () => {
    const { run, path } = open(localHarness(STOPS));
    mkdirSync(path('lab'));
    writeFileSync(path('lab/hosts.yaml'), readFileSync(path('inventory.yaml')));
    const failed = await run(['apply', 'test.yaml', '-y', '-i', 'lab/hosts.yaml']);
    expect(failed.stdout).toMatch(/1 {2}runbook resume -i lab\/hosts\.yaml +fix the cause first/m);
    expect((await run(['runs'])).stdout).toMatch(/^no runs in /);
    writeFileSync(path('fixed'), '');
    expect((await run(['resume', '-y', '-i', 'lab/hosts.yaml'])).exitCode).toBe(0);
  });
});

describe('runs and show', () => {
  test('runs lists the newest first; show takes the beginning of a name, and the newest without one', async () => {
    const { run, runs } = open(localHarness(onePlay(touch('one', 'one'))));
    await run(['apply', 'test.yaml', '-y']);
    await run(['apply', 'test.yaml', '-y']);
    const [first = '', second = ''] = runs();
    const { stdout } = await run(['runs']);
    expect(stdout.split('\n').map((l) => l.split(/ +/).slice(0, 3))).toEqual([
      ['RUN', 'ENDED', 'CHANGED'],
      [second, 'done', '0'],
      [first, 'done', '1'],
    ]);
    expect((await run(['show'])).stdout).toContain(' 0 changed');
    expect((await run(['show', first])).stdout).toContain(' 1 changed');
    expect((await run(['show', second.slice(0, -1)])).exitCode).toBe(first.startsWith(second.slice(0, -1)) ? 2 : 0);
    const several = await run(['show', '20']);
    expect([several.exitCode, several.stderr]).toEqual([
      2,
      expect.stringContaining(`several runs match 20:\n  ${first}\n  ${second}`),
    ]);
    const none = await run(['show', `${first.slice(0, -2)}xx`]);
    expect([none.exitCode, none.stderr]).toEqual([2, expect.stringContaining('did you mean ')]);
  });
});

test('a run folder can be read by its owner alone, whatever the umask', async () => {
  const { folder, runs, path } = open(localHarness(onePlay(touch('one', 'one'))));
  await execa('sh', ['-c', 'umask 000; exec "$0" "$@"', process.execPath, program, 'apply', 'test.yaml', '-y'], {
    cwd: folder,
  });
  const modeOf = (name: string): string => (statSync(join(path('.runbook'), name)).mode & 0o777).toString(8);
  const run = join('runs', runs()[0] ?? '');
  expect(['', 'runs', run].map(modeOf)).toEqual(['700', '700', '700']);
  expect(['journal.ndjson', 'copy.json', 'run.log'].map((n) => modeOf(join(run, n)))).toEqual(['600', '600', '600']);
});

describe('a damaged journal', () => {
  const damage = async (how: (journal: string) => void): Promise<Harness> => {
    const made = open(localHarness(STOPS));
    await made.run(['apply', 'test.yaml', '-y']);
    how(made.path(`.runbook/runs/${made.runs()[0] ?? ''}/journal.ndjson`));
    return made;
  };
  const editLines = (edit: (lines: string[]) => readonly string[]) => (file: string) =>
    writeFileSync(
      file,
      edit(readFileSync(file, 'utf8').trimEnd().split('\n'))
        .map((l) => `${l}\n`)
        .join(''),
    );
  const HOW: readonly (readonly [string, (file: string) => void])[] = [
    ['a line that is no JSON', editLines((l) => l.with(2, '{"seq":3,'))],
    ['a line that is no event', editLines((l) => l.with(2, '{"seq":3}'))],
    ['a line that is missing', editLines((l) => l.toSpliced(2, 1))],
  ];

  test.each(HOW)('%s: every verb says where, in words, and nothing is done', async (_what, how) => {
    const { run, path } = await damage(how);
    for (const args of [['apply', 'test.yaml', '-y'], ['resume', '-y'], ['close', '-y'], ['show']]) {
      const { stderr, exitCode } = await run(args);
      expect([exitCode, stderr]).toEqual([3, expect.stringMatching(/journal\.ndjson:3: the journal is damaged\n/)]);
      expect(stderr).not.toMatch(/^\s+at /m);
    }
    expect(existsSync(path('last'))).toBe(false);
    expect((await run(['runs'])).stdout).toMatch(/ damaged /);
  });

  test.each<[string, (file: string) => void]>([
    ['its end is missing', (file) => editLines((l) => l.slice(0, 5))(file)],
    ['it is empty', (file) => writeFileSync(file, '')],
    ['it was deleted', (file) => rmSync(file)],
  ])('%s: noticed by the marker beside it, and nothing is done', async (_what, how) => {
    const { run, path } = await damage(how);
    for (const args of [['apply', 'test.yaml', '-y'], ['resume', '-y'], ['close', '-y'], ['show']]) {
      const { stderr, exitCode } = await run(args);
      expect([exitCode, stderr]).toEqual([
        3,
        expect.stringMatching(/:[16]: the journal ends here, and record \d+ was written \(a copy /),
      ]);
    }
    expect(existsSync(path('last'))).toBe(false);
    expect((await run(['runs'])).stdout).toMatch(/ damaged /);
  });

  test('a copy that was made during the run goes on without the marker', async () => {
    const { run, path, runs } = await damage(editLines((l) => l.slice(0, -2)));
    writeFileSync(path('fixed'), '');
    expect((await run(['resume', '-y'])).exitCode).toBe(3);
    rmSync(path(`.runbook/runs/${runs()[0] ?? ''}/journal.ndjson.end`));
    expect((await run(['resume', '-y'])).exitCode).toBe(0);
    expect(existsSync(path('last'))).toBe(true);
  });

  test('it hides no other: an unfinished run beside it is listed and resumed, and show has what can be read', async () => {
    const { run, path, runs } = await damage(() => undefined);
    const [healthy = ''] = runs();
    const other = `${healthy.slice(0, -1)}0-2`.replace('20', '21');
    cpSync(path(`.runbook/runs/${healthy}`), path(`.runbook/runs/${other}`), { recursive: true });
    editLines((l) => l.with(-2, (l.at(-2) ?? '').replace('"event"', '"Event"')))(
      path(`.runbook/runs/${other}/journal.ndjson`),
    );
    const listed = (await run(['runs'])).stdout;
    expect(listed).toMatch(new RegExp(`^${other} +damaged [^]*^${healthy} +failed .*\\(unfinished\\)`, 'm'));
    const shown = await run(['show', other]);
    expect([shown.exitCode, shown.stdout]).toEqual([3, expect.stringContaining('open the gate')]);
    writeFileSync(path('fixed'), '');
    const resumed = await run(['resume', '-y']);
    expect([resumed.exitCode, resumed.stderr]).toEqual([0, expect.stringContaining('the journal is damaged')]);
    // Whether the damaged run is finished is not known: nothing new begins beside it.
    expect((await run(['apply', 'test.yaml', '-y'])).exitCode).toBe(3);
  });

  describe.each([
    ['with other names of events', ['journal.ndjson'], /"journal":\d+,/g, '"journal":1,'],
    ['before journals had a version', ['journal.ndjson'], /"journal":\d+,/g, ''],
    ['before records had checksums', ['journal.ndjson', 'copy.json'], /^\{"sum":"[0-9a-f]+",("journal":\d+,)?/gm, '{'],
  ])('of a run of an earlier version, %s', (_when, names, now, before) => {
    const earlier = async (playbook: string): Promise<Harness> => {
      const made = open(localHarness(playbook));
      await made.run(['apply', 'test.yaml', '-y']);
      for (const name of names) {
        const file = made.path(`.runbook/runs/${made.runs()[0] ?? ''}/${name}`);
        writeFileSync(file, sealed(readFileSync(file, 'utf8').replaceAll(now, before)));
      }
      return made;
    };

    test('that did not end: what it is and what to type; another inventory is not concerned, and moved away it is no obstacle', async () => {
      const { run, path, runs } = await earlier(STOPS);
      const id = runs()[0] ?? '';
      for (const args of [['apply', 'test.yaml', '-y'], ['resume', '-y'], ['show']]) {
        const { stderr, exitCode } = await run(args);
        expect([exitCode, stderr]).toEqual([
          3,
          expect.stringContaining(`the run ${id} was made by another version of runbook and did not end`),
        ]);
      }
      expect((await run(['runs'])).stdout).toMatch(/ earlier /);
      writeFileSync(path('fixed'), '');
      writeFileSync(path('other.yaml'), readFileSync(path('inventory.yaml')));
      expect((await run(['apply', 'test.yaml', '-y', '-i', 'other.yaml'])).exitCode).toBe(0);
      const { stderr } = await run(['apply', 'test.yaml', '-y']);
      await execa('sh', ['-c', /mkdir -p .*/.exec(stderr)?.[0] ?? 'false']);
      expect((await run(['apply', 'test.yaml', '-y'])).exitCode).toBe(0);
    });

    test('that ended: no obstacle', async () => {
      const { run } = await earlier(onePlay(touch('one', 'one')));
      expect((await run(['apply', 'test.yaml', '-y'])).exitCode).toBe(0);
      expect((await run(['runs'])).stdout).toMatch(/ done [^]* earlier /);
    });
  });

  describe('of a run of the version before, whose records do not follow one another', () => {
    const unchained = async (playbook: string): Promise<Harness> => {
      const made = open(localHarness(playbook));
      await made.run(['apply', 'test.yaml', '-y']);
      const file = made.path(`.runbook/runs/${made.runs()[0] ?? ''}/journal.ndjson`);
      const lines = readFileSync(file, 'utf8').replace(/"journal":\d+,/, '"journal":3,');
      writeFileSync(file, sealed(lines.replace(/,"nonce":"[0-9a-f]+"/, '')));
      rmSync(`${file}.end`);
      return made;
    };

    test('that did not end: it is shown and closed, and the refusal to resume says with what', async () => {
      const { run, path, runs } = await unchained(STOPS);
      const id = runs()[0] ?? '';
      expect((await run(['runs'])).stdout).toMatch(/ failed /);
      expect((await run(['show'])).stdout).toContain('Temporary changes in effect: open the gate (a)');
      const { exitCode, stderr } = await run(['resume', '-y']);
      expect([exitCode, stderr]).toEqual([
        3,
        expect.stringMatching(new RegExp(`the run ${id} was begun with an earlier runbook [^]*runbook close`)),
      ]);
      expect((await run(['close', '-y'])).exitCode).toBe(0);
      expect(existsSync(path('open'))).toBe(false);
      expect((await run(['show', id])).stdout).toContain('closed');
      expect((await run(['apply', 'test.yaml', '-y', '--json'])).exitCode).toBe(1);
    });

    test('that ended: no obstacle; damage of one is named', async () => {
      const { run, path, runs } = await unchained(onePlay(touch('one', 'one')));
      const file = path(`.runbook/runs/${runs()[0] ?? ''}/journal.ndjson`);
      expect((await run(['runs'])).stdout).toMatch(/ done /);
      expect((await run(['report'])).exitCode).toBe(0);
      writeFileSync(file, readFileSync(file, 'utf8').replace('"e":"settled"', '"e":"settlee"'));
      expect((await run(['show'])).stderr).toMatch(/journal\.ndjson:\d+: the journal is damaged/);
    });
  });

  test('reading changes no byte and makes no file, whatever it finds', async () => {
    const { run, path, runs } = await damage((file) => appendFileSync(file, '{"sum":"00'));
    const id = runs()[0] ?? '';
    rmSync(path(`.runbook/runs/${id}/blobs`), { recursive: true, force: true });
    const all = (): readonly string[] =>
      readdirSync(path('.runbook'), { recursive: true, withFileTypes: true })
        .filter((e) => e.isFile())
        .map((e) => `${join(e.parentPath, e.name)} ${readFileSync(join(e.parentPath, e.name)).toString('hex')}`)
        .sort();
    const before = all();
    for (const args of [['runs'], ['runs', '--json'], ['show'], ['show', id, '--json'], ['diagnose']]) await run(args);
    expect([all(), existsSync(path(`.runbook/runs/${id}/blobs`))]).toEqual([before, false]);
  });

  test('a torn last line was never acted upon: the run goes on as if it were not there', async () => {
    const { run, path } = await damage((file) => appendFileSync(file, '{"seq":99,"atMs":1,"ev'));
    writeFileSync(path('fixed'), '');
    expect((await run(['resume', '-y'])).exitCode).toBe(0);
  });

  test('a copy of the playbook that is gone', async () => {
    const { run, path, runs } = open(localHarness(STOPS));
    await run(['apply', 'test.yaml', '-y']);
    rmSync(path(`.runbook/runs/${runs()[0] ?? ''}/copy.json`));
    const { stderr, exitCode } = await run(['resume', '-y']);
    expect([exitCode, stderr]).toEqual([
      3,
      expect.stringContaining("the run's copy of its playbook and inventory is damaged"),
    ]);
    const listed = await run(['runs']);
    expect([listed.exitCode, listed.stdout]).toEqual([0, expect.stringMatching(/^\S+ +damaged +1 {2}Try$/m)]);
    for (const verb of ['show', 'attach']) {
      const shown = await run([verb]);
      expect([shown.exitCode, shown.stdout]).toEqual([
        3,
        expect.stringContaining('Temporary changes in effect: open the gate'),
      ]);
      expect(shown.stderr).toContain("copy.json: the run's copy of its playbook and inventory is damaged");
    }
  });
});

test.each([['apply'], ['apply', '--detach']])('%j: a pipe has no place for its run', async (...args) => {
  const { folder, path } = open(localHarness(onePlay(touch('one', 'one'))));
  const piped = 'exec timeout 60 "$0" "$@" -i <(cat inventory.yaml)';
  const at = { cwd: folder, reject: false, stdin: 'ignore' } as const;
  const command = [process.execPath, program, ...args, 'test.yaml', '-y'];
  const { exitCode, stderr } = await execa('bash', ['-c', piped, ...command], at);
  expect([exitCode, stderr]).toEqual([2, expect.stringMatching(/kept beside it.*; write \/dev\/fd\/\d+ to a file/)]);
  expect(existsSync(path('one'))).toBe(false);
});

describe('a disk in the way', () => {
  test('no room for the journal: nothing more is done, one clear message, and once there is room the run goes on', async () => {
    const many = Array.from({ length: 14 }, (_, i) => touch(`step ${i}`, `file-${i}`)).join('');
    const { folder, run, path } = open(localHarness(onePlay(many)));
    // No file of this process may grow beyond 8 blocks of 512 bytes: a write fails there as on a full disk.
    const full = await execa(
      'sh',
      ['-c', 'ulimit -f 8; exec "$0" "$@"', process.execPath, program, 'apply', 'test.yaml', '-y'],
      { cwd: folder, reject: false, stdin: 'ignore' },
    );
    expect([full.exitCode, full.stderr]).toEqual([
      1,
      expect.stringMatching(/no space left in .*\n {2}Free some space/),
    ]);
    expect(full.stderr).not.toMatch(/^\s+at /m);
    expect([existsSync(path('file-0')), existsSync(path('file-13'))]).toEqual([true, false]);
    expect((await run(['resume', '-y'])).exitCode).toBe(0);
    expect(existsSync(path('file-13'))).toBe(true);
  });

  test('a file where the folder of the runs should be: refused before anything is done', async () => {
    const { run, path } = open(localHarness(onePlay(touch('one', 'one'))));
    writeFileSync(path('.runbook'), '');
    const { stderr, exitCode } = await run(['apply', 'test.yaml', '-y']);
    expect([exitCode, stderr, existsSync(path('one'))]).toEqual([
      3,
      expect.stringContaining('a file is where a directory is needed'),
      false,
    ]);
    expect(stderr).not.toMatch(/^\s+at /m);
  });
});
