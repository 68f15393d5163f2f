import { expect, test } from '@jest/globals';
import { checkCondition } from '../../engine/expressions/check.js';
import { environmentOf, type Names } from '../../engine/expressions/environment.js';

const HOST = { name: 'string', installed: { indexer: 'Version' }, roles: 'list<string>' };
const NAMES: Names = {
  roots: {
    host: HOST,
    installed: { indexer: 'Version', manager: 'Version' },
    needs_restart: { indexer: 'bool' },
    platform: { target: 'Version' },
    fact: { unit: 'string', health: 'dyn', nodes: 'list<dyn>', open: 'int' },
    vars: { node_name: 'string', limit: 'int' },
  },
  host: HOST,
  hostLists: ['indexer', 'server'],
};
const env = environmentOf(NAMES);

/** `START-END code: reason | hint` of each mistake. */
const told = (text: string): readonly string[] =>
  checkCondition(text, env, NAMES).map(
    ({ code, reason, start, end, hint }) =>
      `${start}-${end} ${code}: ${reason}${hint === undefined ? '' : ` | ${hint}`}`,
  );

test.each([
  'installed.indexer != platform.target || needs_restart.indexer',
  'installed.manager < "4.13"',
  '"4.13" > installed.manager',
  'fact.health.status in ["green", "yellow"] && fact.health.initializing_shards == 0',
  'fact.nodes.exists_one(n, n.name == vars.node_name && n.version == "2.19.4")',
  'hosts.indexer.all(h, h.installed.indexer == platform.target)',
  'size(all_hosts.server) > vars.limit',
  'fact.unit.like(r"^active$")',
  'not(fact.unit == "failed")',
  'has(fact.health.status)',
  'version(fact.unit) >= "4.13"',
  '"indexer" in host.roles',
  '((hosts.indexer + hosts.server).size() > 1) && (true)',
  '!((fact.unit + "(").like("x") || (("a)" + fact.unit)).like(r"[)]"))',
])('nothing is wrong with %s', (text) => {
  expect(told(text)).toEqual([]);
});

test.each<readonly [string, readonly string[]]>([
  ['instaled.indexer == platform.target', ['0-8 unknown_name: "instaled" is undefined | did you mean "installed"?']],
  [
    'installed.indexr == platform.target',
    ['10-16 unknown_key: "installed.indexr" is undefined | did you mean "indexer"?'],
  ],
  [
    'installed.indexr == "4" && vars.limt > 1',
    [
      '10-16 unknown_key: "installed.indexr" is undefined | did you mean "indexer"?',
      '32-36 unknown_key: "vars.limt" is undefined | did you mean "limit"?',
    ],
  ],
  ['fact.unit > 3', ['0-13 type: text and a number have no order | write int(fact.unit) > 3']],
  ['vars.limit == "3"', ['0-17 type: a number never equals text | write vars.limit == 3']],
  ['installed.indexer < 4', ['0-21 type: a version and a number have no order | write installed.indexer < "4"']],
  ['fact.unit', ['0-9 result: fact.unit is text; a condition must be true or false']],
  ['fact.open && fact.unit == "x"', ['0-9 result: fact.open is a number; a condition must be true or false']],
  [
    'hosts.indexers.all(h, h.name == "x")',
    ['6-14 unknown_key: "hosts.indexers" is undefined | did you mean "indexer"?'],
  ],
  [
    'hosts.indexer.all(h, h.instaled.indexer == "4")',
    ['23-31 unknown_key: "h.instaled" is undefined | did you mean "installed"?'],
  ],
  ['', ['0-0 syntax: the expression is empty']],
  ['  ', ['0-2 syntax: the expression is empty']],
  [
    'fact.unit == ',
    [
      '13-14 syntax: the expression ends where a value is missing | quote the whole expression if it holds " #" or ": "',
    ],
  ],
  ['fact.unit = "x"', ['10-11 syntax: unexpected "=" | write ==']],
  ['fact.unit == "x" and fact.open == 1', ['17-20 syntax: unexpected "and" | write &&']],
  ['secret.api == "x"', ['0-6 unknown_name: "secret" is undefined | no expression reads a secret']],
])('%s', (text, mistakes) => {
  expect(told(text)).toEqual(mistakes);
});

test('what is too large is one mistake', () => {
  expect(told(`fact.unit == "${'x'.repeat(2_000)}"`)).toEqual([
    '0-2015 limit: the expression has 2015 characters; at most 2000 are allowed',
  ]);
  expect(told(Array.from({ length: 80 }, () => 'fact.open == 1').join(' && '))[0]).toMatch(
    /^0-\d+ limit: the expression has \d+ parts; at most 200/,
  );
  expect(told(`${'('.repeat(1_000)}true${')'.repeat(1_000 - 8)}`)[0]).toMatch(/^\d+-\d+ (syntax|limit): /);
  expect(told(`${'!'.repeat(1_000)}true`)[0]).toMatch(/^\d+-\d+ (syntax|limit): /);
  expect(told('fact.nodes.all(a, fact.nodes.all(b, fact.nodes.all(c, c == a)))')).toEqual([
    '0-63 limit: macros are nested 3 times; at most 2 times are allowed',
  ]);
});
