import { jsonOrUndefined, pointer } from '../lib/json.js';
import { isObject, type Json } from '../terms/json.js';
import type { Judgement } from '../terms/module.js';
import { textOf } from './text-of.js';

const SHOWN = 5;

/** The objects of an export, a line each; its last line only counts them. */
export const linesOf = (text: string): readonly string[] =>
  text.split('\n').filter((line) => typeof pointer(jsonOrUndefined(line), '/type') === 'string');

/** What an import came to (§9.6.6): an object that is there already is a `conflict`, which counts as present; any other error fails. */
export function judgeImport(body: string): Judgement {
  const answer = jsonOrUndefined(body);
  if (!isObject(answer ?? null)) return { is: 'failed', reason: 'the import is answered with no JSON', hint: HINT };
  const errors = pointer(answer, '/errors');
  const all = Array.isArray(errors) ? (errors as readonly Json[]) : [];
  const other = all.filter((e) => pointer(e, '/error/type') !== 'conflict');
  if (other.length > 0)
    return {
      is: 'failed',
      reason: `${other.length} saved objects were refused: ${other.slice(0, SHOWN).map(told).join(', ')}`,
      hint: HINT,
    };
  if (pointer(answer, '/success') !== true && all.length === 0)
    return { is: 'failed', reason: 'the import did not succeed, and says no reason', hint: HINT };
  return { is: 'done', value: { imported: pointer(answer, '/successCount') ?? 0, present: all.length } };
}

const HINT = 'import the file by hand: Stack Management, Saved Objects, Import';

const told = (e: Json): string =>
  `${textOf(pointer(e, '/type'))} ${textOf(pointer(e, '/id'))} (${textOf(pointer(e, '/error/type'))})`;
