import { beforeAll, expect, test } from '@jest/globals';
import { Shipped } from '../../mutate/shipped.js';
import { Stage, type Platform } from '../../mutate/stage.js';
import { cellsOn, judge, OTHERS, STATES, type Cell, type Outcome } from './cells.js';

/*
 * Selecting options × playbooks × states of the platform, judged by an oracle that asks none of the product's own checks (§7, §8, §9.2): what
 * a plan does not refuse is run, and breaks no rule. Each rule is needed: without it some cell that it refused breaks one.
 * Each cell is planned; one of three is run, those of RULES_SEED (0, 1, 2), or with RULES_SEED=all each: two more minutes. RULES_STARTS=7
 * starts at one of seven steps that install nothing, too, and does not compare the counts.
 */
const STARTS = Number(process.env['RULES_STARTS'] ?? Infinity);
const SEED = process.env['RULES_SEED'] ?? '0';
const isRun = (nth: number): boolean => SEED === 'all' || nth % 3 === Number(SEED);

interface Judged {
  readonly cell: Cell;
  readonly platform: Platform;
  readonly outcome: Outcome;
}

const stage = new Stage(new Shipped());
const table: Judged[] = [];

beforeAll(async () => {
  for (const [on, make] of Object.entries(STATES)) {
    const platform = await make(stage);
    for (const cell of await cellsOn(on, stage, STARTS)) {
      const outcome = await judge(cell, platform, { planOnly: !isRun(table.length) });
      table.push({ cell, platform, outcome });
    }
  }
}, 7_200_000);

const nameOf = ({ cell, outcome }: Judged): string =>
  `${cell.on}: ${cell.name}: ${outcome.is === 'refused' ? outcome.why : outcome.is === 'ran' ? outcome.faults.join('; ') : ''}`;

test('what a plan does not refuse breaks no rule', () => {
  expect(table.filter(({ outcome: o }) => o.is === 'ran' && o.faults.length > 0).map(nameOf)).toEqual([]);
});

test('no rule is in the way of what installs nothing', () => {
  const refused = table.filter(
    ({ cell, outcome: o }) => OTHERS.includes(cell.playbook) && o.is === 'refused' && o.by !== '',
  );
  expect(refused.map(nameOf)).toEqual([]);
});

/** How many cells a rule refuses is counted, so that one that refuses more or fewer is noticed. */
const countTest = STARTS === Infinity ? test : test.skip;
countTest('so many cells are allowed and refused, by state', () => {
  const counted = Object.keys(STATES).map((on) => {
    const here = table.filter(({ cell }) => cell.on === on);
    const refused = here.filter(({ outcome }) => outcome.is === 'refused').length;
    return [on, here.length - refused, refused];
  });
  expect(counted).toEqual([
    ['prepared', 139, 41],
    ['one indexer done', 134, 46],
    ['indexers done', 149, 31],
    ['a worker failed', 133, 47],
    ['the master failed', 137, 43],
    ['servers done', 146, 34],
    ['all but the agents done', 138, 42],
    ['all done', 139, 41],
  ]);
});

const RULES = [
  'central_components_included',
  'servers_after_indexers',
  'master_after_workers',
  'dashboards_after_servers',
  'agents_after_central',
  'no_part_above_indexers',
  'no_dashboard_above_servers',
];

test.each(RULES)('without %s a cell that it refused breaks a rule', async (rule) => {
  const refused = table.filter(({ outcome: o }) => o.is === 'refused' && o.by === rule);
  expect(refused.length).toBeGreaterThan(0);
  for (const { cell, platform } of refused) {
    const outcome = await judge(cell, platform, { without: rule });
    if (outcome.is === 'ran' && outcome.faults.length > 0) return;
  }
  expect(refused.map(nameOf)).toEqual('one of these breaks a rule');
});
