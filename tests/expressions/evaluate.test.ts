import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { evaluate } from '../../engine/expressions/evaluate.js';
import type { Scope } from '../../engine/expressions/at.js';
import { parseExpression } from '../../engine/expressions/parse.js';
import type { Known } from '../../engine/terms/fact.js';
import { isObject, type Json } from '../../engine/terms/json.js';

const HOSTS: Readonly<Record<string, Json>> = { 'indexer-1': '4.14.7-1', 'indexer-2': '4.12.0-1' };
const NAMES: Json = {
  installed: { indexer: '4.12.0-1', manager: null },
  platform: { target: '4.14.7' },
  vars: { node_name: 'indexer-1', limit: 3, empty: [] },
  fact: {
    unit: 'active',
    text: 'one\ntwo',
    shards: '0',
    part: { status: 'yellow' },
    nodes: [
      { name: 'indexer-1', version: '2.19.4' },
      { name: 'indexer-2', version: '2.16.0' },
    ],
    health: { status: 'yellow', nodes: 2 },
    config: { password: 'hunter22', passwords: ['hunter22'], token: { value: 'hunter22' } },
  },
};

/** `unknown.X` is not known yet; versions are what `installed` and `platform.target` name. */
const scope: Scope = {
  get(path, host): Known<Json> | 'missing' {
    if (path[0] === 'unknown')
      return { known: false, because: `known after "Step ${path[1] ?? ''}"`, dependsOn: [path[1] ?? ''] };
    if (host !== undefined && path.join('.') === 'installed.indexer')
      return { known: true, value: HOSTS[host] ?? null };
    let at: Json = NAMES;
    for (const key of path) {
      const next: Json | undefined = Array.isArray(at)
        ? (at as readonly Json[])[Number(key)]
        : isObject(at)
          ? at[key]
          : undefined;
      if (next === undefined) return 'missing';
      at = next;
    }
    return { known: true, value: at };
  },
  hosts: (_, name) => (name === 'indexer' ? Object.keys(HOSTS) : name === 'none' ? [] : undefined),
  check: (name, host) =>
    name === 'ready' ? { is: host !== 'indexer-2', because: `${name} on ${host ?? 'this host'}` } : undefined,
  typeOf: ([root, key]) => (root === 'installed' || (root === 'platform' && key === 'target') ? 'Version' : 'dyn'),
};

/** `true: reason`, `unknown: reason`, or `wrong: reason`. */
function told(text: string): string {
  const parsed = parseExpression(text);
  if (!parsed.ok) return `${parsed.mistake.code}: ${parsed.mistake.reason}`;
  const truth = evaluate(parsed.ast, scope);
  return `${truth.is === 'unknown' && truth.never === true ? 'wrong' : String(truth.is)}: ${truth.because}`;
}

