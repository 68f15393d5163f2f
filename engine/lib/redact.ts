import { formsOf, type SecretForms } from './secret-forms.js';

/** A place in a text where values of secrets stood. */
export interface Hidden {
  /** Whose: more than one where values overlap. */
  readonly names: readonly string[];
  /** It was exactly the value of the one secret, so the text can be made again from its name. */
  readonly exact: boolean;
}

/** A text in order: what may be shown, and what may not. */
export type Piece = string | Hidden;

interface Place {
  readonly from: number;
  readonly to: number;
}

interface Span extends Place {
  readonly names: readonly string[];
}

const isBase64 = (c: string | undefined): boolean => c !== undefined && /[A-Za-z0-9+/_-]/.test(c);

/** An encoded word goes as a whole: the characters beside the core hold bits of the value. */
function widen(text: string, { from, to }: Place): Place {
  while (isBase64(text[from - 1])) from -= 1;
  while (isBase64(text[to])) to += 1;
  while (text[to] === '=') to += 1;
  return { from, to };
}

/** Places of these forms, each from its first character on: occurrences of a value may overlap each other. */
function findAll(text: string, forms: SecretForms['written']): readonly Place[] {
  const found: Place[] = [];
  for (const form of forms)
    if (typeof form === 'string') addLiteral(text, form, found);
    else addMatches(text, form, found);
  return found;
}

function addLiteral(text: string, literal: string, found: Place[]): void {
  for (let at = text.indexOf(literal); at >= 0; at = text.indexOf(literal, at + 1))
    found.push({ from: at, to: at + literal.length });
}

function addMatches(text: string, pattern: RegExp, found: Place[]): void {
  pattern.lastIndex = 0;
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    found.push({ from: match.index, to: match.index + match[0].length });
    pattern.lastIndex = match.index + 1;
  }
}

/** A text without its line ends: programs wrap long words, and a terminal breaks a line where it ends. */
interface Joined {
  readonly text: string;
  /** Where a line ended in it, and how many characters were left out up to there. */
  readonly ends: readonly { readonly at: number; readonly left: number }[];
}

function join(text: string): Joined | undefined {
  if (!text.includes('\n')) return undefined;
  let left = 0;
  const ends = [...text.matchAll(/\r?\n/g)].map(({ 0: end, index }) => {
    const at = index - left;
    left += end.length;
    return { at, left };
  });
  return { text: text.replace(/\r?\n/g, ''), ends };
}

/** How many of these line ends stand before this character. */
function endsBefore(ends: Joined['ends'], index: number): number {
  let [low, high] = [0, ends.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ends[middle]?.at ?? index) < index) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** A place of the joined text in the text as it was, and the number of line ends within. */
function placeBefore({ ends }: Joined, { from, to }: Place): Place & { readonly within: number } {
  const [first, last] = [endsBefore(ends, from + 1), endsBefore(ends, to)];
  return {
    from: from + (ends[first - 1]?.left ?? 0),
    to: to + (ends[last - 1]?.left ?? 0),
    within: last - first,
  };
}

/** Where these forms stand, also with up to `most` line ends within. */
function findBroken(text: string, joined: Joined, forms: SecretForms['written'], most: number): readonly Place[] {
  const places = findAll(joined.text, forms).map((place) => placeBefore(joined, place));
  // What was found across too many lines may hide what stands in one of them.
  return places.every(({ within }) => within <= most)
    ? places
    : [...places.filter(({ within }) => within <= most), ...findAll(text, forms)];
}

/** A shorter value that is broken by a line end would be found by chance. */
const LEAST_BROKEN = 8;

function spansIn(text: string, joined: Joined | undefined, { name, value, written, encoded }: Known): readonly Span[] {
  const isWhole = joined === undefined || value.length < LEAST_BROKEN || value.includes('\n');
  const words =
    joined === undefined ? findAll(text, encoded) : findBroken(text, joined, encoded, Number.POSITIVE_INFINITY);
  const places = [
    ...(isWhole ? findAll(text, written) : findBroken(text, joined, written, 1)),
    ...words.map((word) => widen(text, word)),
  ];
  return places.map(({ from, to }) => ({ from, to, names: [name] }));
}

interface Known extends SecretForms {
  readonly name: string;
  readonly value: string;
}

/** Overlapping values become one span: a remainder would give half of one away. */
function merge(spans: readonly Span[]): readonly Span[] {
  const merged: Span[] = [];
  for (const span of spans.toSorted((a, b) => a.from - b.from || b.to - a.to)) {
    const last = merged.at(-1);
    if (last === undefined || span.from >= last.to) merged.push(span);
    else
      merged[merged.length - 1] = {
        ...last,
        to: Math.max(last.to, span.to),
        names: [...new Set([...last.names, ...span.names])],
      };
  }
  return merged;
}

/**
 * Gives a function that splits a text where it holds one of these values (by name), in whatever form (see SecretForms). Short values match by
 * chance, so whoever loads secrets refuses those under 4 characters.
 */
export function createSplitter(values: ReadonlyMap<string, string>): (text: string) => readonly Piece[] {
  const known = [...values].flatMap(([name, value]): readonly Known[] =>
    value === '' ? [] : [{ name, value, ...formsOf(value) }],
  );
  return (text) => {
    const joined = known.length === 0 ? undefined : join(text);
    const spans = merge(known.flatMap((one) => spansIn(text, joined, one)));
    const pieces: Piece[] = [];
    let at = 0;
    for (const { from, to, names } of spans) {
      if (from > at) pieces.push(text.slice(at, from));
      const exact = names.length === 1 && values.get(names[0] ?? '') === text.slice(from, to);
      pieces.push({ names, exact });
      at = to;
    }
    if (at < text.length) pieces.push(text.slice(at));
    return pieces;
  };
}

/** How a text is shown: `{{secret.NAME}}` where a value stood. */
export const showPieces = (pieces: readonly Piece[]): string =>
  pieces
    .map((piece) => (typeof piece === 'string' ? piece : piece.names.map((name) => `{{secret.${name}}}`).join('')))
    .join('');

/** Gives a function that replaces each value, in whatever form, by `{{secret.NAME}}`. */
export function createRedactor(values: ReadonlyMap<string, string>): (text: string) => string {
  const split = createSplitter(values);
  return (text) => showPieces(split(text));
}
