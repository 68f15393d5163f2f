import { showPieces, type Piece } from '../lib/redact.js';
import type { Recorded } from '../terms/event.js';
import { isObject, type Json } from '../terms/json.js';
import { withheld, withheldForm } from '../terms/secret.js';
import { alterData, mapFields, mapList } from './event-data.js';

/** Splits a text where it holds a secret. */
export type Split = (text: string) => readonly Piece[];

/** The value of a secret by its name; undefined where it is not known. */
export type Reveal = (name: string) => string | undefined;

const REDACTED = '$redacted';
const ENTRIES = '$entries';

const isPlain = (pieces: readonly Piece[]): boolean => pieces.every((piece) => typeof piece === 'string');

/** An event as people see it: `{{secret.NAME}}` wherever a secret stood, in keys of data too. */
export const shown = (recorded: Recorded, split: Split): Recorded => ({
  ...recorded,
  event: alterData(recorded.event, (value) => shownData(value, split)),
});

/** The same of data that is in no event. */
export function shownData(data: Json, split: Split): Json {
  const show = (value: Json): Json => {
    if (typeof value === 'string') {
      const pieces = split(value);
      return isPlain(pieces) ? value : showPieces(pieces);
    }
    if (Array.isArray(value)) return mapList(value as readonly Json[], show);
    if (!isObject(value)) return value;
    const fields = mapFields(value, show);
    return Object.keys(value).every((key) => isPlain(split(key)))
      ? fields
      : Object.fromEntries(Object.entries(fields).map(([key, v]) => [showPieces(split(key)), v]));
  };
  return show(data);
}

/**
 * An event as a journal keeps it. A text with a secret becomes a list of its pieces, so that no text of a host can be taken for one, and a
 * resume has it as it was.
 */
export function forJournal(recorded: Recorded, split: Split): Recorded {
  const keep = (value: Json): Json => {
    if (typeof value === 'string') {
      const pieces = split(value);
      return isPlain(pieces) ? value : { [REDACTED]: pieces as unknown as Json };
    }
    if (Array.isArray(value)) return mapList(value as readonly Json[], keep);
    if (!isObject(value)) return value;
    // A journal's own keys begin with a dollar. A key of a host that does, or that holds a secret, is kept as a value.
    if (Object.keys(value).some((key) => key.startsWith('$') || !isPlain(split(key))))
      return { [ENTRIES]: Object.entries(value).map(([key, v]) => [keep(key), keep(v)]) };
    return mapFields(value, keep);
  };
  return { ...recorded, event: alterData(recorded.event, keep) };
}

/** The secrets that `kept` took out of a record. No text or object of a host is taken for one: its keys are kept as values. */
export function redactedNames(value: Json): readonly string[] {
  if (Array.isArray(value)) return (value as readonly Json[]).flatMap(redactedNames);
  if (!isObject(value)) return [];
  const pieces = value[REDACTED];
  if (Array.isArray(pieces))
    // A long piece is kept elsewhere, by its hash.
    return (pieces as unknown as readonly Piece[]).flatMap((p) =>
      typeof p === 'string' || !('names' in p) ? [] : p.names,
    );
  return Object.values(value).flatMap(redactedNames);
}

/**
 * What `kept` made of an event: with `reveal` as it was, for a resume; without, as people see it. What cannot be revealed (the secret is gone, or
 * stood there in another form) is marked, so that it is never written to a host.
 */
export function opened(recorded: Recorded, reveal?: Reveal): Recorded {
  const textOf = (piece: Piece): string => {
    if (typeof piece === 'string') return piece;
    if (reveal === undefined) return showPieces([piece]);
    if (!piece.exact) return withheldForm(showPieces([piece]));
    return reveal(piece.names[0] ?? '') ?? withheld(showPieces([piece]));
  };
  const open = (value: Json): Json => {
    if (Array.isArray(value)) return mapList(value as readonly Json[], open);
    if (!isObject(value)) return value;
    const [pieces, entries] = [value[REDACTED], value[ENTRIES]];
    if (Array.isArray(pieces)) return (pieces as unknown as readonly Piece[]).map(textOf).join('');
    if (Array.isArray(entries))
      return Object.fromEntries((entries as readonly [Json, Json][]).map(([key, v]) => [open(key) as string, open(v)]));
    return mapFields(value, open);
  };
  return { ...recorded, event: alterData(recorded.event, open) };
}
