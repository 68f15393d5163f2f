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

interface Span {
  readonly from: number;
  readonly to: number;
  readonly names: readonly string[];
}

const isBase64 = (c: string | undefined): boolean => c !== undefined && /[A-Za-z0-9+/_-]/.test(c);

/** A base64 word goes as a whole: the characters beside the core hold bits of the value. */
function widen(text: string, span: Span): Span {
  let { from, to } = span;
  while (isBase64(text[from - 1])) from -= 1;
  while (isBase64(text[to])) to += 1;
  while (text[to] === '=') to += 1;
  return { ...span, from, to };
}

function* matches(text: string, pattern: RegExp | undefined, name: string): Generator<Span> {
  if (pattern === undefined) return;
  pattern.lastIndex = 0;
  for (let found = pattern.exec(text); found !== null; found = pattern.exec(text)) {
    yield { from: found.index, to: found.index + found[0].length, names: [name] };
    // One character on, not past it: occurrences of a value may overlap each other.
    pattern.lastIndex = found.index + 1;
  }
}

function* places(text: string, literal: string, name: string): Generator<Span> {
  for (let at = text.indexOf(literal); at >= 0; at = text.indexOf(literal, at + 1))
    yield { from: at, to: at + literal.length, names: [name] };
}

const spansIn = (text: string, name: string, { literals, patterns, base64 }: SecretForms): readonly Span[] => [
  ...literals.flatMap((literal) => [...places(text, literal, name)]),
  ...patterns.flatMap((pattern) => [...matches(text, pattern, name)]),
  ...[...matches(text, base64, name)].map((span) => widen(text, span)),
];

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
  const forms = [...values].filter(([, value]) => value !== '').map(([name, value]) => [name, formsOf(value)] as const);
  return (text) => {
    const spans = merge(forms.flatMap(([name, form]) => spansIn(text, name, form)));
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
