import { jsonOrUndefined, pointer } from '../../../../lib/json.js';
import { isObject, type Json } from '../../../../terms/json.js';
import type { Judgement } from '../../../../terms/module.js';
import { textOf } from '../../../../modules/shared/text-of.js';

const SHOWN = 5;

/** What a dashboard takes in one import unless its configuration says otherwise (`savedObjects.maxImportPayloadBytes`), less the form around it. */
const IMPORT_LIMIT_BYTES = 25 * 1024 * 1024 - 1024;

/** The objects of an export, a line each; its last line only counts them. */
export const linesOf = (text: string): readonly string[] =>
  text.split('\n').filter((line) => typeof pointer(jsonOrUndefined(line), '/type') === 'string');

/** An export that cannot be imported is refused while everything still runs. */
export function judgeExport(tenant: string, body: string): Judgement {
  const sizeBytes = Buffer.byteLength(body);
  if (sizeBytes > IMPORT_LIMIT_BYTES)
    return {
      is: 'failed',
      reason: `the saved objects of ${tenant} are ${Math.ceil(sizeBytes / 1024 / 1024)} MiB, and a dashboard imports at most 25 MiB at once`,
      hint: LESS,
    };
  const lines = body.trim().split('\n');
  if (!isObject(jsonOrUndefined(lines[0] ?? '') ?? null) || !isObject(jsonOrUndefined(lines.at(-1) ?? '') ?? null))
    return {
      is: 'failed',
      reason: `the export of ${tenant} is answered with no saved objects`,
      hint: 'is that address the dashboard itself, and no page to sign in at?',
    };
  // Kept for the next round, which writes it.
  return { is: 'items', items: { [tenant]: { is: 'pending', value: body } } };
}

export const LESS =
  'export fewer types (the variable saved_objects_types), or export them by hand in parts: saved_objects: manual';

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
      reason: `${other.length} saved objects were refused: ${other.slice(0, SHOWN).map(refusalText).join(', ')}`,
      hint: HINT,
    };
  if (pointer(answer, '/success') !== true && all.length === 0)
    return { is: 'failed', reason: 'the import did not succeed, and says no reason', hint: HINT };
  return { is: 'done', value: { imported: pointer(answer, '/successCount') ?? 0, present: all.length } };
}

const HINT = 'import the file by hand: Stack Management, Saved Objects, Import';

const refusalText = (e: Json): string =>
  `${textOf(pointer(e, '/type'))} ${textOf(pointer(e, '/id'))} (${textOf(pointer(e, '/error/type'))})`;
