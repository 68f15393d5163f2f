import { Document, isScalar, visit, type Scalar } from 'yaml';
import { isObject, type Json, type JsonObject } from '../../terms/json.js';
import { lineAt, lineEndOf, splice, type Splice } from '../shared/lines.js';
import {
  flatten,
  isBlockList,
  isReferred,
  readYaml,
  sameValue,
  startOf,
  valueRange,
  type YamlEntry,
  type YamlMap,
  type YamlText,
} from '../shared/yaml-tree.js';

/** What a YAML file should say. Names are dotted; `a: {b: 1}` and `a.b: 1` are one key. */
export interface WantedYaml {
  readonly set: JsonObject;
  readonly remove: readonly string[];
  /** Keys that are there keep their values. */
  readonly onlyMissing: boolean;
}

export type MergedYaml =
  | { readonly is: 'text'; readonly text: string; readonly notes: readonly string[] }
  | { readonly is: 'wrong'; readonly reason: string; readonly hint?: string };

type Wrong = Extract<MergedYaml, { is: 'wrong' }>;
type Edit = { readonly splices: readonly Splice[]; readonly note: string } | Wrong | undefined;

/**
 * Sets and removes keys. Understood with the YAML library, altered as text: comments, order and every other byte stay. What it
 * then says is read again and compared with what was meant; a text that would say anything else is never returned.
 */
export function mergeYaml(text: string, wanted: WantedYaml): MergedYaml {
  const clash = contradiction([...flatten(wanted.set).keys()]);
  if (clash !== undefined) return clash;
  const notes: string[] = [];
  let now = text;
  const edits = [
    ...wanted.remove.map((name) => (yaml: YamlText) => removeKey(yaml, name)),
    ...[...flatten(wanted.set)].map(
      ([name, value]) =>
        (yaml: YamlText) =>
          setKey(yaml, name, value, wanted.onlyMissing),
    ),
  ];
  const meant = new Map<string, Json>();
  for (const [i, edit] of edits.entries()) {
    const read = readYaml(now);
    if (read.is === 'wrong') return i === 0 ? read : unexpected(notes);
    if (i === 0) for (const [name, value] of read.yaml.values) meant.set(name, value);
    const done = edit(read.yaml);
    if (done === undefined) continue;
    if ('is' in done) return done;
    now = splice(now, done.splices);
    notes.push(done.note);
  }
  const first = edits.length === 0 ? readYaml(text) : undefined;
  if (first?.is === 'wrong') return first;
  return says(now, expected(meant, wanted)) ? { is: 'text', text: now, notes } : unexpected(notes);
}

/** A key cannot hold a value and other keys at once. */
function contradiction(names: readonly string[]): Wrong | undefined {
  const outer = names.find((name) => names.some((other) => other.startsWith(`${name}.`)));
  if (outer === undefined) return undefined;
  const inner = names.find((name) => name.startsWith(`${outer}.`)) ?? '';
  return {
    is: 'wrong',
    reason: `"${outer}" and "${inner}" cannot both be set`,
    hint: `leave one of them out of "set"`,
  };
}

const unexpected = (notes: readonly string[]): Wrong => ({
  is: 'wrong',
  reason: `it is written in a way that cannot be altered safely (${notes.join(', ') || 'nothing was'})`,
  hint: 'set these keys by hand; the file was left as it is',
});

/** What the file must say afterwards. */
function expected(
  before: ReadonlyMap<string, Json>,
  { set, remove, onlyMissing }: WantedYaml,
): ReadonlyMap<string, Json> {
  const left = [...before].filter(([name]) => !remove.some((r) => name === r || name.startsWith(`${r}.`)));
  const added = [...flatten(set)].filter(([name]) => !onlyMissing || !left.some(([k]) => k === name));
  // An empty map that gets a key is no value any more.
  const remaining = left.filter(([name, value]) => !(isObject(value) && added.some(([a]) => a.startsWith(`${name}.`))));
  return new Map([...remaining, ...added]);
}

function says(text: string, meant: ReadonlyMap<string, Json>): boolean {
  const read = readYaml(text);
  if (read.is === 'wrong' || read.yaml.values.size !== meant.size) return false;
  return [...meant].every(([name, value]) => sameValue(read.yaml.values.get(name), value));
}

function setKey(yaml: YamlText, name: string, value: Json, onlyMissing: boolean): Edit {
  const entry = yaml.leaves.find((e) => e.name === name);
  if (entry !== undefined)
    return onlyMissing || sameValue(yaml.values.get(name), value) ? undefined : replaceValue(yaml, entry, value);
  const map = yaml.maps.find((e) => e.name === name);
  if (map !== undefined)
    return {
      is: 'wrong',
      reason: `"${name}" in line ${lineAt(yaml.text, startOf(map.pair))} holds keys, and a value is wanted`,
    };
  const above = yaml.leaves.find((e) => name.startsWith(`${e.name}.`) && !yaml.maps.includes(e));
  if (above !== undefined)
    return {
      is: 'wrong',
      reason: `"${above.name}" in line ${lineAt(yaml.text, startOf(above.pair))} holds a value, and "${name}" would stand below it`,
    };
  return addKey(yaml, name, value);
}

