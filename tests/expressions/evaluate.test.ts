import { describe, expect, test } from '@jest/globals';
import { evaluate } from '../../engine/expressions/evaluate.js';
import { parseExpression } from '../../engine/expressions/parse.js';
import { scope } from './scope.js';

/** `true: reason`, `unknown: reason`, or `wrong: reason`. */
function told(text: string): string {
  const parsed = parseExpression(text);
  if (!parsed.ok) return `${parsed.mistake.code}: ${parsed.mistake.reason}`;
  const truth = evaluate(parsed.ast, scope);
  return `${truth.is === 'unknown' && truth.never === true ? 'wrong' : String(truth.is)}: ${truth.because}`;
}

describe('an answer has a reason of one line', () => {
  test.each([
    ['installed.indexer != platform.target', 'true: installed.indexer is 4.12.0-1, not 4.14.7'],
    ['installed.indexer < "4.13"', 'true: installed.indexer is 4.12.0-1 (< 4.13)'],
    ['fact.unit.like("(" + fact.unit)', 'wrong: "(active" is no regular expression: missing closing ): `(active`'],
    ['!ready', 'false: ready on this host'],
    ['ready == true', 'true: ready is true'],
    ['hosts.indexer.exists_one(h, h.ready == true)', 'true: indexer-1: ready is true'],
    ['fact.health.status in ["green", "yellow"]', 'true: fact.health.status is "yellow" (in ["green", "yellow"])'],
    ['fact.health.status == "green" && fact.unit == "active"', 'false: fact.health.status is "yellow", not "green"'],
    ['fact.nodes.exists_one(n, n.name == vars.node_name)', 'true: indexer-1: name is "indexer-1"'],
    ['fact.nodes.all(n, n.version == "2.19.4")', 'false: indexer-2: version is "2.16.0", not "2.19.4"'],
    [
      'hosts.indexer.all(h, h.installed.indexer == platform.target)',
      'false: indexer-2: installed.indexer is 4.12.0-1, not 4.14.7',
    ],
    ['all_hosts.indexer.exists(h, h.name == "indexer-2")', 'true: indexer-2: name is "indexer-2"'],
    ['size(fact.nodes) == 2', 'true: size(fact.nodes) is 2'],
    ['fact.nodes.size() > vars.limit', 'false: fact.nodes.size() is 2, not > 3'],
    ['!(fact.unit == "failed")', 'true: fact.unit is "active", not "failed"'],
    ['not(fact.unit == "active")', 'false: fact.unit is "active"'],
    ['fact.config.password == "x"', 'false: fact.config.password is [hidden], not "x"'],
    ['installed.manager < "4.13"', 'false: installed.manager is not installed'],
    ['hosts.none.all(h, h.name == "x")', 'true: hosts.none is empty'],
    ['fact.unit.like(r"^act.ve$")', 'true: fact.unit is "active" (like "^act.ve$")'],
    ['fact.health.nodes + 1 == 3', 'true: fact.health.nodes + 1 is 3'],
    ['has(fact.missing) || has(fact.health.status)', 'true: fact.health.status is "yellow"'],
  ])('%s', (text, answer) => {
    expect(told(text)).toBe(answer);
  });

  test.each([
    ['fact.config.passwords[0] == "x"', 'false: fact.config.passwords[0] is [hidden], not "x"'],
    ['fact.config.token.value == "x"', 'false: fact.config.token.value is [hidden], not "x"'],
    ['fact.config.passwords.exists(p, p == "x")', 'false: no p in fact.config.passwords with p == "x"'],
    ['[fact.config.password].all(p, p == "x")', 'false: element 1 is [hidden], not "x"'],
    ['fact.config.shown == fact.config.password', 'true: fact.config.shown is [hidden]'],
    ['int(fact.config.password) < 1', 'wrong: int(fact.config.password) < 1 cannot be used so; its value is hidden'],
    [
      'version(fact.config.password) < "1"',
      'wrong: version(fact.config.password) < "1" cannot be used so; its value is hidden',
    ],
    ['fact.config.password', 'wrong: fact.config.password is [hidden], not true or false'],
  ])('which does not show what stands below a name such as password: %s', (text, answer) => {
    expect(told(text)).toBe(answer);
    expect(told(text)).not.toContain('hunter');
  });

  test.each([
    ['fact.health.nodes == (vars.limit + 2)', 'false: fact.health.nodes is 2, not 5'],
    ['(vars.limit > 5) == (fact.health.nodes > 1)', 'false: (vars.limit > 5) is false, not true'],
    ['vars.limit * (fact.health.nodes + 1) == 21', 'false: vars.limit * (fact.health.nodes + 1) is 9, not 21'],
    [
      '(vars.limit == 3 && fact.health.nodes == 9) == true',
      'false: (vars.limit == 3 && fact.health.nodes == 9) is false, not true',
    ],
    ['(vars.limit > 3 ? 1 : 2) == 1', 'false: (vars.limit > 3 ? 1 : 2) is 2, not 1'],
  ])('with the parentheses of its operands: %s', (text, answer) => {
    expect(told(text)).toBe(answer);
  });
});

