import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type ConditionScope, evaluate, mentions } from '../../engine/language/condition.js';
import { memberOf } from '../../engine/language/rendered.js';
import { select } from '../../engine/language/selector.js';
import type { Condition } from '../../engine/terms/condition.js';
import type { Json, JsonObject } from '../../engine/terms/json.js';
import { host } from './hosts.js';

const hosts = [host('indexer-1', ['indexer']), host('indexer-2', ['indexer']), host('server-1', ['server'])];
const installed: Readonly<Record<string, Json>> = {
  'indexer-1': '4.14.7-1',
  'indexer-2': '4.12.0-1',
  'server-1': null,
};
const values: JsonObject = {
  platform: { target: '4.14.7' },
  from: { manager: '4.12.9-1', agent: null },
  vars: { on: true, list: ['a', 'b'], text: 'one\ntwo', n: 3, odd: 'x', none: null, secret: { $secret: 'api' } },
  fact: {
    nodes: [
      { name: 'node-1', version: '2.19.4', up: true },
      { name: 'node-2', version: '2.19.1', up: true },
      { name: 'node-3', version: '2.19.1', up: false },
    ],
    pipelines: { a: 1, b: 2 },
    shards: '0',
  },
};

const scope: ConditionScope = {
  select: (selector) => select(selector, hosts, {}),
  get(path, at = 'indexer-1') {
    if (path[0] === 'lost') return { known: false, dependsOn: ['play/step'], because: 'it is read later' };
    const here =
      path[0] === 'installed'
        ? { installed: { indexer: installed[at] ?? null } }
        : path[0] === 'host'
          ? { host: { name: at } }
          : values;
    const member = memberOf(here, path);
    return member === undefined ? 'missing' : { known: true, value: member };
  },
};

const unknown = { value: '{{lost.x}}', is: 1 } as const;

