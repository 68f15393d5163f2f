import type { LineCounter, YAMLError } from 'yaml';
import type { Diagnostic } from '../../terms/diagnostic.js';
import type { Json } from '../../terms/json.js';
import { tooDeepAt } from '../../lib/yaml-depth.js';
import { toJson } from './json.js';
import { limits } from './limits.js';
import { type Node, type NodeAt, type Path, type Yaml, nodeAt } from './node.js';
import { syntaxMistake } from './syntax.js';

/** Where something stands: 1-based; `length` in characters, at least 1. */
export interface Place {
  readonly line: number;
  readonly column: number;
  readonly length: number;
}

/** A YAML file that was read: its data, and where each part of it is written. */
export interface Source {
  /** As people know it: relative to the working directory. */
  readonly file: string;
  readonly absolute: string;
  readonly text: string;
  readonly json: Json;
  /** The key or the value at a path; `word` narrows it to where that text stands in the value: for the first time, or after `nth` others. */
  place(path: Path, on: 'key' | 'value', word?: string, nth?: number): Place;
}

export interface Parsed {
  /** Absent when the text is no YAML at all. */
  readonly source?: Source;
  readonly diagnostics: readonly Diagnostic[];
}

/** Reads YAML 1.2 text; the parser is loaded when it is first needed. Never throws. */
export async function parseYaml(
  names: { readonly file: string; readonly absolute: string },
  text: string,
): Promise<Parsed> {
  const yaml = await import('yaml');
  const lines = new yaml.LineCounter();
  const mistake = (offset: number, length: number, message: string, hint?: string): Diagnostic => ({
    file: names.file,
    ...placeAt(text, lines, offset, length),
    message,
    ...(hint === undefined ? {} : { hint }),
  });
  const deep = tooDeepAt(new yaml.Lexer(), text, limits.depth);
  if (deep !== undefined) {
    // The parser is what would count the lines.
    const before = text.slice(0, deep);
    const line = before.split('\n').length;
    const column = deep - before.lastIndexOf('\n');
    return {
      diagnostics: [
        { file: names.file, line, column, length: 1, message: `is nested more than ${limits.depth} levels deep` },
      ],
    };
  }
  const parsed = yaml.parseDocument(text, {
    lineCounter: lines,
    prettyErrors: false,
    stringKeys: true,
    logLevel: 'error',
    // Its own search takes the square of the number of keys; duplicates are found when the data is read.
    uniqueKeys: false,
  });
  // What the parser only warns of would be read as if it were not there: a tag, a directive.
  const stumbles = [...worthTelling(parsed.errors, lines), ...parsed.warnings.slice(0, errorLimit)];
  const syntax = stumbles.map((error) => syntaxMistake(error, text, mistake));
  const readable = parsed.errors.every(isLocal);
  if (!readable) return { diagnostics: syntax };

  const { json, mistakes, targets, isWhole } = toJson(yaml, parsed);
  const found = mistakes.map((m) => mistake(m.offset, m.length, m.message, m.hint));
  if (!isWhole) return { diagnostics: [...syntax, ...found] };
  const place = (path: Path, on: 'key' | 'value', word?: string, nth?: number): Place => {
    const at = nodeAt(yaml, parsed, targets, path);
    // A word of a value that an alias stands for is where that value is written.
    const target = word === undefined || at.value === undefined ? undefined : targets.get(at.value);
    return placeOf(yaml, target === undefined ? at : { ...at, value: target }, { text, lines }, on, word, nth);
  };
  return { source: { ...names, text, json, place }, diagnostics: [...syntax, ...found] };
}

/** The most errors of the parser that are put into words. */
const errorLimit = 1000;

/** One mistake can cause several errors of the parser: the first of a line is the one to fix, and after one that ends the structure all others may follow from it. */
function worthTelling(errors: readonly YAMLError[], lines: LineCounter): readonly YAMLError[] {
  const reported = new Set<number>();
  const end = errors.findIndex((error) => !isLocal(error)) + 1;
  return errors.slice(0, end === 0 ? errorLimit : Math.min(end, errorLimit)).filter(({ pos }) => {
    const { line } = lines.linePos(pos[0]);
    const first = !reported.has(line);
    reported.add(line);
    return first;
  });
}

/** The parser reads on as if nothing were wrong. */
const isLocal = ({ code }: YAMLError): boolean => code === 'NON_STRING_KEY';

function placeAt(text: string, lines: LineCounter, offset: number, length: number): Place {
  const start = Math.min(Math.max(offset, 0), text.length);
  const { line, col } = lines.linePos(start);
  const end = text.indexOf('\n', start);
  const left = (end === -1 ? text.length : end) - start;
  return { line: Math.max(line, 1), column: Math.max(col, 1), length: Math.max(1, Math.min(length, left)) };
}

function placeOf(
  yaml: Yaml,
  { key, value, parent }: NodeAt,
  at: { text: string; lines: LineCounter },
  on: 'key' | 'value',
  word?: string,
  nth?: number,
): Place {
  // An empty value has no characters to point at, and what is missing is pointed at by its holder.
  const node =
    on === 'key' || value === undefined || isEmpty(value)
      ? (key ?? firstOf(yaml, value ?? parent))
      : word === undefined
        ? firstOf(yaml, value)
        : value;
  const [start = 0, end = start + 1] = node?.range ?? [];
  if (word !== undefined) {
    const found = indexOfWord(at.text.slice(start, end), word, nth);
    if (found >= 0) return placeAt(at.text, at.lines, start + found, word.length);
  }
  return placeAt(at.text, at.lines, start, end - start);
}

/** Where a word stands by itself, and not as a part of a longer name; else where it stands at all. With `nth`: its place after so many others. */
function indexOfWord(text: string, word: string, nth: number | undefined): number {
  const partOf = /[\w.-]/;
  const places = placesOf(text, word);
  const alone = places.find((at) => !partOf.test(text[at - 1] ?? ' ') && !partOf.test(text[at + word.length] ?? ' '));
  return (nth === undefined ? alone : places[nth]) ?? places[0] ?? -1;
}

/** Each place where a text stands in another; of an empty one, none. */
export function placesOf(text: string, word: string): readonly number[] {
  const places: number[] = [];
  if (word === '') return places;
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) places.push(at);
  return places;
}

/** Of a map its first key: all of it is too much to point at. */
function firstOf(yaml: Yaml, node: Node | undefined): Node | undefined {
  const first: unknown = yaml.isMap(node) ? node.items[0]?.key : undefined;
  return yaml.isNode(first) ? first : node;
}

const isEmpty = (node: Node): boolean =>
  node.range === undefined || node.range === null || node.range[0] === node.range[1];
