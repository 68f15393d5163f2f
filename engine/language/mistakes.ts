import type { Diagnostic } from '../terms/diagnostic.js';
import type { Source } from './yaml/source.js';
import type { Path } from './yaml/node.js';

/** A part of a file. `on` is what to point at; `word` narrows it to that text in the value. */
export interface Spot {
  readonly source: Source;
  readonly path: Path;
  readonly on?: 'key' | 'value';
  readonly word?: string;
  /** How many others of that word stand before it. */
  readonly nth?: number;
}

export interface Advice {
  readonly hint?: string | undefined;
  readonly spec?: string | undefined;
  /** What stands there may be a password. */
  readonly conceal?: true;
}

/** All mistakes found so far. Loading continues after a mistake, so that all are reported at once. */
export interface Mistakes {
  readonly found: readonly Diagnostic[];
  /** The part of the file that a mistake is about; undefined for one of a text that is not data, or of the command line. */
  spotOf(mistake: Diagnostic): Spot | undefined;
  at(spot: Spot, message: string, advice?: Advice): void;
  /** Mistakes of a file as text, found before it was data. */
  add(diagnostics: readonly Diagnostic[]): void;
  /** Nothing is said of this value. */
  silence(source: Source, path: Path): void;
}

export function collectMistakes(): Mistakes {
  const found: Diagnostic[] = [];
  const said = new Set<string>();
  /** Values of which no more is said: what is wrong with them was reported, or they are still to be filled in. */
  const settled: Pick<Diagnostic, 'file' | 'line' | 'column'>[] = [];
  const spots = new Map<Diagnostic, Spot>();
  const add = (diagnostic: Diagnostic, spot?: Spot): void => {
    // A file that is imported twice is wrong once, and so is what two plays share by an alias.
    const what = diagnostic.message.replace(/^(?:play|step|import) "(?:[^"\\]|\\.)*": /, '');
    const key = `${diagnostic.file}:${diagnostic.line}:${diagnostic.column}:${what}`;
    if (said.has(key)) return;
    said.add(key);
    found.push(diagnostic);
    if (spot !== undefined) spots.set(diagnostic, spot);
  };
  return {
    found,
    spotOf: (mistake) => spots.get(mistake),
    at(spot, message, advice = {}) {
      const { source, path, on = 'value', word, nth } = spot;
      const place = source.place(path, on, word, nth);
      // A value that is no YAML inside is wrong for that reason.
      if (
        settled.some(
          (d) =>
            d.file === source.file &&
            d.line === place.line &&
            d.column >= place.column &&
            d.column < place.column + place.length,
        )
      )
        return;
      const mistake: Diagnostic = {
        file: source.file,
        ...place,
        message,
        ...pick('hint', advice.hint),
        ...pick('spec', advice.spec),
        ...(advice.conceal === true ? { conceal: true } : {}),
      };
      add(mistake, spot);
    },
    add: (diagnostics) => {
      settled.push(...diagnostics);
      diagnostics.forEach((one) => add(one));
    },
    silence: (source, path) => void settled.push({ file: source.file, ...source.place(path, 'value') }),
  };
}

const pick = <K extends string>(key: K, value: string | undefined): { readonly [P in K]?: string } =>
  (value === undefined ? {} : { [key]: value }) as { readonly [P in K]?: string };

/** `did you mean "unit"?`, or what there is when nothing is near and there is little. */
export function suggest(
  near: string | undefined,
  all: readonly string[],
  noun: string,
  atMost = 12,
): string | undefined {
  if (near !== undefined) return `did you mean "${near}"?`;
  if (all.length === 0) return undefined;
  const shown = all.slice(0, atMost).join(', ');
  return `${noun}: ${shown}${all.length > atMost ? ', …' : ''}`;
}
