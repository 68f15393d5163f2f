import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { limitHosts, matchesGlob, select } from '../../engine/language/playbook/selector.js';
import type { Play } from '../../engine/terms/playbook.js';
import { host } from './hosts.js';

const hosts = [
  host('indexer-1', ['indexer'], ['blue']),
  host('indexer-2', ['indexer']),
  host('indexer-3', ['indexer'], ['blue']),
  host('server-1', ['server', 'master']),
  host('server-2', ['server', 'worker'], ['blue']),
];
const names = hosts.map((h) => h.name);
const roles = { indexer: {}, server: {}, master: {}, worker: {}, dashboard: {} };
type Written = Pick<Play, 'hosts' | 'runOnce'>;

describe('select', () => {
  it.each<readonly [string, Written, readonly string[]]>([
    ['all', { hosts: ['all'] }, names],
    ['the controller', { hosts: 'controller' }, []],
    ['a role', { hosts: ['indexer'] }, ['indexer-1', 'indexer-2', 'indexer-3']],
    ['a name', { hosts: ['server-2'] }, ['server-2']],
    ['a glob', { hosts: ['*-1'] }, ['indexer-1', 'server-1']],
    ['a group', { hosts: ['blue'] }, ['indexer-1', 'indexer-3', 'server-2']],
    ['what is also that', { hosts: ['indexer', '&blue'] }, ['indexer-1', 'indexer-3']],
    ['less those', { hosts: ['server', '!master'] }, ['server-2']],
    ['all less those', { hosts: ['!indexer'] }, ['server-1', 'server-2']],
    ['only the first', { hosts: ['indexer'], runOnce: true }, ['indexer-1']],
    ['a union in its own order', { hosts: ['worker', 'server'] }, ['server-2', 'server-1']],
    ['none', { hosts: ['dashboard'] }, []],
  ])('%s', (_name, play, expected) => {
    expect(select(play, hosts, { roles })).toEqual(expected);
  });

  it('a word that is a role is no host and no group', () => {
    const odd = [host('dashboard', ['indexer'], ['server']), host('web', ['dashboard'])];
    expect(select({ hosts: ['dashboard'] }, odd, { roles })).toEqual(['web']);
    expect(select({ hosts: ['server'] }, odd, { roles })).toEqual([]);
  });

  it.each<readonly [string, readonly (readonly string[])[], readonly string[]]>([
    ['the elected one', [['indexer-1']], ['indexer-2', 'indexer-3', 'indexer-1']],
    [
      'those that may be elected, and the elected one last of all',
      [['indexer-1', 'indexer-2'], ['indexer-1']],
      ['indexer-3', 'indexer-2', 'indexer-1'],
    ],
    ['none', [[]], ['indexer-1', 'indexer-2', 'indexer-3']],
  ])('last: %s', (_name, last, expected) => {
    expect(select({ hosts: ['indexer'] }, hosts, { roles, last })).toEqual(expected);
    expect(select({ hosts: ['indexer'], runOnce: true }, hosts, { roles, last })).toEqual(expected.slice(0, 1));
  });

  it.each<readonly [string, Written, readonly string[]]>([
    ['narrows', { hosts: ['all'] }, ['indexer-2', 'server-1']],
    ['comes before run_once', { hosts: ['indexer'], runOnce: true }, ['indexer-2']],
    ['does not narrow what is taken away', { hosts: ['indexer', '!indexer-1', '!indexer-3'] }, ['indexer-2']],
  ])('a limit %s', (_name, play, expected) => {
    expect(select(play, hosts, { roles, limit: new Set(['indexer-2', 'server-1']) })).toEqual(expected);
  });

  const leaf = fc.constantFrom('all', 'indexer', 'blue', '*-2', 'server-1');
  const limit = fc.option(
    fc.subarray(names).map((n) => new Set(n)),
    { nil: undefined },
  );

  it('obeys the laws of sets', () => {
    const property = fc.property(leaf, leaf, limit, (a, b, limited) => {
      const context = { roles, ...(limited === undefined ? {} : { limit: limited }) };
      const of = (...words: string[]): readonly string[] => select({ hosts: words }, hosts, context);
      expect(of(a, `&${b}`)).toEqual(of(a).filter((n) => of(b).includes(n)));
      expect(of(a, `!${b}`)).toEqual(of(a).filter((n) => !of(b).includes(n)));
      expect(new Set(of(a, b))).toEqual(new Set([...of(a), ...of(b)]));
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
