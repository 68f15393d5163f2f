import { describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import type { Event } from '../../engine/terms/event.js';
import type { Json, JsonObject } from '../../engine/terms/json.js';
import { carry } from './carriers.js';
import type { Proof, Seen } from './evidence.js';
import { itemsOf } from './items.js';
import { choose, judge, type Tried } from './judge.js';
import { lineOf } from './keep.js';
import { importedBy, prefixesOf } from './imports.js';
import { compareKeys, keysMentioned } from './keys.js';
import { isPartOf } from './match.js';
import { pageOf } from './page.js';
import { writtenIn } from './project.js';

const ITEMS = `
"9":
  title: Procedure
  items:
    9.1: Flush
    9.flush: { text: POST /_flush, by: [{ http: { method: POST, path: /_flush } }] }
    9.health: { text: Health, by: [{ fact: health, path: /_health }] }
    9.refused: { text: Not too new, by: [{ check: {} }], refused: true }
    9.person: { text: A window, reason: "an operator's act" }
    9.later: { text: The rollback, later: issue 5 }
    9.source: { text: Signing in, tests: [{ file: tests/a.test.ts, name: signs in }] }
`;
const PLAYBOOK = `
playbook: P
plays:
  - play: Work
    hosts: node
    steps:
      - step: Flush it
        http: { endpoint: e, method: POST, path: /_flush }
        spec: "9.1"
      - step: Be healthy
        wait_for: { that: fact.health.status == "green" }
      - step: Not newer
        check: { that: false, message: newer }
`;
const PLATFORM = { facts: { health: { endpoint: 'e', path: '/_health' } } };
const SEEN = ['done 9.1 work/Work/Flush it', 'ok - top/work/Work/Be healthy', 'blocked - work/Work/Not newer'];

const WHOLE = { 'playbooks/whole.yaml': [{ file: 'playbooks/work.yaml', as: 'work' }] };

const seenOf = (line: string): Seen => {
  const [as = '', spec = '', ...rest] = line.split(' ');
  return { as, spec: spec === '-' ? '' : spec, path: rest.join(' ') };
};
const proofOf = (file: string, lines: readonly string[], more: Partial<Proof> = {}): Proof => ({
  file,
  fresh: true,
  failed: false,
  tests: [],
  seen: lines.map(seenOf),
  ...more,
});
const A = proofOf('tests/a.test.ts', SEEN, { tests: ['an operator signs in'] });

/** What is found of these texts, given what tests saw, when the page names the tests that would be chosen. */
function found(
  { items = ITEMS, playbook = PLAYBOOK, platform = PLATFORM as JsonObject, proofs = [A] as readonly Proof[] },
  named?: Tried,
): readonly string[] {
  const carried = carriedOf(items, playbook, platform);
  const findings = judge(carried, proofs, named ?? choose(carried, proofs, {}));
  return findings.map(({ at, says }) => `${at} ${says}`);
}
function carriedOf(items = ITEMS, playbook = PLAYBOOK, platform: JsonObject = PLATFORM) {
  const { sections } = itemsOf(parse(items) as Json);
  const written = writtenIn('playbooks/work.yaml', parse(playbook) as Json, ['http'], ['work', 'top/work']);
  const docstrings = [{ file: 'engine/sign-in.ts', keys: ['9.source'] }];
  return carry(
    sections.flatMap((s) => s.items),
    { written, imports: WHOLE, platform, docstrings },
  );
}

describe('the table', () => {
  test('is right when each item has a carrier that a test saw at work, or a reason', () => {
    expect(found({})).toEqual([]);
  });

  test('misses a carrier that was taken away, by its key and by what it did', () => {
    const playbook = PLAYBOOK.replace('- step: Flush it', '- step: Nothing').replace('POST', 'GET');
    expect(found({ playbook: playbook.replace('spec: "9.1"', '') })).toEqual([
      '9.1 has no carrier, and no reason why it has none',
      expect.stringMatching(/^9\.flush nothing is there any more that matches .*_flush/),
      '9.flush has no carrier, and no reason why it has none',
      expect.stringMatching(/^9\.flush no journal kept from the test runs has an event of .*_flush/),
    ]);
  });

  test('misses a step that does another thing under its old name', () => {
    expect(found({ playbook: PLAYBOOK.replace('path: /_flush', 'path: /_refresh') })[0]).toMatch(/^9\.flush nothing/);
  });

  test('does not take a step of another procedure', () => {
    const of = (procedure: string): string => ITEMS.replace('title:', `procedure: ${procedure}\n  title:`);
    expect(found({ items: of('whole') })).toEqual([]);
    expect(found({ items: of('other') })[0]).toBe('9.1 has no carrier, and no reason why it has none');
  });

  test('misses a fact that nothing asks any more', () => {
    const playbook = PLAYBOOK.replace('fact.health.status', 'vars.health');
    expect(found({ playbook })[0]).toBe(
      '9.health nothing is there any more that matches {"fact":"health","path":"/_health"}',
    );
  });

  test.each([
    ['no event at all', SEEN.slice(1), /^9\.1 no journal kept from the test runs has an event of spec "9\.1"$/],
    ['an event under another key', ['done 9.2 work/Work/Flush it', ...SEEN.slice(1)], /^9\.1 no journal/],
    ['a step of the same name elsewhere', ['done 9.1 other/Work/Flush it', ...SEEN.slice(1)], /^9\.1 no journal/],
    ['a refusal that never came', [...SEEN.slice(0, 2), 'ok - work/Work/Not newer'], /^9\.refused .* has a refusal$/],
  ])('wants an event: %s', (_, lines, says) => {
    expect(found({ proofs: [proofOf('tests/a.test.ts', lines, { tests: A.tests })] })[0]).toMatch(says);
  });

  test('wants the test that it names to have passed', () => {
    expect(found({ proofs: [{ ...A, tests: [] }] })).toEqual([
      '9.source no journal kept from the test runs has the test "signs in" of tests/a.test.ts',
    ]);
  });

  test('does not take a source file for proof', () => {
    expect(found({ items: ITEMS.replace(/, tests: .*\]/, '') })).toEqual([
      '9.source only source files carry it, which leave no events: name a test that tries it (tests:)',
    ]);
  });

  test('does not take what was seen before a playbook was altered', () => {
    expect(found({ proofs: [{ ...A, fresh: false }] })).toHaveLength(5);
  });

  test('says so when others tried it than the page names', () => {
    const named = Object.fromEntries(['9.1', '9.flush', '9.health', '9.refused', '9.source'].map((k) => [k, [A.file]]));
    expect(found({}, { ...named, '9.1': ['tests/gone.test.ts'] })).toEqual([
      '9.1 other tests tried it than the page says: npm run docs',
    ]);
  });
});

