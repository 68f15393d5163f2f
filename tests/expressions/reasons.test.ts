import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { evaluate } from '../../engine/expressions/evaluate.js';
import { parseExpression } from '../../engine/expressions/parse.js';
import type { Statement, Truth } from '../../engine/terms/condition.js';
import { scope } from './scope.js';

function answer(text: string): Truth {
  const parsed = parseExpression(text);
  if (!parsed.ok) throw new Error(`${text}: ${parsed.mistake.reason}`);
  return evaluate(parsed.ast, scope);
}

/** A value of a statement as it is written in an expression. */
const literal = (shown: string): string =>
  /^(?:".*"|\[.*\]|\d+|true|false)$/.test(shown) ? shown : `version("${shown}")`;

/** What a statement says, as expressions that must be true. */
function claimsOf({ of, subject, value, compared }: Statement): readonly string[] {
  const [, variable = '', list = '', condition = ''] = /^no (\w+) in (\S+) with (.*)$/.exec(subject) ?? [];
  if (variable !== '') return [`!${list}.exists(${variable}, ${condition})`];
  const [, all = '', count = '', each = '', one = ''] = /^(\S+) has (\d+) (\w+) with (.*), not 1$/.exec(subject) ?? [];
  if (each !== '')
    return count === '0'
      ? [`!${all}.exists(${each}, ${one})`]
      : [`${all}.exists(${each}, ${one}) && !${all}.exists_one(${each}, ${one})`];
  if (value === undefined) return [subject];
  const name = of === undefined ? subject : `n.${subject}`;
  const claims = value === 'not installed' ? [`!has(${name})`] : [`${name} == ${literal(value)}`];
  if (compared !== undefined) {
    const { operator, wanted, holds } = compared;
    const isMethod = operator === 'like';
    const text = isMethod ? `${name}.${operator}(${wanted})` : `${name} ${operator} ${literal(wanted)}`;
    claims.push(holds ? text : `!(${text})`);
  }
  return of === undefined ? claims : claims.map((claim) => `fact.nodes.exists(n, n.name == "${of}" && ${claim})`);
}

const order = fc.constantFrom('==', '!=', '<', '<=', '>', '>=');
const versions = fc.constantFrom('installed.indexer', 'installed.manager', 'platform.target', '"4.12.0"', '"4.13"');
const name = fc.constantFrom('installed.indexer', 'installed.manager', 'platform.target');
const number = fc.constantFrom('vars.limit', 'fact.health.nodes', 'size(fact.nodes)', '2', '4');
const status = fc.constantFrom('["green"]', '["yellow", "green"]');
const leaf = fc.oneof(
  fc.tuple(name, order, versions).map((words) => words.join(' ')),
  fc.tuple(number, order, number).map((words) => words.join(' ')),
  status.map((list) => `fact.health.status in ${list}`),
  fc.constantFrom('fact.unit.like("act")', 'fact.unit.like("x")', 'fact.unit.like("^a")', 'has(installed.manager)'),
);
const ofNode = fc.oneof(
  fc.constantFrom('"indexer-1"', '"indexer-2"', '"indexer-3"', 'vars.node_name').map((one) => `n.name == ${one}`),
  fc.constantFrom('"2.19.4"', '"2.16.0"', '"3"').map((one) => `n.version != ${one}`),
  fc.constantFrom('"2.19"', '"2."', '"3"').map((one) => `n.version.like(${one})`),
);
const conjunction = (one: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.array(one, { minLength: 1, maxLength: 4 }).map((all) => all.join(' && '));
const macro = fc
  .tuple(fc.constantFrom('all', 'exists', 'exists_one'), conjunction(ofNode))
  .map(([kind, condition]) => `fact.nodes.${kind}(n, ${condition})`);
const expression = fc.oneof(
  leaf,
  macro,
  conjunction(fc.oneof(leaf, macro)),
  leaf.map((one) => `not(${one})`),
);

test('each statement of a reason is true, also where the condition does not hold', () => {
  const seen = { true: 0, false: 0 };
  const property = fc.property(expression, (text) => {
    const truth = answer(text);
    if (truth.is === 'unknown') throw new Error(`${text}: ${truth.because}`);
    seen[`${truth.is}`] += 1;
    expect(truth.statements?.length).toBeGreaterThan(0);
    for (const claim of truth.statements?.flatMap(claimsOf) ?? [])
      expect([claim, answer(claim).is]).toEqual([claim, true]);
  });
  fc.assert(property, { numRuns: 2000 });
  expect(Math.min(seen.true, seen.false)).toBeGreaterThan(200);
});

test('a reason is one line of at most 100 characters, which counts what it leaves out', () => {
  const property = fc.property(conjunction(fc.oneof(leaf, macro)), (text) => {
    const { because, ...truth } = answer(text);
    expect(because.length).toBeLessThanOrEqual(100);
    expect(because).not.toMatch(/\n/);
    const [, more = '0'] = /\(and (\d+) more\)$/.exec(because) ?? [];
    const said = because.replace(/ \(and \d+ more\)$/, '').split('; ').length;
    expect(said + Number(more)).toBe('statements' in truth ? truth.statements.length : undefined);
  });
  fc.assert(property, { numRuns: 1000 });
});
