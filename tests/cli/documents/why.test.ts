import { afterEach, expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { linesOf, localHarness, modelHarness, MODEL_SECRETS, onePlay, touch, type Harness } from '../cli-harness.js';

let harness: Harness;
afterEach(() => harness.end());

test('--why: where a step is written, its conditions and named checks, and what each host answered', async () => {
  harness = modelHarness('{ from: 4.12.0 }');
  const { exitCode, stdout } = await harness.run(
    ['plan', 'upgrade-4.14.yaml', '--why', 'Stop the node / Stop the indexer'],
    { env: MODEL_SECRETS },
  );
  expect(exitCode).toBe(2);
  expect(stdout).toBe('');
  const why = await harness.run(['plan', 'upgrade-4.14.yaml', '--why', 'Stop the indexer'], { env: MODEL_SECRETS });
  const written = readFileSync(join(import.meta.dirname, '../../../playbooks/indexer.yaml'), 'utf8').split('\n');
  const line = written.findIndex((text) => text.trim() === '- step: Stop the indexer') + 1;
  expect(why.stdout.replace(/ \/\S*\/playbooks\//g, ' ')).toBe(
    `Indexer / Upgrade each node / Stop the node / Stop the indexer   §9.4.5   indexer.yaml:${line}
  play                             only when not(indexers_upgraded)
                                   as indexer-1: installed.indexer is 4.12.0-1, not 4.14.7 (and 5 more)
  block                            only when not(indexer_current)
  step                             only when not(indexer_current)
  indexer-2, indexer-3, indexer-1  will change: platform-indexer stops
                                   as installed.indexer is 4.12.0-1, not 4.14.7

Named checks
  indexer_current: The indexer runs the target version
    installed.indexer == platform.target && !needs_restart.indexer
  indexers_upgraded: Every indexer is completely upgraded
    all_hosts.indexer.all(h, h.indexer_current && h.previous.indexer == platform.target)`,
  );
});

test('--why: a step that is skipped shows the values, a skipped play its reason; an unknown step contacts no host', async () => {
  const steps = `${touch('one', 'one')}        when: vars.size > 3\n`;
  harness = localHarness(
    `${onePlay(steps, 'vars: { size: 2 }')}  - play: Never\n    hosts: all\n    when: 1 == 2\n    steps:\n${touch('two', 'two')}`,
  );
  const why = async (name: string): Promise<string> => (await harness.run(['plan', 'test.yaml', '--why', name])).stdout;
  expect(await why('one')).toMatch(/^ {2}step +only when vars\.size > 3\n {2}a +skipped: vars\.size is 2, not > 3$/m);
  harness.write('test.yaml', harness.read('test.yaml').replace('size > 3', 'size > 1'));
  expect(await why('one')).toMatch(/^ {2}a +will change: .*\n +as vars\.size is 2/m);
  expect(await why('Never / two')).toMatch(/^ {2}play +only when 1 == 2\n {2}not done +the play is skipped: .*1/m);
  for (const [name, meant] of [
    ['tow', ''],
    ['W', '; did you mean "two"?'],
  ] as const) {
    const unknown = await harness.run(['plan', 'test.yaml', '--why', name]);
    expect([unknown.exitCode, unknown.stderr]).toEqual([2, `runbook: unknown step "${name}"${meant}`]);
  }
});

test('--why --json: only JSON, with codes and names in place of sentences', async () => {
  const steps = `${touch('one', 'one')}        when: vars.size > 3\n${touch('two', 'two')}`;
  harness = localHarness(onePlay(steps, 'vars: { size: 2 }'));
  const why = async (name: string): Promise<readonly unknown[]> =>
    linesOf((await harness.run(['plan', 'test.yaml', '--why', name, '--json'])).stdout);
  const head = { format: 'runbook-why', version: 1 };
  const place = { file: 'test.yaml', line: 7 };
  expect(await why('one')).toEqual([
    head,
    {
      ...{ step: 'Work / one', ...place, conditions: [{ of: 'step', when: 'vars.size > 3' }] },
      outcomes: [{ is: 'skipped', because: 'vars.size is 2, not > 3', hosts: ['a'] }],
    },
  ]);
  expect(await why('two')).toMatchObject([head, { conditions: [], outcomes: [{ is: 'change', hosts: ['a'] }] }]);
});
