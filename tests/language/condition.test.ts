import { describe, expect, it } from '@jest/globals';
import { type ConditionScope, evaluate } from '../../engine/language/condition.js';
import { memberOf } from '../../engine/language/templates/rendered.js';
import type { Condition } from '../../engine/terms/condition.js';
import type { Json, JsonObject } from '../../engine/terms/json.js';

const installed: Readonly<Record<string, Json>> = { 'indexer-1': '4.14.7-1', 'indexer-2': '4.12.0-1' };
const values: JsonObject = {
  platform: { target: '4.14.7' },
  previous: { manager: '4.12.9-1', agent: null },
  needs_restart: { manager: true },
  vars: { on: true, n: 3, secret: { $secret: 'api' }, made: { $text: ['Basic ', { $secret: 'api' }] } },
  secret: { api: 'x' },
  fact: { status: 'yellow', shards: '0' },
};

/** `fact.later` is not known yet; the check `ready` holds on indexer-1 only. */
const scope: ConditionScope = {
  get(path, host = 'indexer-1') {
    if (path.join('.') === 'fact.later') return { known: false, dependsOn: ['play/step'], because: 'it is read later' };
    const here = path[0] === 'installed' ? { installed: { indexer: installed[host] ?? null } } : values;
    const member = memberOf(here, path);
    return member === undefined ? 'missing' : { known: true, value: member };
  },
  hosts: (name, limited) => (name !== 'indexer' ? [] : limited ? ['indexer-1'] : ['indexer-1', 'indexer-2']),
  check: (name, host = 'indexer-1') =>
    name === 'ready' ? { is: host === 'indexer-1', because: `${host} says so` } : undefined,
  typeOf: ([root = '', key]) =>
    ['installed', 'previous'].includes(root) || (root === 'platform' && key === 'target') ? 'Version' : 'dyn',
};

describe('a condition', () => {
  it.each<readonly [Condition, boolean | 'unknown', string]>([
    [true, true, 'always'],
    [false, false, 'never'],
    ['vars.on', true, 'vars.on is true'],
    ['installed.indexer == platform.target', true, 'installed.indexer is 4.14.7-1 (== 4.14.7)'],
    ['previous.manager < "4.13"', true, 'previous.manager is 4.12.9-1 (< 4.13)'],
    ['previous.agent < "4.13"', false, 'previous.agent is not installed'],
    ['needs_restart.manager', true, 'needs_restart.manager is true'],
    ['fact.nowhere == 1', 'unknown', 'fact.nowhere is undefined'],
    ['fact.status ==', 'unknown', 'the expression ends where a value is missing'],
    [
      'all_hosts.indexer.all(h, h.installed.indexer == platform.target)',
      false,
      'indexer-2: installed.indexer is 4.12.0-1, not 4.14.7',
    ],
    [
      'hosts.indexer.all(h, h.installed.indexer == platform.target)',
      true,
      'indexer-1: installed.indexer is 4.14.7-1 (== 4.14.7)',
    ],
    ['hosts.nosuch.all(h, h.ready)', true, 'hosts.nosuch is empty'],
    ['ready', true, 'indexer-1 says so'],
    ['all_hosts.indexer.all(h, h.ready)', false, 'indexer-2: indexer-2 says so'],
    ['fact.later == 1', 'unknown', 'it is read later'],
  ])('%j is %p: %s', (condition, is, because) => {
    expect(evaluate(condition, scope)).toMatchObject({ is, because });
  });

  it.each(['vars.secret == "x"', 'vars.made.like("B")', 'has(vars.secret)', 'size(vars.made) == 1'])(
    'reads no secret: %s',
    (text) => {
      expect(evaluate(text, scope)).toMatchObject({
        is: 'unknown',
        because: expect.stringMatching(/^vars\.\w+ is a secret, which no expression reads$/),
      });
    },
  );

  it('finds no secret by its name', () => {
    expect(evaluate('secret.api == "x"', scope)).toMatchObject({ is: 'unknown', never: true });
  });
});

describe('a list of expressions', () => {
  it.each<readonly [Condition, boolean | 'unknown', string]>([
    [['vars.on', 'vars.n == 3'], true, 'vars.on is true; vars.n is 3'],
    [['vars.on', 'vars.n == 4', 'vars.n == 5'], false, 'vars.n is 3, not 4; vars.n is 3, not 5'],
    [['fact.later == 1', 'vars.n == 4'], false, 'vars.n is 3, not 4'],
    [['vars.on', 'fact.later == 1'], 'unknown', 'it is read later'],
    [['fact.later == 1', 'fact.nowhere == 1'], 'unknown', 'fact.nowhere is undefined'],
  ])('%j is %p: %s', (condition, is, because) => {
    expect(evaluate(condition, scope)).toMatchObject({ is, because });
  });

  it('depends on the steps that the unknown ones depend on', () => {
    expect(evaluate(['vars.on', 'fact.later == 1'], scope)).toEqual({
      is: 'unknown',
      dependsOn: ['play/step'],
      because: 'it is read later',
    });
  });
});
