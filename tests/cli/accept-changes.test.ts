import { writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { localHarness, onePlay, touch, type Harness } from './cli-harness.js';

const inventory = (file: string, hosts = 'a: { address: 127.0.0.1, machine: local }'): string =>
  `platform: {}\nendpoints: {}\nsecrets: {}\nvars: { wanted: ${file} }\nhosts:\n  ${hosts}\n`;

const STEPS = `${touch('one', 'one')}      - step: need the file
        command: { argv: [test, -e, "@/{{vars.wanted}}"], changes: everything, repeatable: true, timeout: 10s }
`;

let harness: Harness;
beforeEach(() => {
  harness = localHarness(onePlay(STEPS));
  harness.write('inventory.yaml', inventory('wrong'));
  writeFileSync(harness.path('right'), '');
});
afterEach(() => harness.end());

describe('resume after the inventory was corrected', () => {
  test('shows the edit and does not use it, unless told to; a later resume keeps what was accepted', async () => {
    const { run, write } = harness;
    expect((await run(['apply', 'test.yaml', '-y'])).exitCode).toBe(1);
    write('inventory.yaml', inventory('right'));
    const without = await run(['resume', '-y']);
    expect(without.exitCode).toBe(1);
    expect(without.stderr).toContain('-vars: { wanted: wrong }\n+vars: { wanted: right }');
    expect(without.stderr).toContain('The edit above is not used. To use it: runbook resume --accept-changes');
    write('inventory.yaml', inventory('wrong again'));
    expect((await run(['resume', '-y', '--accept-changes'])).exitCode).toBe(1);
    write('inventory.yaml', inventory('right'));
    expect((await run(['resume', '-y', '--accept-changes'])).exitCode).toBe(0);
  });

  test('refuses a file that the run did not begin with: it would not be used', async () => {
    const { run, write } = harness;
    await run(['apply', 'test.yaml', '-y']);
    write('more.yaml', 'vars: { wanted: right }\n');
    const refused = await run(['resume', '-y', '-i', 'inventory.yaml', '-i', 'more.yaml']);
    expect([refused.exitCode, refused.stderr]).toEqual([
      2,
      expect.stringMatching(/ was begun with fewer inventory files than are named here; .*\n {2}runbook resume$/),
    ]);
  });

  test('close shows the edit, too, and goes without it', async () => {
    const { run, write } = harness;
    await run(['apply', 'test.yaml', '-y']);
    write('inventory.yaml', inventory('right'));
    const { exitCode, stderr } = await run(['close', '--dry-run']);
    expect([exitCode, stderr]).toEqual([0, expect.stringContaining('+vars: { wanted: right }\n')]);
    expect(stderr).toContain('inventory.yaml: edited since the run started. The edit above is not used by close.');
  });

  test('takes one value with -e, and keeps it; an earlier copy in its place is named', async () => {
    const { run, runs, read, write } = harness;
    await run(['apply', 'test.yaml', '-y']);
    const copy = `.runbook/runs/${runs()[0] ?? ''}/copy.json`;
    const earlier = read(copy);
    const kept = await run(['resume', '-y', '-e', 'wanted=neither']);
    expect([kept.exitCode, kept.stderr]).toEqual([1, expect.not.stringContaining('copy.json')]);
    expect(read(copy)).toContain('"wanted":"neither"');
    write(copy, earlier);
    const resumed = await run(['resume', '-y', '-e', 'wanted=right']);
    expect([resumed.exitCode, resumed.stderr]).toEqual([
      0,
      expect.stringContaining('copy.json is not the copy with which this run last continued'),
    ]);
  });

  test('refuses an inventory that is wrong, or without a host that the run has worked on; the run stays as it was', async () => {
    const { run, write, runs, read } = harness;
    await run(['apply', 'test.yaml', '-y']);
    const copy = (): string => read(`.runbook/runs/${runs()[0] ?? ''}/copy.json`);
    const before = copy();
    write('inventory.yaml', inventory('right', 'b: { address: 127.0.0.2, machine: local }'));
    const gone = await run(['resume', '-y', '--accept-changes']);
    expect([gone.exitCode, gone.stderr]).toEqual([3, expect.stringContaining('the edited inventory lacks a,')]);
    write('inventory.yaml', 'hosts: 5\n');
    expect((await run(['resume', '-y', '--accept-changes'])).exitCode).toBe(2);
    expect(copy()).toBe(before);
  });

  test('begins nothing where the edit breaks what its plays require, as its page says', async () => {
    const { run, write, runs, read } = harness;
    write(
      'platform.yaml',
      `${read('platform.yaml')}checks:\n  ours: { description: File is ours, that: vars.wanted != "theirs" }\n`,
    );
    // What was begun is completed in any case; the play after it is what the rule is for.
    const later = `  - play: Later\n    hosts: all\n    requires: [ours]\n    steps:\n${touch('two', 'two')}`;
    write('test.yaml', onePlay(STEPS) + later);
    await run(['apply', 'test.yaml', '-y']);
    const journal = (): string => read(`.runbook/runs/${runs()[0] ?? ''}/journal.ndjson`);
    const before = journal();
    write('inventory.yaml', inventory('theirs'));
    for (const options of [[], ['--dry-run']]) {
      const ran = await run(['resume', '-y', '--accept-changes', ...options]);
      expect([ran.exitCode, ran.stdout]).toEqual([3, expect.stringContaining('check failed: File is ours')]);
    }
    expect(journal()).toBe(before);
    write('inventory.yaml', inventory('right'));
    expect((await run(['resume', '-y', '--accept-changes'])).exitCode).toBe(0);
  });
});
