import type { Piece } from '../lib/redact.js';
import { isObject, type Json } from '../terms/json.js';
import type { Secrets } from '../terms/machine.js';
import { isWithheld, masked, unmasked, WITHHELD, withheld, withheldForm } from '../terms/secret.js';
import { showPieces } from '../lib/redact.js';

/** Each text of a tree, replaced. */
function mapTexts<T>(tree: T, replace: (text: string) => string): T {
  const visit = (part: Json): Json => {
    if (typeof part === 'string') return replace(part);
    if (Array.isArray(part)) return (part as readonly Json[]).map(visit);
    if (!isObject(part)) return part;
    return Object.fromEntries(Object.entries(part).map(([key, value]) => [key, visit(value)]));
  };
  return visit(tree as Json) as T;
}

/**
 * Takes the values of a worker's secrets out of what its hosts answer. A value in full leaves a mark with its name, which `unmask` puts back
 * where the same text is to be written; of another form of it nothing can be put back, so nothing can be written with it.
 */
export const mask = <T>(tree: T, secrets: Secrets): T =>
  mapTexts(tree, (text) => {
    // A host may hold what looks like a mark: nothing is put back there, and nothing is written with it.
    if (isWithheld(text)) return withheld(secrets.redact(text.replaceAll(WITHHELD, '\ufffd')));
    const pieces = secrets.split(text);
    return pieces.every((piece) => typeof piece === 'string') ? text : pieces.map(shown).join('');
  });

const shown = (piece: Piece): string => {
  if (typeof piece === 'string') return piece;
  return piece.exact ? masked(piece.names[0] ?? '') : withheldForm(showPieces([piece]));
};

/** Puts the values of these secrets where `mask` took them out. A mark of any other stays, and is refused where it would be written. */
export const unmask = <T>(tree: T, secrets: Secrets): T => mapTexts(tree, (text) => unmasked(text, secrets.known));
