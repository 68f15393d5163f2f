import { afterEach, describe, expect, test } from '@jest/globals';
import { appendFileSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { thisHolder } from '../../engine/journal/holder.js';
import { takeLock } from '../../engine/journal/lock.js';
import { stampOf } from '../../engine/journal/run-folder.js';
import { wholeLines } from '../../engine/lib/lines.js';
import { archiveOf } from '../../engine/store/archive.js';
import { brokenPlatform, killedAt, UPGRADE_INDEXER } from './broken-platform.js';
import { localHarness, modelHarness, MODEL_SECRETS, onePlay, touch, type Harness } from './cli-harness.js';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});
const open = (made: Harness): Harness => {
  ends.push(made.end);
  return made;
};

/** Fails until the file `fixed` exists. */
const STOPS = onePlay(
  `${touch('first', 'first')}      - step: maybe
        command: { argv: [test, -e, "@/fixed"], changes: everything, timeout: 10s }
${touch('last', 'last')}`,
);
const FILE = 'run.tar.gz';
const soon = <T>(value: T): Promise<T> => Promise.resolve(value);

/** A run that failed in the middle, and its export. */
async function failed(): Promise<Harness & { readonly id: string }> {
  const made = open(localHarness(STOPS));
  await made.run(['apply', 'test.yaml', '-y']);
  const id = made.runs()[0] ?? '';
  expect(await made.run(['runs', '--export', 'last', '-o', FILE])).toMatchObject({
    exitCode: 0,
    stdout: expect.stringMatching(new RegExp(`^Written to run\\.tar\\.gz: the run ${id}, \\d+ records, \\d.* kB$`)),
  });
  return { ...made, id };
}
const take = ({ run }: Harness, ...more: readonly string[]) => run(['runs', '--import', FILE, ...more]);
const lose = ({ path }: Harness): void => rmSync(path('.runbook'), { recursive: true });