describe('each unmet condition is named, as many as fit into 100 characters', () => {
  test.each([
    [
      'fact.health.nodes == 3 && fact.health.status in ["green"] && fact.unit == "active"',
      'false: fact.health.nodes is 2, not 3; fact.health.status is "yellow", not in ["green"]',
    ],
    [
      'fact.unit == "a" || 3 == size(fact.nodes)',
      'false: fact.unit is "active", not "a"; size(fact.nodes) is 2, not 3',
    ],
    [
      'hosts.indexer.all(h, h.installed.indexer >= "5" && h.name == "x")',
      'false: indexer-1: installed.indexer is 4.14.7-1, not >= 5 (and 3 more)',
    ],
    ['hosts.indexer.all(h, h.ready)', 'false: indexer-2: ready on indexer-2'],
    ['fact.states.all(s, s == "open")', 'false: fact.states[1] is "shut", not "open"'],
    ['vars.wanted.all(s, fact.long.like(s))', 'false: eleven: fact.long is not like "eleven"'],
    ['fact.long.like("^one")', 'true: fact.long is like "^one"'],
    ['fact.unit.like("x")', 'false: fact.unit is "active", not like "x"'],
    [
      'fact.states.all(s, s in ["a", "b", "c", "d"])',
      'false: fact.states[0] is "open", not in ["a", "b", "c", "d"] (and 1 more)',
    ],
    ['"x" in fact.states', 'false: fact.states is ["open", "shut"], not containing "x"'],
    ['has(installed.manager)', 'false: installed.manager is not installed'],
    ['has(fact.none)', 'false: fact.none is absent'],
  ])('%s', (text, answer) => {
    expect(told(text)).toBe(answer);
  });

  test.each([
    ['none comes near', 'fact.nodes.exists(n, n.name == platform.target)', 'no n in fact.nodes with n.name == 4.14.7'],
    [
      'the nearest lacks one thing',
      'fact.nodes.exists_one(n, n.name == "indexer-2" && n.version == "2.19.4")',
      'indexer-2: version is "2.16.0", not "2.19.4"',
    ],
    [
      'two are as near as one another',
      'fact.nodes.exists(n, n.name.like("indexer") && n.version == "3")',
      'indexer-1: version is "2.19.4", not "3"; indexer-2: version is "2.16.0", not "3"',
    ],
    [
      'there are too many',
      'fact.nodes.exists_one(n, n.name.like("indexer"))',
      'fact.nodes has 2 n with n.name.like("indexer"), not 1',
    ],
  ])('of elements: %s', (_, text, answer) => {
    expect(told(text)).toBe(`false: ${answer}`);
  });
});

