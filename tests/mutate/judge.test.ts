import { expect, test } from '@jest/globals';
import { Judge } from './judge.js';
import { mutantsOf } from './mutants.js';
import { sampled } from './sample.js';
import { follow, scenario, type Course } from './scenario.js';
import { diagnose } from './scenarios/diagnose.js';
import { indexer } from './scenarios/indexer.js';
import { installers } from './scenarios/installers.js';
import { rollbackMore } from './scenarios/rollback-more.js';
import { allMutants, placesOf, Shipped } from './shipped.js';
import { reasonOf, reasons } from './survivors.js';
import type { Stage } from './stage.js';

const upgrade = indexer.slice(0, 1);
/** So many of what the first scenario must notice: a mutant is a second's work. */
const TRIED = [
  'steps/back-up-security.yaml: Archive the security backup: removed',
  'steps/restrict-allocation.yaml: Restrict shard allocation to primaries > http > json > persistent > cluster.routing.allocation.enable: is "all"',
  'indexer.yaml: Protect the cluster > Record that it must be applied: removed',
  'indexer.yaml: Protect the cluster > 6: removed',
  'indexer.yaml: Stop the shippers > Stop the shipper: removed',
  'indexer.yaml: Upgrade each node > Upgrade the package > package > keep_config > 0: removed',
  'indexer.yaml: Upgrade each node > Start the indexer > systemctl > enabled: is false',
  'indexer.yaml: Restore the cluster settings > Apply the security configuration: removed',
  'steps/enable-allocation.yaml: Enable shard allocation > http > json > persistent > cluster.routing.allocation.enable: is "primaries"',
];

test('what an upgrade of the indexers cannot do without is missed', async () => {
  const judge = new Judge(upgrade, await Promise.all(upgrade.map((one) => follow(one, new Shipped()))));
  const mutants = allMutants();
  const verdicts: string[] = [];
  for (const name of TRIED) {
    const mutant = mutants.find(({ id }) => id === name);
    const verdict = mutant === undefined ? 'there is no such mutant' : (await judge.judge(mutant)).is;
    verdicts.push(`${name}: ${verdict}`);
  }
  expect(verdicts).toEqual(TRIED.map((name) => `${name}: killed`));
});

const FILE = 'steps/check-packages.yaml: ';

test('a seeded share of the mutants of a part of the diagnosis: most of those that validate accepts are missed', async () => {
  const able = diagnose.filter(({ name }) => /half configured|older than its package|4\.14\.7 in order/.test(name));
  const courses: Course[] = [];
  const shipped = new Shipped();
  for (const one of able) courses.push(await follow(one, shipped));
  const judge = new Judge(able, courses);
  // Of this file alone: what is added elsewhere alters no sample.
  const mutants = allMutants().filter(({ id }) => id.startsWith(FILE));
  const verdicts: string[] = [];
  for (const nth of sampled(mutants, { seed: 2026, share: 0.2, fits: () => true })) {
    const mutant = mutants[nth];
    if (mutant !== undefined && reasonOf(mutant.id, reasons()) === undefined)
      verdicts.push((await judge.judge(mutant)).is);
  }
  const accepted = verdicts.filter((is) => is !== 'refused');
  expect(accepted.length).toBeGreaterThan(5);
  expect(accepted.filter((is) => is === 'killed').length / accepted.length).toBeGreaterThanOrEqual(0.6);
});

