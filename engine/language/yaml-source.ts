import type { Document, LineCounter } from 'yaml';
import type { Diagnostic } from '../terms/diagnostic.js';
import type { Json } from '../terms/json.js';
import { toJson } from './yaml-json.js';
import { type Node, type Path, type Yaml, nodeAt } from './yaml-node.js';
import { syntaxMistake } from './yaml-syntax.js';

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
  /** The key or the value at a path; `word` narrows it to where that text first stands in the value. */
  place(path: Path, on: 'key' | 'value', word?: string): Place;
}

export interface Parsed {
  /** Absent when the text is no YAML at all. */
  readonly source?: Source;
  readonly diagnostics: readonly Diagnostic[];
}

/** Reads YAML 1.2 text; the parser is loaded when it is first needed. Never throws. */
export async function parseYaml(names: { readonly file: string; readonly absolute: string }, text: string): Promise<Parsed> {
  const yaml = await import('yaml');
  const lines = new yaml.LineCounter();
  const mistake = (offset: number, length: number, message: string, hint?: string): Diagnostic => ({
    file: names.file,
    ...placeAt(text, lines, offset, length),
    message,
    ...(hint === undefined ? {} : { hint }),
  });
  const parsed = parse(yaml, text, lines);
  if (parsed === undefined) return { diagnostics: [mistake(0, 1, 'is nested too deeply to be read')] };
  const syntax = onePerLine(parsed.errors.map((error) => syntaxMistake(error, text, mistake)));
  const readable = parsed.errors.every(({ code }) => code === 'DUPLICATE_KEY' || code === 'NON_STRING_KEY');
  if (!readable) return { diagnostics: syntax };

  const { json, mistakes } = toJson(yaml, parsed);
  const found = mistakes.map((m) => mistake(m.offset, m.length, m.message, m.hint));
  const place = (path: Path, on: 'key' | 'value', word?: string): Place => placeOf(yaml, parsed, { text, lines }, path, on, word);
  return { source: { ...names, text, json, place }, diagnostics: [...syntax, ...found] };
}

/** Undefined when brackets are nested so deeply that the parser's stack ended. */
function parse(yaml: Yaml, text: string, lines: LineCounter): Document.Parsed | undefined {
  try {
    return yaml.parseDocument(text, { lineCounter: lines, prettyErrors: false, stringKeys: true, logLevel: 'silent' });
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** One slip makes the parser stumble several times: the first mistake of a line is the one to mend. */
const onePerLine = (found: readonly Diagnostic[]): Diagnostic[] =>
  found.filter((d, i) => found.findIndex((other) => other.line === d.line) === i);

function placeAt(text: string, lines: LineCounter, offset: number, length: number): Place {
  const start = Math.min(Math.max(offset, 0), text.length);
  const { line, col } = lines.linePos(start);
  const end = text.indexOf('\n', start);
  const left = (end === -1 ? text.length : end) - start;
  return { line: Math.max(line, 1), column: Math.max(col, 1), length: Math.max(1, Math.min(length, left)) };
}

function placeOf(yaml: Yaml, document: Document.Parsed, at: { text: string; lines: LineCounter }, path: Path, on: 'key' | 'value', word?: string): Place {
  const { key, value, parent } = nodeAt(yaml, document, path);
  // An empty value has no characters to point at, and what is missing is pointed at by its holder.
  const node = on === 'key' || value === undefined || isEmpty(value) ? (key ?? value ?? parent) : value;
  const [start = 0, end = start + 1] = node?.range ?? [];
  if (word !== undefined) {
    const found = at.text.slice(start, end).indexOf(word);
    if (found >= 0) return placeAt(at.text, at.lines, start + found, word.length);
  }
  return placeAt(at.text, at.lines, start, end - start);
}

const isEmpty = (node: Node): boolean => node.range === undefined || node.range === null || node.range[0] === node.range[1];