describe('the tests that the page names', () => {
  const carried = carriedOf();
  const B = { ...A, file: 'tests/b.test.ts' };
  const REAL = { ...A, file: 'tests/system/lab.test.ts' };

  test('do not hang on the order of runs', () => {
    expect(choose(carried, [B, A], {})).toEqual(choose(carried, [B, A], choose(carried, [A, B], {})));
    expect(choose(carried, [A, B], { '9.1': [B.file] })['9.1']).toEqual([B.file]);
  });
  test('stay while nothing is known of them, and go when they no longer hold', () => {
    expect(choose(carried, [], { '9.1': [B.file] })).toEqual({ '9.1': [B.file] });
    expect(choose(carried, [A, { ...B, seen: [] }], { '9.1': [B.file] })['9.1']).toEqual([A.file]);
    expect(choose(carried, [A, { ...B, seen: [], failed: true }], { '9.1': [B.file] })['9.1']).toEqual([B.file]);
  });
  test('of real hosts are printed beside, and never enough alone', () => {
    expect(choose(carried, [A, REAL], {})['9.1']).toEqual([A.file, REAL.file]);
    expect(choose(carried, [A], { '9.1': [REAL.file] })['9.1']).toEqual([A.file, REAL.file]);
    expect(found({ proofs: [REAL] })).toHaveLength(5);
  });
});