describe('evaluate', () => {
  it.each<readonly [Condition, boolean | 'unknown', string]>([
    [true, true, 'always'],
    [{ version: '{{from.manager}}', at_most: '4.12' }, true, 'from.manager is 4.12.9-1, at most 4.12'],
    [{ version: '{{from.manager}}', below: '4.9' }, false, 'from.manager is 4.12.9-1, not below 4.9'],
    [{ version: '{{from.manager}}', above: '4.12', below: '5' }, false, 'from.manager is 4.12.9-1, not above 4.12'],
    [{ version: '{{from.manager}}', in: ['4.11', '4.12'] }, true, 'from.manager is 4.12.9-1'],
    [{ version: '{{from.manager}}', in: ['4.10', '4.11'] }, false, 'from.manager is 4.12.9-1, none of 4.10, 4.11'],
    [{ version: '{{from.agent}}', at_least: '4.12' }, false, 'from.agent is not there, so it is not at least 4.12'],
    [{ version: '{{from.agent}}', not: '4.12' }, true, 'from.agent is nothing, not 4.12'],
    [
      { version: '{{vars.odd}}', is: '4.12' },
      'unknown',
      'vars.odd is x, which cannot be compared as a version with 4.12',
    ],
    [
      { version: '{{installed.indexer}}', of: { name: 'indexer-2' }, is: '{{platform.target}}' },
      false,
      'installed.indexer on indexer-2 is 4.12.0-1, not 4.14.7',
    ],
    [
      { version: '{{installed.indexer}}', of: { role: 'indexer' }, is: '{{platform.target}}' },
      false,
      'installed.indexer on indexer-2 is 4.12.0-1, not 4.14.7',
    ],
    [
      { version: '{{installed.indexer}}', of: { role: 'indexer' }, match: 'any', is: '{{platform.target}}' },
      true,
      'installed.indexer on indexer-1 is 4.14.7-1',
    ],
    [
      { version: '{{installed.indexer}}', of: { role: 'indexer' }, match: 'none', is: '3' },
      true,
      'installed.indexer on indexer-1 is 4.14.7-1, not 3; installed.indexer on indexer-2 is 4.12.0-1, not 3',
    ],
    [
      { value: '{{platform.target}}', of: { role: 'indexer' }, is: '4.14.7' },
      true,
      'on all 2 hosts platform.target is 4.14.7',
    ],
    [{ value: '{{host.name}}', of: { role: 'dashboard' }, is: 'x' }, true, 'there is no host of role dashboard'],
    [{ value: '{{vars.on}}' }, true, 'vars.on is true'],
    [{ value: '{{vars.n}}', is: '3' }, true, 'vars.n is 3'],
    [{ value: '{{fact.shards}}', is: 0 }, true, 'fact.shards is 0'],
    [{ value: '{{fact.shards}}', above: 0 }, false, 'fact.shards is 0, not above 0'],
    [{ value: '{{vars.odd}}', above: 0 }, 'unknown', 'vars.odd is x: only numbers have an order, not this and 0'],
    [{ value: '{{vars.text}}', matches: '^two$' }, true, 'vars.text is one two, which matches /^two$/'],
    [{ value: '{{vars.text}}', matches: '(' }, 'unknown', '/(/ is no regular expression'],
    [{ value: '{{vars.text}}', contains: 'ne' }, true, 'vars.text holds ne'],
    [{ value: '{{vars.list}}', contains: 'c' }, false, 'vars.list does not hold c'],
    [{ value: '{{fact.pipelines}}', contains: 'b' }, true, 'fact.pipelines holds b'],
    [{ value: '{{fact.nowhere}}', exists: false }, true, 'fact.nowhere is not there'],
    [{ value: '{{vars.none}}', exists: true }, false, 'vars.none is not there'],
    [{ value: '{{fact.nowhere}}', is: 1 }, 'unknown', '"{{fact.nowhere}}" names nothing'],
    [{ value: '{{vars.secret}}', is: 'x' }, 'unknown', 'vars.secret is a secret, which no condition may look at'],
    [{ each: '{{fact.nodes}}', satisfies: { value: '{{item.up}}' } }, false, 'node-3: up is false, not true'],
    [
      {
        each: '{{fact.nodes}}',
        where: { value: '{{item.up}}' },
        satisfies: { version: '{{item.version}}', at_least: '2.19' },
      },
      true,
      'node-1: version is 2.19.4, at least 2.19; node-2: version is 2.19.1, at least 2.19',
    ],
    [
      { each: '{{vars.list}}', satisfies: { value: '{{item}}', in: ['a', 'b', 'c'] } },
      true,
      'a: item is a; b: item is b',
    ],
    [{ each: [], satisfies: false }, true, '[] holds nothing that is meant'],
    [{ each: '{{vars.n}}', satisfies: true }, 'unknown', 'vars.n is 3, and no list'],
    [
      { count: '{{fact.nodes}}', where: { value: '{{item.up}}' }, at_least: 2 },
      true,
      'the number of fact.nodes that fit is 2, at least 2',
    ],
    [{ count: '{{fact.nodes}}', not: 3 }, false, 'the number of fact.nodes is 3'],
    [{ count: '{{fact.pipelines}}', is: '{{vars.n}}' }, false, 'the number of fact.pipelines is 2, not 3'],
    [unknown, 'unknown', 'it is read later'],
  ])('%j is %p: %s', (condition, is, because) => {
    expect(evaluate(condition, scope)).toMatchObject({ is, because });
  });

  it('is unknown only when what is unknown matters', () => {
    expect(evaluate({ all: [unknown, { value: '{{vars.n}}', is: 4 }] }, scope)).toEqual({
      is: false,
      because: 'vars.n is 3, not 4',
    });
    expect(evaluate({ any: [unknown, true] }, scope).is).toBe(true);
    expect(evaluate({ all: [unknown, true] }, scope)).toEqual({
      is: 'unknown',
      dependsOn: ['play/step'],
      because: 'it is read later',
    });
    expect(evaluate({ each: '{{fact.nodes}}', where: unknown, satisfies: true }, scope).is).toBe(true);
    expect(evaluate({ each: '{{fact.nodes}}', where: unknown, satisfies: { value: '{{item.up}}' } }, scope).is).toBe(
      'unknown',
    );
    expect(evaluate({ count: '{{fact.nodes}}', where: unknown, at_most: 3 }, scope).is).toBe(true);
    expect(evaluate({ count: '{{fact.nodes}}', where: unknown, above: 3 }, scope).is).toBe(false);
    expect(evaluate({ count: '{{fact.nodes}}', where: unknown, is: 3 }, scope)).toMatchObject({
      is: 'unknown',
      dependsOn: ['play/step'],
    });
  });

  it('counts reasons beyond the third', () => {
    const many: Condition = { all: [1, 2, 3, 4, 5].map((n) => ({ value: n, is: 0 })) };
    expect(evaluate(many, scope).because).toBe('1 is 1, not 0; 2 is 2, not 0; 3 is 3, not 0; and 2 more');
  });
});

