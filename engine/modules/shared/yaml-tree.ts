import {
  isAlias,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  parseAllDocuments,
  type Document,
  type Pair,
  type ParsedNode,
  type YAMLMap,
} from 'yaml';
import { stableStringify } from '../../lib/json.js';
import { tooDeepAt } from '../../lib/yaml-depth.js';
import type { Json, JsonObject } from '../../terms/json.js';
import { isObject } from '../../terms/json.js';
import { lineAt } from './lines.js';

type Item = Pair<ParsedNode, ParsedNode | null>;
export type YamlMap = YAMLMap.Parsed;

/** A key with its value, wherever it stands, under its whole dotted name. */
export interface YamlEntry {
  readonly name: string;
  readonly pair: Item;
  readonly map: YamlMap;
  /** Maps from the root down to `map`. */
  readonly above: readonly YamlMap[];
}

/** A YAML text with what it says; `root` is undefined when it says nothing. */
export interface YamlText {
  readonly text: string;
  readonly root: YamlMap | undefined;
  /** Every key that holds no map, and every empty map, by dotted name in the order written. */
  readonly leaves: readonly YamlEntry[];
  /** Every map by dotted name. */
  readonly maps: readonly YamlEntry[];
  /** What it says: leaves by their dotted names. */
  readonly values: ReadonlyMap<string, Json>;
}

export type YamlRead =
  | { readonly is: 'yaml'; readonly yaml: YamlText }
  | { readonly is: 'wrong'; readonly reason: string; readonly hint?: string };

const hints: Readonly<Record<string, string>> = {
  TAB_AS_INDENT: 'indent with spaces',
  DUPLICATE_KEY: 'leave one of the two',
  MULTIPLE_DOCS: 'the file holds several documents',
};

/** Reads one document whose root is a map. Tabs, duplicate keys and whatever else is no YAML are reported with their position. */
export function readYaml(text: string): YamlRead {
  const deep = tooDeepAt(new Lexer(), text, MOST_LEVELS);
  if (deep !== undefined) return tooDeep(text, deep);
  const documents = parseAllDocuments(text, { version: '1.2', prettyErrors: true, logLevel: 'silent' });
  const [document, second] = 'empty' in documents ? [] : documents;
  if (second !== undefined)
    return {
      is: 'wrong',
      reason: `line ${lineAt(text, second.range[0])}: a second document begins`,
      hint: 'only files of one document can be merged',
    };
  const error = document?.errors[0] ?? document?.warnings[0];
  if (error !== undefined) {
    // The parser's own words for it.
    if (/call stack/.test(error.message)) return tooDeep(text, error.pos[0]);
    const at = error.linePos?.[0];
    const hint = hints[error.code];
    // Only the first line: the library then quotes the file, and the file may hold secrets.
    const said = (error.message.split('\n')[0] ?? '').replace(/ at line \d+, column \d+:?$/, '');
    return {
      is: 'wrong',
      reason: `line ${at?.line ?? 1}, column ${at?.col ?? 1}: ${said}`,
      ...(hint === undefined ? {} : { hint }),
    };
  }
  const contents = document?.contents;
  const below = deepestOf(contents);
  if (below !== undefined) return tooDeep(text, below);
  if (
    contents !== null &&
    contents !== undefined &&
    !isMap(contents) &&
    !(isScalar(contents) && contents.value === null)
  )
    return { is: 'wrong', reason: 'its root is no map of keys' };
  return entriesOf(text, document, isMap(contents) ? contents : undefined);
}

/** As many as files of this program may have; functions that go through a value level by level take some more. */
const MOST_LEVELS = 64;

const tooDeep = (text: string, position: number): YamlRead => ({
  is: 'wrong',
  reason: `line ${lineAt(text, position)}: it is nested more than ${MOST_LEVELS} levels deep`,
});

/** Where a node stands that is below more levels than may be; undefined where none is. */
function deepestOf(root: ParsedNode | null | undefined): number | undefined {
  let [nodes, levels]: [ParsedNode[], number] = [root == null ? [] : [root], 0];
  for (; nodes.length > 0; levels += 1) {
    if (levels > MOST_LEVELS) return nodes[0]?.range[0];
    nodes = nodes.flatMap((node) =>
      isMap(node)
        ? node.items.flatMap(({ value }) => value ?? [])
        : isSeq(node)
          ? (node.items as readonly (ParsedNode | Item)[]).flatMap((item) =>
              'range' in item ? item : (item.value ?? []),
            )
          : [],
    );
  }
  return undefined;
}

function entriesOf(text: string, document: Document | undefined, root: YamlMap | undefined): YamlRead {
  const [leaves, maps]: [YamlEntry[], YamlEntry[]] = [[], []];
  const walk = (map: YamlMap, path: string, above: readonly YamlMap[]): void => {
    for (const pair of map.items) {
      if (!isScalar(pair.key)) continue;
      const entry: YamlEntry = { name: path + String(pair.key.value), pair, map, above };
      if (!isMap(pair.value)) leaves.push(entry);
      else {
        maps.push(entry);
        if (pair.value.items.length === 0) leaves.push(entry);
        walk(pair.value, `${entry.name}.`, [...above, pair.value]);
      }
    }
  };
  if (root !== undefined) walk(root, '', [root]);
  const twice = leaves.find((e, i) => leaves.findIndex((f) => f.name === e.name) !== i);
  if (twice !== undefined) {
    const lines = leaves.filter((e) => e.name === twice.name).map((e) => String(lineAt(text, startOf(e.pair))));
    return {
      is: 'wrong',
      reason: `"${twice.name}" stands in lines ${lines.join(' and ')}, flat and nested`,
      hint: 'leave one of them',
    };
  }
  try {
    const values = new Map(
      leaves.map((e): [string, Json] => [
        e.name,
        document === undefined || e.pair.value === null ? null : (e.pair.value.toJS(document) as Json),
      ]),
    );
    return { is: 'yaml', yaml: { text, root, leaves, maps, values } };
  } catch {
    return { is: 'wrong', reason: 'an alias names no anchor, or names too many' };
  }
}

/** Where a pair starts: its key. */
export const startOf = (pair: Item): number => pair.key.range[0];

/** The source range of a value without white space and comments after it; undefined when nothing is written. */
export function valueRange(pair: Item, text: string): { readonly start: number; readonly end: number } | undefined {
  const range = pair.value?.range;
  if (range === undefined || range[0] === range[1]) return undefined;
  const end = range[0] + text.slice(range[0], range[1]).trimEnd().length;
  return end === range[0] ? undefined : { start: range[0], end };
}

export const isReferred = (pair: Item): boolean =>
  isAlias(pair.value) || (pair.value as { anchor?: string } | null)?.anchor !== undefined;
export const isBlockList = (pair: Item): boolean => isSeq(pair.value) && pair.value.flow !== true;

/** Wanted values by whole dotted names: nested maps and flat keys come to the same. */
export function flatten(set: JsonObject, path = ''): ReadonlyMap<string, Json> {
  return new Map(
    Object.entries(set).flatMap(([key, value]): [string, Json][] =>
      isObject(value) && Object.keys(value).length > 0 ? [...flatten(value, `${path}${key}.`)] : [[path + key, value]],
    ),
  );
}

export const sameValue = (a: Json | undefined, b: Json): boolean =>
  a !== undefined && stableStringify(a) === stableStringify(b);
