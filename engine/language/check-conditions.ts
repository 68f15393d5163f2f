import { isPattern } from '../lib/pattern.js';
import { isObject, type Json, type JsonObject } from '../terms/json.js';
import type { Tree } from './check-names.js';
import type { Mistakes } from './mistakes.js';
import { patternText } from './schema-text.js';
import { listOf, textOf } from './values.js';

const kinds = ['all', 'any', 'version', 'value', 'each', 'count'] as const;
const comparisons = ['is', 'not', 'in', 'at_least', 'at_most', 'above', 'below'];
const fitting: Readonly<Record<string, readonly string[]>> = {
  version: ['of', 'match', ...comparisons],
  value: ['of', 'match', ...comparisons, 'matches', 'contains', 'exists'],
  count: ['where', ...comparisons],
  each: ['where', 'satisfies'],
  all: [],
  any: [],
  not: [],
};

const everyKey = new Set(['not', ...Object.entries(fitting).flatMap(([kind, keys]) => [kind, ...keys])]);

/** What a schema cannot say well of a condition: it is of exactly one kind, has what that kind needs, and nothing that it ignores. */
export function checkForm(tree: Tree, mistakes: Mistakes): void {
  const { json, path, source, about } = tree;
  if (!isObject(json)) return;
  const kind = kindOf(json);
  // Keys that no condition has, and an empty one, have been told by the schema.
  const told = Object.keys(json).length === 0 || Object.keys(json).some((key) => !everyKey.has(key));
  const at = { source, path };
  if (!told && kind === undefined)
    mistakes.at(at, `${about}this condition says nothing to judge`, {
      hint: 'one of all, any, not, version, value, each, count',
    });
  if (!told && kind !== undefined) {
    const stray = Object.keys(json).find((key) => key !== kind && !(fitting[kind] ?? []).includes(key));
    if (stray !== undefined)
      mistakes.at({ source, path: [...path, stray], on: 'key' }, `${about}"${stray}" means nothing beside "${kind}"`);
    checkOperands(kind, json, tree, mistakes);
  }
  for (const [inner, part] of innerOf(json)) checkForm({ ...tree, path: [...path, ...part], json: inner }, mistakes);
}

const kindOf = (json: JsonObject): string | undefined =>
  kinds.find((kind) => Object.hasOwn(json, kind)) ?? (Object.hasOwn(json, 'not') ? 'not' : undefined);

function checkOperands(kind: string, json: JsonObject, { source, path, about }: Tree, mistakes: Mistakes): void {
  const has = (key: string): boolean => Object.hasOwn(json, key);
  const compared = comparisons.some(has) || (kind === 'value' && ['matches', 'contains', 'exists'].some(has));
  if (['version', 'value', 'count'].includes(kind) && !compared) {
    mistakes.at({ source, path, on: 'value' }, `${about}this condition does not say what "${kind}" is compared with`, {
      hint: 'such as `is: …` or `at_most: …`',
    });
  }
  if (kind === 'each' && !has('satisfies')) mistakes.at({ source, path }, `${about}"each" needs "satisfies"`);
  const pattern = textOf(json['matches']);
  if (pattern === undefined || pattern.includes('{{') || isPattern(pattern)) return;
  const { message, hint } = patternText('"matches"', pattern);
  mistakes.at({ source, path: [...path, 'matches'] }, about + message, { hint });
}

function innerOf(json: JsonObject): readonly (readonly [Json, readonly (string | number)[]])[] {
  const lists = (['all', 'any'] as const).flatMap((key) =>
    listOf(json[key]).map((inner, i) => [inner, [key, i]] as const),
  );
  const single = ['where', 'satisfies', ...(kindOf(json) === 'not' ? ['not'] : [])].flatMap((key) =>
    json[key] === undefined ? [] : [[json[key], [key]] as const],
  );
  return [...lists, ...single];
}
