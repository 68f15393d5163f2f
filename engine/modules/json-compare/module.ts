import { content, type FileContent } from '../../facts/file.js';
import { jsonOrUndefined, stableStringify } from '../../lib/json.js';
import { ok, type Verdict } from '../../terms/change.js';
import { need } from '../../terms/fact.js';
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
  const [was, is] = [leavesIn(before), leavesIn(now)];
  if (was === undefined || is === undefined) return ['it is no JSON'];
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

function leavesIn(text: string): ReadonlyMap<string, string> | undefined {
  const json = jsonOrUndefined(text);
  return json === undefined
    ? undefined
    : new Map(leavesOf(json).map(({ name, value }) => [name, stableStringify(value)]));
}

const short = (text = ''): string => (text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text);