describe("Kleene's laws", () => {
  const leaf = fc.constantFrom<Condition>(true, false, unknown);
  const { tree } = fc.letrec<{ tree: Condition }>((tie) => ({
    tree: fc.oneof(
      { maxDepth: 3 },
      leaf,
      fc.array(tie('tree'), { maxLength: 3 }).map((all) => ({ all })),
      fc.array(tie('tree'), { maxLength: 3 }).map((any) => ({ any })),
      tie('tree').map((not) => ({ not })),
    ),
  }));
  const is = (condition: Condition): boolean | 'unknown' => evaluate(condition, scope).is;

  it('hold: double negation, De Morgan, commutation, absorption', () => {
    const property = fc.property(tree, tree, (a, b) => {
      expect(is({ not: { not: a } })).toBe(is(a));
      expect(is({ not: { all: [a, b] } })).toBe(is({ any: [{ not: a }, { not: b }] }));
      expect(is({ all: [a, b] })).toBe(is({ all: [b, a] }));
      expect(is({ any: [a, b] })).toBe(is({ any: [b, a] }));
      expect(is({ all: [a, { any: [a, b] }] })).toBe(is(a));
      expect(is({ all: [a, false] })).toBe(false);
      expect(is({ any: [a, true] })).toBe(true);
    });
    fc.assert(property, { numRuns: 500 });
  });

  it('hold: a result that is known stays, whatever the unknown turns out to be', () => {
    const settle = (c: Condition, as: boolean): Condition => {
      if (typeof c !== 'object' || Array.isArray(c)) return c;
      if ('all' in c) return { all: c.all.map((x) => settle(x, as)) };
      if ('any' in c) return { any: c.any.map((x) => settle(x, as)) };
      return 'value' in c ? as : 'not' in c ? { not: settle(c.not as Condition, as) } : c;
    };
    const property = fc.property(tree, (c) => {
      const now = is(c);
      fc.pre(now !== 'unknown');
      expect([is(settle(c, true)), is(settle(c, false))]).toEqual([now, now]);
    });
    fc.assert(property, { numRuns: 500 });
  });
});

describe('mentions', () => {
  it('tells what must be known, and of whom', () => {
    const indexers = { role: 'indexer', last: { fact: 'elected' } };
    expect(
      mentions({
        all: [
          { version: '{{installed.indexer}}', of: indexers, is: '{{platform.target}}' },
          { not: { value: '{{vars.on}}', not: '{{vars.off}}' } },
          {
            each: '{{fact.nodes}}',
            where: { value: '{{item.up}}' },
            satisfies: { value: '{{item}}', in: ['{{vars.list}}'] },
          },
          { count: '{{fact.shards}}', at_most: '{{vars.n}}' },
        ],
      }),
    ).toEqual([
      { name: 'fact.elected' },
      { name: 'installed.indexer', of: indexers },
      { name: 'platform.target', of: indexers },
      { name: 'vars.on' },
      { name: 'vars.off' },
      { name: 'fact.nodes' },
      { name: 'vars.list' },
      { name: 'fact.shards' },
      { name: 'vars.n' },
    ]);
  });
});