test('the page has a row for each item, with its links, its reasons and what is still to come', () => {
  const { sections } = itemsOf(parse(ITEMS) as Json);
  const page = pageOf(sections, carriedOf(), {
    tried: { '9.1': ['tests/a.test.ts'] },
    asserted: { '9.1': ['the flush is missed'] },
  });
  expect(page).toContain(
    '7 items: 5 carried, 1 with a reason why not; of 1 something is still to come. 1 are asserted.',
  );
  expect(page).toContain(
    '| <a id="9.1"></a>9.1 | Flush | [work](../playbooks/work.yaml): Work / Flush it | asserted: the flush is missed<br>exercised: [a](../tests/a.test.ts) |',
  );
  expect(page).toContain("| A window | *not carried:* an operator's act |  |");
  expect(page).toContain('| The rollback | *later:* issue 5 |  |');
});

test('the data file is read with its mistakes', () => {
  const { findings } = itemsOf({ '9': { items: { '8.1': 'x', '9.A': 'x', '9.1': { txt: 'x' } } }, x: {} });
  expect(findings.map(({ at, says }) => `${at} ${says}`)).toEqual([
    expect.stringMatching(/^8\.1 is no item of section 9/),
    expect.stringMatching(/^9\.A is no item/),
    expect.stringMatching(/^9\.1 has the unknown field "txt"/),
    '9.1 has no text',
    'x is no number of a section',
  ]);
});

test.each<[Json, Json, boolean]>([
  ['b', 'abc', true],
  ['d', 'abc', false],
  [{ a: 1 }, { a: 1, b: 2 }, true],
  [{ a: { c: 1 } }, { a: { b: 1 } }, false],
  [['b', 'a'], ['a', 'b', 'c'], true],
  [['a', 'd'], ['a', 'b', 'c'], false],
  [{ fact: 'x' }, [{ fact: 'y' }, { fact: 'x' }], true],
  [{}, undefined as unknown as Json, false],
  [true, 'true', false],
])('%j is part of %j: %s', (pattern, value, is) => {
  expect(isPartOf(pattern, value)).toBe(is);
});

test('files of one name are told apart by who imports them', () => {
  const imports = {
    'playbooks/up.yaml': importedBy('playbooks/up.yaml', { plays: [{ import: 'node.yaml' }, { play: 'p' }] }),
    'playbooks/back.yaml': importedBy('playbooks/back.yaml', { plays: [{ import: 'back/node.yaml' }] }),
    'playbooks/node.yaml': [],
    'playbooks/back/node.yaml': [],
  };
  expect([...prefixesOf(Object.keys(imports), imports)]).toEqual([
    ['playbooks/up.yaml', ['up']],
    ['playbooks/node.yaml', ['up/node', 'node']],
    ['playbooks/back.yaml', ['back']],
    ['playbooks/back/node.yaml', ['back/node']],
  ]);
});

test('keys are read from a text without its full stops, and put in the order of the specification', () => {
  expect(keysMentioned('as §9.4.5. says (§7.yellow, §2, §8.one-at-a-time): §9.4.5')).toEqual([
    '9.4.5',
    '7.yellow',
    '2',
    '8.one-at-a-time',
  ]);
  expect(['9.10', '9.2', '10', '9.2.a', '9'].sort(compareKeys)).toEqual(['9', '9.2', '9.2.a', '9.10', '10']);
});

test('of the events those that end a task, begin a play, warn, or wait for an invariant are kept', () => {
  const task = { step: 'a/b/c', on: { host: 'h' } } as const;
  const settled: Event = { e: 'settled', task, name: 'c', spec: '9.1', as: 'ok', changed: false, tookMs: 1 };
  const waiting: Event = { e: 'waiting', host: 'h', for: 'One at a time: it is red', forMs: 1, limitMs: 2 };
  expect([settled, waiting, { ...waiting, task }].map((event) => lineOf(event, 'apply'))).toEqual([
    'ok 9.1 a/b/c',
    'waited - invariant/One at a time',
    undefined,
  ]);
  expect([settled, waiting].map((event) => lineOf(event, 'plan'))).toEqual(['ok 9.1 a/b/c', undefined]);
});
