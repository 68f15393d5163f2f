import { content, type FileContent } from '../../facts/file.js';
import { jsonOrUndefined, stableStringify } from '../../lib/json.js';
import { ok, type Verdict } from '../../terms/change.js';
import { need } from '../../terms/fact.js';
import { isObject, type Json, type JsonObject } from '../../terms/json.js';
import { defineModule } from '../../terms/module.js';
import { leavesOf } from '../shared/json-state.js';
import { maskPair } from '../shared/mask.js';
import type { Args } from './schema.js';

/** The most differences that are shown, and the longest part of a value. */
const SHOWN = 5;
const LONGEST = 80;

export const jsonCompare = defineModule<Args>()({
  name: 'json-compare',
  onlyLooks: true,
  needs: ({ path, original }, { task }) => ({
    now: need(task.on, content, path),
    before: need(task.on, content, original),
  }),
  touches: () => [],
  decide: (args, { now, before }) => judge(args, now, before),
});

function judge({ path, original, hint }: Args, now: FileContent, before: FileContent): Verdict {
  if (before === null) return ok(`there is no ${original} to compare ${path} with`);
  if (now === null) return ok(`there is no ${path}`);
  const differs = differences(before.text, now.text);
  if (differs.length === 0) return ok(`${path} holds what ${original} does`);
  const more = differs.length > SHOWN ? `; and ${differs.length - SHOWN} more` : '';
  return ok(`${path} differs from ${original}`, { differs }, [
    `${path} was customised: ${differs.slice(0, SHOWN).join('; ')}${more}${hint === undefined ? '' : ` (${hint})`}`,
  ]);
}

/** Each value that differs, by its dotted name: `order 0 → 7`. A file that is no JSON differs as a whole. */
function differences(before: string, now: string): readonly string[] {
  if (before === now) return [];
  const [old, young] = [jsonOrUndefined(before), jsonOrUndefined(now)];
  if (old === undefined || young === undefined) return ['it is no JSON'];
  const [was, is] = valuesOf(old, young);
  return [...new Set([...was.keys(), ...is.keys()])].sort().flatMap((name) => {
    const [a, b] = [was.get(name), is.get(name)];
    if (a === b) return [];
    const [shownA, shownB] = maskPair(`${name}: ${a ?? ''}`, `${name}: ${b ?? ''}`).map((t) =>
      t.slice(name.length + 2),
    );
    const [from, to] = [short(shownA), short(shownB)];
    return [a === undefined ? `${name} ${to} is new` : b === undefined ? `${name} is gone` : `${name} ${from} → ${to}`];
  });
}

type Values = ReadonlyMap<string, string>;

/** The values of both by their dotted names. Entries of lists of one length are compared by their number, other lists as one value. */
function valuesOf(a: Json, b: Json, prefix = ''): readonly [Values, Values] {
  const lists = Array.isArray(a) && Array.isArray(b) && a.length === b.length;
  if (!lists && !(isObject(a) && isObject(b))) return [leavesFrom(a, prefix), leavesFrom(b, prefix)];
  const [x, y] = [a, b] as unknown as readonly [JsonObject, JsonObject];
  const parts = [...new Set([...Object.keys(x), ...Object.keys(y)])].map((key) => {
    const name = prefix === '' ? key : `${prefix}.${key}`;
    const [inA, inB] = [x[key], y[key]];
    if (inA !== undefined && inB !== undefined) return valuesOf(inA, inB, name);
    return [leavesFrom(inA, name), leavesFrom(inB, name)] as const;
  });
  return [new Map(parts.flatMap(([values]) => [...values])), new Map(parts.flatMap(([, values]) => [...values]))];
}

const leavesFrom = (json: Json | undefined, prefix: string): Values =>
  new Map((json === undefined ? [] : leavesOf(json, prefix)).map(({ name, value }) => [name, stableStringify(value)]));

const short = (text = ''): string => (text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text);