test.each([
  [
    'a block: its play, for no event has its name',
    'prepare.yaml: Download the packages > Open the repository > when: removed',
    ['prepare.yaml Download the packages'],
  ],
  [
    'a named check: the play that uses it',
    'platform.yaml: checks > previous_indexer_on_host > that: removed',
    ['rollback/begin.yaml Download the previous packages'],
  ],
  [
    'a variable: by way of a file of steps, each play that imports it',
    'platform.yaml: checks > shards_restricted_between_nodes > that: removed',
    ['indexer.yaml Protect the cluster'],
  ],
  [
    'a file of steps: its step in each play that imports it',
    'steps/flush.yaml: Flush the transaction log > retries: is 0',
    [
      'indexer.yaml Protect the cluster Flush the transaction log',
      'rollback/indexer.yaml Protect the cluster Flush the transaction log',
    ],
  ],
  [
    'a file of steps that another one takes in: its step in the plays that import either',
    'steps/save-newer-configuration.yaml: Save the newer configuration > backup > paths: removed',
    [
      'rollback/dashboard.yaml Roll back each dashboard Save the newer configuration',
      'rollback/indexer.yaml Roll back stopped nodes Save the newer configuration',
      'rollback/indexer.yaml Roll back each node Save the newer configuration',
      'rollback/server.yaml Roll back each server Save the newer configuration',
    ],
  ],
])('a mutant is looked for where a run comes by: of %s', (_, id, expected) => {
  const mutant = allMutants().find((one) => one.id === id);
  const places = mutant === undefined ? [] : placesOf(mutant);
  expect(
    places.map(({ file, play = '', step }) => [file, play, ...(step === undefined ? [] : [step])].join(' ')),
  ).toEqual(expected);
});

test.each([
  [
    'of an imported playbook',
    rollbackMore.filter(({ name }) => /its records are removed/.test(name)),
    'rollback/end.yaml: Remove the version records > Remove the version record > loop > 0: removed',
  ],
  [
    'of the playbook that is run',
    installers.filter(({ name }) => /^macOS.*its own architecture/.test(name)),
    'agents-macos.yaml: Upgrade macOS agents > Download the package for the processor > when: removed',
  ],
])('a mutant of a loop %s is missed where one of its elements is looked at', async (_, able, id) => {
  expect(able).toHaveLength(1);
  const judge = new Judge(able, await Promise.all(able.map((one) => follow(one, new Shipped()))));
  const mutant = allMutants().find((one) => one.id === id);
  expect(mutant === undefined ? 'none' : (await judge.judge(mutant)).is).toBe('killed');
});

test('a scenario that misses nothing kills nothing, and what validate refuses is not counted', async () => {
  const look = async (stage: Stage): Promise<void> => {
    await (await stage.platform()).plan('end-holds.yaml');
  };
  const blind = [scenario('anything will do', look)];
  const judge = new Judge(blind, await Promise.all(blind.map((one) => follow(one, new Shipped()))));
  const verdictOf = async (end: string): Promise<string> => {
    const mutant = allMutants().find(({ id }) => id === `end-holds.yaml: Unlock package versions > ${end}`);
    return mutant === undefined ? 'none' : (await judge.judge(mutant)).is;
  };
  expect(await verdictOf('on_host_failure: removed')).toBe('survived');
  expect(await verdictOf('Unlock the packages > package-hold: removed')).toBe('refused');
});

test('mutants have names that no other has, and the lines of what they alter', () => {
  const text =
    'playbook: P\nplays:\n  - play: A\n    steps:\n      - step: B\n        when: [\'x.y == "1" && n < 2\', z]\n        file: { path: /x, mode: "0600" }\n';
  const mutants = mutantsOf([{ file: 'p.yaml', text }]);
  expect(new Set(mutants.map(({ id }) => id)).size).toBe(mutants.length);
  expect(mutants.map(({ id, line, kind }) => `${line} ${kind} ${id.replace(/^p\.yaml: /, '')}`)).toEqual(
    expect.arrayContaining([
      '3 play A: removed',
      '5 step A > B: removed',
      '6 condition A > B > when: removed',
      '6 condition A > B > when > 1: removed',
      '6 condition A > B > when > 0: without x.y == "1"',
      '6 condition A > B > when > 0: "1" is "1-altered"',
      '6 condition A > B > when > 0: n < 2 with >=',
      '7 argument A > B > file > mode: removed',
    ]),
  );
});

test('each reason for a survivor fits a mutant that there still is', () => {
  const ids = allMutants().map(({ id }) => id);
  expect(reasons().filter((one) => !ids.some((id) => reasonOf(id, [one]) !== undefined))).toEqual([]);
});
