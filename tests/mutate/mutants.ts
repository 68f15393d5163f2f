import { isMap, isScalar, isSeq, LineCounter, parseDocument, type Node, type Pair } from 'yaml';
import { altered, keyOf, valuesSeen, type Seen } from './alter.js';
import { expressionEdits } from './expression-edits.js';
import * as keys from './keys.js';

export type Path = readonly (string | number)[];

/** One edit of one file. */
export interface Mutant {
  /** `indexer.yaml: Upgrade each node > Stop the indexer > when > all > 1: removed`: the same however the lines move. */
  readonly id: string;
  readonly file: string;
  readonly line: number;
  readonly kind: 'step' | 'check' | 'play' | 'condition' | 'argument' | 'value';
  /** Where in the file's data; without `to` it is removed. */
  readonly path: Path;
  readonly to?: unknown;
  /** What it belongs to, as far as it has names: only a run that comes this way can notice. */
  readonly play?: string;
  readonly step?: string;
}

/** A file below the folder of playbooks. */
export interface Written {
  readonly file: string;
  readonly text: string;
}

interface At extends Pick<Mutant, 'file' | 'path' | 'play' | 'step'> {
  readonly names: readonly string[];
  readonly seen: Seen;
  readonly lineOf: (node: unknown) => number;
  readonly inCondition: boolean;
}

/** Every mutant of these files, in their order. What an alias repeats is altered where it is written, and so wherever it is used. */
export function mutantsOf(files: readonly Written[]): readonly Mutant[] {
  const read = files.map(({ file, text }) => {
    const lines = new LineCounter();
    const document = parseDocument(text, { lineCounter: lines });
    const lineOf = (node: unknown): number => lines.linePos((node as Node | null)?.range?.[0] ?? 0).line;
    return { file, document, lineOf };
  });
  const seen = valuesSeen(read.map(({ document }) => document));
  const ids = new Map<string, number>();
  return read
    .flatMap(({ document, ...one }) => [
      ...walk(document.contents, { ...one, seen, path: [], names: [], inCondition: false }),
    ])
    .map((mutant) => {
      const nth = (ids.get(mutant.id) ?? 0) + 1;
      ids.set(mutant.id, nth);
      return nth === 1 ? mutant : { ...mutant, id: `${mutant.id} (${nth})` };
    });
}

function* walk(node: unknown, at: At): Generator<Mutant> {
  if (isMap(node)) for (const pair of node.items) yield* walkPair(pair, at);
  if (isSeq(node)) for (const [i, item] of node.items.entries()) yield* walkItem(item, i, at);
  if (isScalar(node) && at.inCondition && typeof node.value === 'string') {
    for (const { how, to } of expressionEdits(node.value)) yield mutant(node, at, 'condition', to, how);
    return;
  }
  // A list's values are removed one by one.
  if (isScalar(node) && typeof at.path.at(-1) === 'string' && !keys.PLATFORM_LISTS.has(String(at.path[0]))) {
    const place = at.path.filter((p) => typeof p === 'string').slice(-2);
    const to = altered(node.value, at.seen.get(place.join('.')) ?? []);
    if (to !== undefined) yield mutant(node, at, 'value', to);
  }
}

function* walkPair(pair: Pair, at: At): Generator<Mutant> {
  const key = keyOf(pair);
  if (keys.PROSE.has(key) || !isOurs(key, at)) return;
  const inner = {
    ...at,
    path: [...at.path, key],
    names: [...at.names, ...(key === keys.STEPS || key === keys.PLAYS ? [] : [key])],
  };
  const condition = keys.CONDITIONS.has(key);
  const structure = at.path.length === 0 || key === keys.STEPS || at.file === keys.PLATFORM;
  if (condition || !(structure || isSwitch(pair.value)))
    yield mutant(pair.key, inner, condition ? 'condition' : 'argument');
  if (!keys.WHOLE.has(key)) yield* walk(pair.value, { ...inner, inCondition: condition });
}

function* walkItem(item: unknown, index: number, at: At): Generator<Mutant> {
  const holder = at.path.at(-1);
  const name = nameOf(item);
  const inner: At = {
    ...at,
    path: [...at.path, index],
    names: [...at.names, name ?? String(index)],
    ...(name !== undefined && holder === keys.PLAYS ? { play: name } : {}),
    // No event has the name of a block: a mutant of a block is one of its play.
    ...(name !== undefined && holder === keys.STEPS && !isBlock(item) ? { step: name } : {}),
  };
  yield mutant(item, inner, kindOf(item, at));
  yield* walk(item, inner);
}

/** Altered, it is as good as removed. */
const isSwitch = (node: unknown): boolean =>
  isScalar(node) && (typeof node.value !== 'string' || /^\d+ ?[a-zA-Z%]+$/.test(node.value));

/** Of the platform's file only a part is ours to alter. */
const isOurs = (key: string, { file, path }: At): boolean =>
  file !== keys.PLATFORM || path.length > 0 || keys.PLATFORM_PARTS.has(key);

function mutant(node: unknown, at: At, kind: Mutant['kind'], to?: unknown, how?: string): Mutant {
  return {
    id: `${at.file}: ${at.names.join(' > ')}: ${how ?? (to === undefined ? 'removed' : `is ${JSON.stringify(to)}`)}`,
    file: at.file,
    line: at.lineOf(node),
    kind,
    path: at.path,
    ...(to === undefined ? {} : { to }),
    ...(at.play === undefined ? {} : { play: at.play }),
    ...(at.step === undefined ? {} : { step: at.step }),
  };
}

const isBlock = (item: unknown): boolean => isMap(item) && item.has(keys.STEPS);

function nameOf(item: unknown): string | undefined {
  if (!isMap(item)) return undefined;
  const name = keys.NAMED.map((key) => item.get(key)).find((value) => typeof value === 'string');
  return typeof name === 'string' ? name : undefined;
}

function kindOf(item: unknown, { path, inCondition }: At): Mutant['kind'] {
  if (path.at(-1) === keys.STEPS)
    return isMap(item) && [...keys.CHECKS].some((key) => item.has(key)) ? 'check' : 'step';
  if (path.at(-1) === keys.PLAYS) return 'play';
  return inCondition ? 'condition' : 'argument';
}
