import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { limitHosts, matchesGlob, select } from '../../engine/language/selector.js';
import type { Selector } from '../../engine/terms/condition.js';
import { host } from './hosts.js';

const hosts = [
  host('indexer-1', ['indexer'], ['blue']),
  host('indexer-2', ['indexer']),
  host('indexer-3', ['indexer'], ['blue']),
  host('server-1', ['server', 'master']),
  host('server-2', ['server', 'worker'], ['blue']),
];
const names = hosts.map((h) => h.name);
const factHosts = (fact: string): readonly string[] =>
  ({ elected: ['indexer-1'], eligible: ['indexer-1', 'indexer-2'] })[fact] ?? [];

describe('select', () => {
  it.each<readonly [string, Selector, readonly string[]]>([
    ['all', 'all', names],
    ['the controller', 'controller', []],
    ['a role', { role: 'indexer' }, ['indexer-1', 'indexer-2', 'indexer-3']],
    ['a name', { name: 'server-2' }, ['server-2']],
    ['a pattern', { pattern: '*-1' }, ['indexer-1', 'server-1']],
    ['a group', { group: 'blue' }, ['indexer-1', 'indexer-3', 'server-2']],
    ['a role and a group', { role: 'indexer', group: 'blue' }, ['indexer-1', 'indexer-3']],
    ['and', { role: 'indexer', and: { group: 'blue' } }, ['indexer-1', 'indexer-3']],
    ['except', { role: 'server', except: { role: 'master' } }, ['server-2']],
    ['take first', { role: 'indexer', take: 'first' }, ['indexer-1']],
    ['take two', { role: 'indexer', take: 2 }, ['indexer-1', 'indexer-2']],
    ['a union in its own order', [{ role: 'worker' }, { role: 'server' }], ['server-2', 'server-1']],
    ['the elected one last', { role: 'indexer', last: { fact: 'elected' } }, ['indexer-2', 'indexer-3', 'indexer-1']],
    [
      'those that may be elected after the others, and the elected one last of all',
      { role: 'indexer', last: [{ fact: 'eligible' }, { fact: 'elected' }] },
      ['indexer-3', 'indexer-2', 'indexer-1'],
    ],
    [
      'the elected one last, and the first two',
      { role: 'indexer', last: { fact: 'elected' }, take: 2 },
      ['indexer-2', 'indexer-3'],
    ],
    ['a fact that names no host', { role: 'indexer', last: { fact: 'lost' } }, ['indexer-1', 'indexer-2', 'indexer-3']],
    ['none', { role: 'dashboard' }, []],
  ])('%s', (_name, selector, expected) => {
    expect(select(selector, hosts, { factHosts })).toEqual(expected);
  });

  it.each<readonly [string, Selector, readonly string[]]>([
    ['narrows', 'all', ['indexer-2', 'server-1']],
    ['comes before take', { role: 'indexer', take: 'first' }, ['indexer-2']],
    [
      'does not narrow what is excepted',
      { role: 'indexer', except: { role: 'indexer', take: 'first' } },
      ['indexer-2'],
    ],
  ])('a limit %s', (_name, selector, expected) => {
    expect(select(selector, hosts, { limit: new Set(['indexer-2', 'server-1']) })).toEqual(expected);
  });

  const leaf = fc.constantFrom<Selector>(
    'all',
    { role: 'indexer' },
    { group: 'blue' },
    { pattern: '*-2' },
    { name: 'server-1' },
  );
  const limit = fc.option(
    fc.subarray(names).map((n) => new Set(n)),
    { nil: undefined },
  );

  it('obeys the laws of sets', () => {
    const property = fc.property(leaf, leaf, limit, (a, b, limited) => {
      const context = limited === undefined ? {} : { limit: limited };
      const [inA, inB] = [select(a, hosts, context), select(b, hosts, context)];
      const rest = typeof a === 'string' ? {} : (a as object);
      expect(select({ ...rest, and: b }, hosts, context)).toEqual(inA.filter((n) => inB.includes(n)));
      expect(select({ ...rest, except: b }, hosts, context)).toEqual(inA.filter((n) => !inB.includes(n)));
      expect(new Set(select([a, b], hosts, context))).toEqual(new Set([...inA, ...inB]));
    });
    fc.assert(property);
  });
});

describe('matchesGlob', () => {
  it.each([
    ['web-*', 'web-001', true],
    ['web-*', 'my-web-001', false],
    ['*', '', true],
    ['a.c', 'abc', false],
    ['w?b', 'web', true],
    ['[a]', 'a', false],
    ['(a|b)+$', '(a|b)+$', true],
  ])('%p on %p is %p', (glob, name, expected) => {
    expect(matchesGlob(glob, name)).toBe(expected);
  });
});

describe('limitHosts', () => {
  const hosts = [
    host('indexer-1', ['indexer']),
    host('indexer-2', ['indexer']),
    host('server-1', ['server', 'master'], ['site-a']),
    host('web-001', ['agent'], ['web', 'site-a']),
    host('web-002', ['agent'], ['web']),
  ];
  it.each<readonly [string, readonly string[]]>([
    ['indexer-2', ['indexer-2']],
    ['web-*', ['web-001', 'web-002']],
    ['web-00?', ['web-001', 'web-002']],
    ['web', ['web-001', 'web-002']],
    ['master, indexer', ['indexer-1', 'indexer-2', 'server-1']],
    ['web,!web-002', ['web-001']],
    ['!web', ['indexer-1', 'indexer-2', 'server-1']],
    ['site-a,&agent', ['web-001']],
    ['web-002,indexer-1', ['indexer-1', 'web-002']],
  ])('%p', (text, expected) => {
    expect(limitHosts(text, hosts)).toEqual({ ok: true, hosts: expected });
  });

  it.each([
    ['', '--limit needs a value', 'leave it out to take every host'],
    [' , ', '--limit needs a value', 'leave it out to take every host'],
    ['indexr-1', '--limit: no host, group or role is called "indexr-1"', 'did you mean "indexer-1"?'],
    ['indexer,mars', '--limit: no host, group or role is called "mars"', undefined],
    ['web,!agent', '--limit web,!agent leaves no host', undefined],
  ])('%p is a mistake', (text, message, hint) => {
    expect(limitHosts(text, hosts)).toEqual({ ok: false, message, ...(hint === undefined ? {} : { hint }) });
  });
});