describe('an answer has a reason of one line', () => {
  test.each([
    ['installed.indexer != platform.target', 'true: installed.indexer != platform.target: 4.12.0-1, 4.14.7'],
    ['installed.indexer < "4.13"', 'true: installed.indexer < "4.13": 4.12.0-1'],
    ['fact.unit.like("(" + fact.unit)', 'wrong: (active is no regular expression: missing closing ): `(active`'],
    ['!ready', 'false: ready on this host'],
    ['ready == true', 'true: ready == true'],
    ['hosts.indexer.exists_one(h, h.ready == true)', 'true: 1 of 2 in hosts.indexer fit'],
    ['fact.health.status in ["green", "yellow"]', 'true: fact.health.status in ["green", "yellow"]: yellow'],
    ['fact.health.status == "green" && fact.unit == "active"', 'false: fact.health.status != "green": yellow'],
    ['fact.nodes.exists_one(n, n.name == vars.node_name)', 'true: 1 of 2 in fact.nodes fit'],
    ['fact.nodes.all(n, n.version == "2.19.4")', 'false: indexer-2: n.version != "2.19.4": 2.16.0'],
    [
      'hosts.indexer.all(h, h.installed.indexer == platform.target)',
      'false: indexer-2: h.installed.indexer != platform.target: 4.12.0-1, 4.14.7',
    ],
    ['all_hosts.indexer.exists(h, h.name == "indexer-2")', 'true: indexer-2: h.name == "indexer-2"'],
    ['size(fact.nodes) == 2', 'true: size(fact.nodes) == 2: 2 elements'],
    [
      'fact.nodes.filter(n, n.version.contains("2.1")).size() > vars.limit',
      'false: fact.nodes.filter(n, n.version.contains("2.1")).size() <= vars.limit: 2 elements, 3',
    ],
    ['!(fact.unit == "failed")', 'true: fact.unit != "failed": active'],
    ['not(fact.unit == "active")', 'false: fact.unit == "active"'],
    ['fact.config.password == "x"', 'false: fact.config.password != "x": [hidden]'],
    ['installed.manager < "4.13"', 'false: not(installed.manager < "4.13"): not installed'],
    ['hosts.none.all(h, h.name == "x")', 'true: hosts.none is empty'],
    ['fact.unit.like(r"^act.ve$")', 'true: fact.unit.like(r"^act.ve$"): active'],
    ['fact.health.nodes + 1 == 3', 'true: fact.health.nodes + 1 == 3: 2'],
    ['has(fact.missing) || has(fact.health.status)', 'true: has(fact.health.status): yellow'],
  ])('%s', (text, answer) => {
    expect(told(text)).toBe(answer);
  });

  test.each([
    ['fact.config.passwords[0] == "x"', 'false: fact.config.passwords[0] != "x": [hidden]'],
    ['fact.config.token.value == "x"', 'false: fact.config.token.value != "x": [hidden]'],
    ['fact.config.passwords.exists(p, p == "x")', 'false: [hidden]: p != "x": [hidden]'],
    ['[fact.config.password].all(p, p == "x")', 'false: [hidden]: p != "x": [hidden]'],
    [
      'fact.config.passwords.filter(p, p == "x") == ["y"]',
      'false: fact.config.passwords.filter(p, p == "x") != ["y"]: [hidden]',
    ],
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
    ['fact.health.nodes == (vars.limit + 2)', 'false: fact.health.nodes != vars.limit + 2: 2, 3'],
    ['(vars.limit > 5) == (fact.health.nodes > 1)', 'false: (vars.limit > 5) != (fact.health.nodes > 1): 3, 2'],
    ['vars.limit * (fact.health.nodes + 1) == 21', 'false: vars.limit * (fact.health.nodes + 1) != 21: 3, 2'],
    [
      '(vars.limit == 3 && fact.health.nodes == 9) == true',
      'false: (vars.limit == 3 && fact.health.nodes == 9) != true: 3, 2',
    ],
    ['(vars.limit > 3 ? 1 : 2) == 1', 'false: (vars.limit > 3 ? 1 : 2) != 1: 3'],
  ])('with the parentheses of its operands: %s', (text, answer) => {
    expect(told(text)).toBe(answer);
  });

  test('which holds, also where the condition does not', () => {
    const names = fc.constantFrom('installed.indexer', 'installed.manager', 'platform.target');
    const versions = fc.oneof(names, fc.constantFrom('"4.12.0"', '"4.13"'));
    const numbers = fc.constantFrom('vars.limit', 'fact.health.nodes', '2', '4');
    const pair = fc.oneof(fc.tuple(names, versions), fc.tuple(numbers, numbers));
    const operator = fc.constantFrom('==', '!=', '<', '<=', '>', '>=');
    const property = fc.property(pair, operator, ([a, b], between) => {
      const [, , reason = ''] = /^(true|false): (.*?)(?:: [^"]*)?$/.exec(told(`${a} ${between} ${b}`)) ?? [];
      expect(told(reason)).toMatch(/^true: /);
    });
    fc.assert(property);
  });
});

describe('unknown matters only where it could change the answer', () => {
  test.each([
    ['unknown.a == 1', 'unknown: known after "Step a"'],
    ['unknown.a == 1 && false', 'false: false'],
    ['false && unknown.a == 1', 'false: false'],
    ['true || unknown.a == 1', 'true: true'],
    ['unknown.a ? fact.unit == "active" : fact.unit == "active"', 'true: fact.unit == "active"'],
    [
      'fact.nodes.filter(n, n.name == unknown.a).size() >= 0',
      'true: fact.nodes.filter(n, n.name == unknown.a).size() >= 0: 2 elements',
    ],
    ['fact.nodes.filter(n, n.name == unknown.a).size() == 1', 'unknown: known after "Step a"'],
    ['fact.nodes.exists(n, n.name == "indexer-1" || n.name == unknown.a)', 'true: indexer-1: n.name == "indexer-1"'],
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
    ['"2.9.0" > "2.16.0"', 'wrong: 2.9.0 and 2.16.0 have no order; convert with version() or int()'],
    ['version("2.9.0") > version("2.16.0")', 'false: version("2.9.0") <= version("2.16.0")'],
    ['fact.unit', 'wrong: fact.unit is active, not true or false'],
    ['hosts.typo.all(h, h.name == "x")', 'wrong: hosts.typo is undefined: the inventory has no such role or group'],
    ['fact.unit.all(n, n == 1)', 'wrong: fact.unit is active, not a list'],
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
    ['fact.text.contains("ne")', 'true'],
    ['json_contains(fact.health, fact.part)', 'true'],
    ['json_contains(fact.part, fact.health)', 'false'],
    ['"status" in fact.health', 'true'],
    ['"nodes" in fact.part', 'false'],
    ['int(fact.shards) == 0', 'true'],
    ['fact.shards == 0', 'false'],
    ['string(installed.indexer) == "4.12.0-1"', 'true'],
    ['fact.nodes.filter(n, n.version == "2.19.4").all(n, n.name == "indexer-1")', 'true'],
    ['size(fact.health) == 2', 'true'],
    ['vars.empty.all(n, n == 1)', 'true'],
    ['vars.empty.exists(n, n == 1)', 'false'],
    ['fact.text.like("(" + vars.node_name)', 'wrong'],
    ['fact.health.like("x")', 'wrong'],
    ['json_contains(fact.text, fact.part)', 'wrong'],
    ['version(fact.text) < "4.13"', 'wrong'],
  ])('%s is %s', (text, answer) => {
    expect(told(text).split(':')[0]).toBe(answer);
  });

  test('what is no pattern is a mistake with its reason', () => {
    expect(told('fact.text.like("(" + vars.node_name)')).toBe(
      'wrong: (indexer-1 is no regular expression: missing closing ): `(indexer-1`',
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