describe('unknown matters only where it could change the answer', () => {
  test.each([
    ['unknown.a == 1', 'unknown: known after "Step a"'],
    ['unknown.a == 1 && false', 'false: false'],
    ['false && unknown.a == 1', 'false: false'],
    ['true || unknown.a == 1', 'true: true'],
    ['unknown.a ? fact.unit == "active" : fact.unit == "active"', 'true: fact.unit is "active"'],
    ['fact.nodes.exists(n, n.name == "indexer-1" || n.name == unknown.a)', 'true: indexer-1: name is "indexer-1"'],
    ['has(unknown.a)', 'unknown: known after "Step a"'],
  ])('%s', (text, answer) => {
    expect(told(text)).toBe(answer);
  });
});

describe('a mistake outranks what is unknown, in either order, and is outranked by what decides', () => {
  test.each([
    ['nope.x == 1', 'wrong: nope.x is undefined'],
    ['unknown.a == 1 && nope.x == 1', 'wrong: nope.x is undefined'],
    ['nope.x == 1 && unknown.a == 1', 'wrong: nope.x is undefined'],
    ['nope.x == 1 && false', 'false: false'],
    ['"2.9.0" > "2.16.0"', 'wrong: "2.9.0" and "2.16.0" have no order; convert with version() or int()'],
    ['version("2.9.0") > version("2.16.0")', 'false: version("2.9.0") is 2.9.0, not > 2.16.0'],
    ['fact.unit', 'wrong: fact.unit is "active", not true or false'],
    ['hosts.typo.all(h, h.name == "x")', 'wrong: hosts.typo is undefined: the inventory has no such role or group'],
    ['fact.unit.all(n, n == 1)', 'wrong: fact.unit is "active", not a list'],
    ['1 / 0 == 1', 'wrong: division by zero'],
  ])('%s', (text, answer) => {
    expect(told(text)).toBe(answer);
  });
});

describe('functions and operators', () => {
  test.each([
    ['installed.indexer in ["4.11.0", "4.12.0"]', 'true'],
    ['installed.indexer in ["4.11.0", "4.14.7"]', 'false'],
    ['installed.indexer > "4.11" && installed.indexer < "4.13"', 'true'],
    ['"red" in ["green", "yellow"]', 'false'],
    ['fact.text.like("^two$")', 'true'],
    ['fact.text.like("^t$")', 'false'],
    ['fact.text.like("ne")', 'true'],
    ['fact.part in fact.health', 'true'],
    ['fact.health in fact.part', 'false'],
    ['"status" in fact.health', 'true'],
    ['"nodes" in fact.part', 'false'],
    ['int(fact.shards) == 0', 'true'],
    ['fact.shards == 0', 'false'],
    ['string(installed.indexer) == "4.12.0-1"', 'true'],
    ['size(fact.health) == 2', 'true'],
    ['vars.empty.all(n, n == 1)', 'true'],
    ['vars.empty.exists(n, n == 1)', 'false'],
    ['fact.text.like("(" + vars.node_name)', 'wrong'],
    ['fact.health.like("x")', 'wrong'],
    ['fact.part in fact.text', 'wrong'],
    ['installed.indexer in fact.health', 'wrong'],
    ['version(fact.text) < "4.13"', 'wrong'],
  ])('%s is %s', (text, answer) => {
    expect(told(text).split(':')[0]).toBe(answer);
  });

  test('what is no pattern is a mistake with its reason', () => {
    expect(told('fact.text.like("(" + vars.node_name)')).toBe(
      'wrong: "(indexer-1" is no regular expression: missing closing ): `(indexer-1`',
    );
  });
});

describe('what is not installed equals nothing and has no order', () => {
  test.each([
    ['installed.manager == "4.12.0"', 'false'],
    ['installed.manager != "4.12.0"', 'true'],
    ['installed.manager < "4.13"', 'false'],
    ['installed.manager >= "4.13"', 'false'],
    ['has(installed.manager)', 'false'],
    ['installed.manager == installed.manager', 'false'],
  ])('%s', (text, answer) => {
    expect(told(text).split(':')[0]).toBe(answer);
  });
});