describe('runs --export and --import', () => {
  test('a failed run whose folder is lost is shown, reported and resumed to its end', async () => {
    const lab = await failed();
    const { run, path, id } = lab;
    const shown = (await run(['show'])).stdout;
    expect(statSync(path(FILE)).mode & 0o777).toBe(0o600);
    lose(lab);
    expect(await take(lab)).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(new RegExp(`^Imported the run ${id}: \\d+ records\n[^]*runbook resume`)),
    });
    expect(readdirSync(path('.runbook')).sort()).toEqual(['locks', 'runs']);
    expect((await run(['show'])).stdout).toBe(shown);
    expect((await run(['report'])).exitCode).toBe(0);
    writeFileSync(path('fixed'), '');
    expect(await run(['resume', '-y'])).toMatchObject({ exitCode: 0 });
    expect(lab.runs()).toEqual([id]);
  });

  test('another folder has its own paths, and the same export', async () => {
    const [one, other] = [await failed(), open(localHarness(STOPS))];
    cpSync(one.path(FILE), other.path(FILE));
    await take(other);
    other.write('fixed', '');
    const copy = readFileSync(other.path(`.runbook/runs/${one.id}/copy.json`), 'utf8');
    expect([copy.includes(other.folder), copy.includes(`${one.folder}/inventory.yaml`)]).toEqual([true, false]);
    await other.run(['runs', '--export', one.id, '-o', 'again.tar.gz']);
    const tars = [one.path(FILE), other.path('again.tar.gz')].map((file) => gunzipSync(readFileSync(file)));
    expect(tars[0]?.equals(tars[1] ?? Buffer.alloc(0))).toBe(true);
  });

  test('a run that is here: again adds nothing, an export that goes on adds what is missing, an older one nothing', async () => {
    const lab = await failed();
    const { run, path, id } = lab;
    expect(await take(lab)).toMatchObject({ exitCode: 0, stdout: expect.stringContaining(`${id} is here already;`) });
    cpSync(path('.runbook'), path('before'), { recursive: true });
    writeFileSync(path('fixed'), '');
    await run(['resume', '-y']);
    const after = lab.journalOf(id);
    expect(await take(lab)).toMatchObject({ exitCode: 0, stdout: expect.stringContaining(`${id} is here already;`) });
    expect(lab.journalOf(id)).toEqual(after);
    await run(['runs', '--export', id, '-o', 'whole.tar.gz']);
    lose(lab);
    cpSync(path('before'), path('.runbook'), { recursive: true });
    expect((await run(['runs', '--import', 'whole.tar.gz'])).stdout).toMatch(/^Imported \d+ records that the run /);
    expect(lab.journalOf(id)).toEqual(after);
    expect((await run(['runs'])).stdout).toMatch(/ done /);
  });

  test('a run that is here and was continued otherwise is refused, and left as it is', async () => {
    const lab = await failed();
    const { run, path, id } = lab;
    cpSync(path('.runbook'), path('before'), { recursive: true });
    writeFileSync(path('fixed'), '');
    await run(['resume', '-y']);
    await run(['runs', '--export', id, '-o', 'whole.tar.gz']);
    lose(lab);
    cpSync(path('before'), path('.runbook'), { recursive: true });
    await run(['close', '-y']);
    const closed = lab.journalOf(id);
    const refused = await run(['runs', '--import', 'whole.tar.gz']);
    expect([refused.exitCode, refused.stderr]).toEqual([
      3,
      expect.stringMatching(
        new RegExp(`^runbook: the run ${id} is here already and was continued otherwise: record \\d+ differs`),
      ),
    ]);
    expect(lab.journalOf(id)).toEqual(closed);
  });

  test('an unfinished run that is older than another one here is imported with a warning', async () => {
    const lab = await failed();
    const { run, path, id } = lab;
    lose(lab);
    expect((await take(lab)).stderr).toBe('');
    lose(lab);
    writeFileSync(path('fixed'), '');
    // Names of runs are to the second.
    while (stampOf(Date.now()) === id) await new Promise(setImmediate);
    await run(['apply', 'test.yaml', '-y']);
    const [later = ''] = lab.runs();
    expect(await take(lab)).toMatchObject({
      exitCode: 0,
      stderr: expect.stringContaining(`The run ${id} is unfinished, and the later run ${later} is here, too.`),
    });
  });

  test('while another process works with the inventory it is refused', async () => {
    const lab = await failed();
    lose(lab);
    const folder = lab.path('.runbook/locks/inventory.yaml');
    await takeLock(folder, thisHolder('apply', lab.path('inventory.yaml'), Date.now()), () => Promise.resolve());
    const refused = await take(lab);
    expect([refused.exitCode, refused.stderr, lab.runs()]).toEqual([5, expect.stringContaining('is in use by'), []]);
  });

  test('a run of another inventory, or of the model, is refused', async () => {
    const lab = await failed();
    lose(lab);
    lab.write('hosts.yaml', lab.read('inventory.yaml'));
    const other = await take(lab, '-i', 'hosts.yaml');
    expect([other.exitCode, other.stderr]).toEqual([
      3,
      `runbook: the run in ${FILE} is of another inventory: inventory.yaml, not hosts.yaml\n  name its own inventory: -i`,
    ]);
    lab.write('inventory.yaml', `model: {}\n${lab.read('inventory.yaml')}`);
    const model = await take(lab);
    expect([model.exitCode, model.stderr, lab.runs()]).toEqual([
      3,
      expect.stringContaining(`the run in ${FILE} is of real hosts; the inventory is of the model`),
      [],
    ]);
  });

  test.each([
    ['not there', (file: string) => rmSync(file), 'cannot be read (ENOENT)'],
    ['truncated', (file: string) => writeFileSync(file, readFileSync(file).subarray(0, 900)), 'is truncated'],
    ['no export', (file: string) => writeFileSync(file, 'hosts:\n'), 'is not an export of a run'],
  ])('a file that is %s is refused, and nothing is left of it', async (_what, damage, reason) => {
    const lab = await failed();
    lose(lab);
    damage(lab.path(FILE));
    const refused = await take(lab);
    expect([refused.exitCode, refused.stderr.split('\n').length, lab.runs()]).toEqual([2, 1, []]);
    expect(refused.stderr).toContain(`runbook: ${FILE} ${reason}`);
  });

  test('of a damaged run, or to a file that exists or cannot be written, nothing is exported', async () => {
    const lab = await failed();
    const { run, path, id } = lab;
    const before = readFileSync(path(FILE));
    const exists = await run(['runs', '--export', 'last', '-o', FILE]);
    expect([exists.exitCode, exists.stderr]).toEqual([2, expect.stringContaining(`${FILE} exists`)]);
    expect(readFileSync(path(FILE)).equals(before)).toBe(true);
    const nowhere = await run(['runs', '--export', 'last', '-o', 'away/run.tar.gz']);
    expect([nowhere.exitCode, nowhere.stderr]).toEqual([3, expect.stringContaining('(ENOENT)')]);
    const unknown = await run(['runs', '--export', '2020', '-o', 'other.tar.gz']);
    expect([unknown.exitCode, unknown.stderr]).toEqual([2, expect.stringContaining('unknown run 2020')]);
    appendFileSync(join(path('.runbook/runs'), id, 'journal.ndjson'), '{}\n');
    const damaged = await run(['runs', '--export', 'last', '-o', 'other.tar.gz']);
    expect([damaged.exitCode, damaged.stderr]).toEqual([3, expect.stringContaining('the journal is damaged')]);
    expect(readdirSync(path('')).filter((name) => name.includes('other'))).toEqual([]);
  });

  test.each([
    ['with other names of events', /"journal":\d+,/g, '"journal":1,'],
    ['before records had checksums', /^\{"sum":"[0-9a-f]+",("journal":\d+,)?/gm, '{'],
  ])(
    'of an earlier version, %s, is refused with the version that wrote it, and nothing is left of it',
    async (_when, now, before) => {
      const lab = await failed();
      const journal = readFileSync(join(lab.path('.runbook/runs'), lab.id, 'journal.ndjson'), 'utf8');
      const lines = wholeLines(Buffer.from(journal.replaceAll(now, before)));
      const source = { read: () => soon(lines), listBlobs: () => soon([]), getBlob: () => soon(undefined) };
      writeFileSync(lab.path(FILE), (await archiveOf(source, lab.id, '0.0.9')) as Buffer);
      lose(lab);
      const refused = await take(lab);
      expect([refused.exitCode, refused.stderr.split('\n'), lab.runs()]).toEqual([
        3,
        [`runbook: the run in ${FILE} is of another version of runbook (0.0.9)`],
        [],
      ]);
    },
  );

  test.each([
    [['--export', 'last'], 'an export needs a run and a file'],
    [['-o', 'x'], 'an export needs a run and a file'],
    [['--export', 'last', '-o', 'x', '--import', 'y'], 'exclude each other'],
    [['--import', 'y', '--json'], 'exclude each other'],
  ])('%j is one mistake', async (args, mistake) => {
    const { run } = open(localHarness(STOPS));
    const refused = await run(['runs', ...args]);
    expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining(mistake)]);
  });

  test('an upgrade of the model that was killed is resumed to its end from its export', async () => {
    const lab = open(modelHarness('{ socket: model.sock }'));
    const { served, watch } = await brokenPlatform(lab, []);
    ends.unshift(() => served.close());
    const env = MODEL_SECRETS;
    await killedAt(lab, watch, ['apply', 'upgrade-4.14.yaml', '-y'], UPGRADE_INDEXER, 2);
    expect((await lab.run(['runs', '--export', 'last', '-o', FILE])).exitCode).toBe(0);
    expect(gunzipSync(readFileSync(lab.path(FILE))).includes(env.RUNBOOK_DEMO_INDEXER_PASSWORD)).toBe(false);
    lose(lab);
    mkdirSync(lab.path('.runbook'));
    expect((await take(lab)).exitCode).toBe(0);
    expect(await lab.run(['resume', '-y'], { env })).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('done in '),
    });
  });
});