function replaceValue({ text }: YamlText, { name, pair }: YamlEntry, value: Json): Edit {
  if (isReferred(pair))
    return {
      is: 'wrong',
      reason: `"${name}" in line ${lineAt(text, startOf(pair))} is an anchor or an alias`,
      hint: 'write its value out',
    };
  const note = `${name} altered`;
  const range = valueRange(pair, text);
  const written = render(value, isScalar(pair.value) ? pair.value.type : undefined);
  if (range === undefined) {
    const colon = text.indexOf(':', pair.key.range[1]) + 1;
    return { splices: [{ start: colon, end: colon, text: ` ${written}` }], note };
  }
  // A list at its key's own indentation becomes one in brackets, which must stand further in.
  const dedented = isBlockList(pair) && columnOf(text, range.start) <= columnOf(text, startOf(pair)) ? '  ' : '';
  return { splices: [{ ...range, text: dedented + written }], note };
}

const columnOf = (text: string, position: number): number => position - (text.lastIndexOf('\n', position - 1) + 1);

/** A new key goes into the innermost map that is there for it, else as a flat key to the end of the file. */
function addKey(yaml: YamlText, name: string, value: Json): Edit {
  const note = `+ ${name}`;
  const homes = yaml.maps.filter((e) => name.startsWith(`${e.name}.`)).sort((a, b) => b.name.length - a.name.length);
  const home = homes.find((e) => e.pair.value !== null && !isReferred(e.pair));
  const map = home === undefined ? yaml.root : (home.pair.value as unknown as YamlMap);
  const line = `${render(home === undefined ? name : name.slice(home.name.length + 1))}: ${render(value)}`;
  if (map === undefined || (map === yaml.root && map.flow !== true)) return { splices: [atEnd(yaml, map, line)], note };
  return { splices: [map.flow === true ? intoFlow(map, line, yaml.text) : intoBlock(map, line, yaml.text)], note };
}

function atEnd({ text }: YamlText, map: YamlMap | undefined, line: string): Splice {
  const end = /(?:^|\n)\.\.\.[ \t]*(?:\r?\n\s*)?$/.exec(text);
  const at = end === null ? text.length : end.index + (text.startsWith('\n', end.index) ? 1 : 0);
  const lineEnd = lineEndOf(text);
  const indent = ' '.repeat(map?.items[0] === undefined ? 0 : columnOf(text, startOf(map.items[0])));
  return { start: at, end: at, text: `${at > 0 && text[at - 1] !== '\n' ? lineEnd : ''}${indent}${line}${lineEnd}` };
}

function intoBlock(map: YamlMap, line: string, text: string): Splice {
  const [first, last] = [map.items[0], map.items.at(-1)];
  const indent = ' '.repeat(first === undefined ? 0 : columnOf(text, startOf(first)));
  const lineEnd = lineEndOf(text);
  const end = last === undefined ? map.range[1] : (valueRange(last, text)?.end ?? last.key.range[1]);
  const next = text.indexOf('\n', end);
  return next === -1
    ? { start: text.length, end: text.length, text: lineEnd + indent + line }
    : { start: next + 1, end: next + 1, text: indent + line + lineEnd };
}

function intoFlow(map: YamlMap, line: string, text: string): Splice {
  const last = map.items.at(-1);
  if (last === undefined) return { start: map.range[0] + 1, end: map.range[0] + 1, text: line };
  const end = valueRange(last, text)?.end ?? last.key.range[1];
  return { start: end, end, text: `, ${line}` };
}

/** Takes a key out with all that it holds, and the maps that are left empty by that. */
function removeKey(yaml: YamlText, name: string): Edit {
  const found = [...yaml.leaves, ...yaml.maps].filter((e) => e.name === name || e.name.startsWith(`${name}.`));
  const tops = found.filter((e) => !found.some((f) => f !== e && e.above.includes(f.pair.value as unknown as YamlMap)));
  const gone = new Set<YamlEntry>(tops);
  if (gone.size === 0) return undefined;
  for (;;) {
    const emptied = yaml.maps.find(
      (m) =>
        !gone.has(m) && (m.pair.value as unknown as YamlMap).items.every((p) => [...gone].some((g) => g.pair === p)),
    );
    if (emptied === undefined) break;
    gone.add(emptied);
  }
  const outer = [...gone].filter(
    (e, i, all) =>
      ![...gone].some((f) => f !== e && e.above.includes(f.pair.value as unknown as YamlMap)) &&
      all.findIndex((f) => f.pair === e.pair) === i,
  );
  return { splices: outer.map((e) => cut(e, yaml.text)), note: `- ${name}` };
}

function cut({ pair, map }: YamlEntry, text: string): Splice {
  const end = valueRange(pair, text)?.end ?? text.indexOf(':', pair.key.range[1]) + 1;
  if (map.flow === true) {
    const i = map.items.indexOf(pair);
    const [next, before] = [map.items[i + 1], map.items[i - 1]];
    if (next !== undefined) return { start: startOf(pair), end: startOf(next), text: '' };
    return {
      start: before === undefined ? startOf(pair) : (valueRange(before, text)?.end ?? before.key.range[1]),
      end,
      text: '',
    };
  }
  const start = text.lastIndexOf('\n', startOf(pair) - 1) + 1;
  const next = text.indexOf('\n', end);
  return { start, end: next === -1 ? text.length : next + 1, text: '' };
}

/**
 * A value on one line. Quoted wherever a YAML 1.1 reader would see something other than a text; a text that
 * replaces a quoted one is quoted likewise.
 */
function render(value: Json, like?: Scalar.Type): string {
  const document = new Document(value, { version: '1.1' });
  visit(document, {
    Collection: (_, node) => {
      node.flow = true;
    },
  });
  const defaultStringType = like === 'QUOTE_DOUBLE' || like === 'QUOTE_SINGLE' ? like : 'PLAIN';
  return document
    .toString({
      lineWidth: 0,
      blockQuote: false,
      flowCollectionPadding: false,
      defaultStringType,
      defaultKeyType: 'PLAIN',
    })
    .trimEnd();
}
