import { bare, lineEndOf, lineList, linesOf } from '../shared/lines.js';
import { scriptBlock, withBlock } from './option-block.js';
import {
  collectorOf,
  heapConflict,
  idOf,
  isHeap,
  meet,
  readOptions,
  type OptionFile,
  type OptionLine,
} from './option-line.js';

export type MergedOptions =
  | {
      readonly is: 'text';
      readonly text: string;
      /** The operator's own options, heap first. */
      readonly own: readonly string[];
      /**
       * Those among them that the new defaults say nothing of and that are, or (where the old defaults are not known) may be, old
       * defaults that were dropped. A line that only the operator ever had is none.
       */
      readonly unknown: readonly string[];
    }
  | { readonly is: 'wrong'; readonly reason: string; readonly hint?: string };

export interface OptionSources {
  readonly defaults: string;
  /** The file with the operator's values. */
  readonly saved: string;
  /** The defaults that the operator started from, where they are known. */
  readonly base?: string;
  /** The file as it stands, and what the comment has below which the package's own script writes options (`script_marker`). */
  readonly now?: string;
  readonly marker?: string | undefined;
}

const keptHeading = '## Kept from the file before the upgrade';

/**
 * The operator's own values upon new defaults. Own is what differs from the old defaults, or, where those are not known,
 * from the new ones. The heap is one value: the new defaults add no line of theirs to the operator's. What only the operator's
 * file holds goes to the end, where it has the last word. What the package's script wrote below its marker is no default and no
 * option of the operator: it stays, with the marker, from which the script sees that it has nothing to add.
 */
export function mergeOptions({ defaults, saved, base, now = saved, marker }: OptionSources): MergedOptions {
  const block = scriptBlock(saved, marker) ?? scriptBlock(now, marker);
  const savedNow = withBlock(saved, block);
  const [to, from] = [readOptions(defaults), readOptions(savedNow)];
  const unfit = whyUnfit(from, 'the saved file') ?? whyUnfit(to, 'the new defaults');
  if (unfit !== undefined) return unfit;
  const scripts = readOptions(block ?? '');
  if (from.options.length === scripts.options.length)
    return saved.trim() === ''
      ? { is: 'wrong', reason: 'the saved file is empty', hint: "is it the copy of the operator's file?" }
      : // All options are elsewhere, as in jvm.options.d: new defaults here would come back as options.
        { is: 'text', text: savedNow, own: [], unknown: [] };
  const before = base === undefined ? undefined : readOptions(base.replace(scriptBlock(base, marker) ?? '', ''));
  const wanted = ownOf(from, to, before);
  const text = write(to, wanted, scripts);
  const lines = [...wanted.own.values()].filter((o) => !has(scripts, o));
  const show = (o: OptionLine): string => (o.scope === '' ? o.option : `${o.scope}:${o.option}`);
  return {
    is: 'text',
    text,
    own: [...lines.filter(isHeap), ...lines.filter((o) => !isHeap(o))].map(show),
    unknown: lines.filter((o) => !isHeap(o) && !has(to, o) && (before === undefined || has(before, o))).map(show),
  };
}

const has = (file: OptionFile, option: OptionLine): boolean => file.options.some((d) => d.key === option.key);

export function whyUnfit(file: OptionFile, name: string): Extract<MergedOptions, { is: 'wrong' }> | undefined {
  if (file.bad.length > 0)
    return {
      is: 'wrong',
      reason: `${name}: ${lineList(file.bad)} hold${file.bad.length === 1 ? 's' : ''} neither an option nor a comment`,
      hint: 'the service would not start with it',
    };
  const conflict = heapConflict(file);
  if (conflict.length === 0) return undefined;
  return {
    is: 'wrong',
    reason: `${name}: ${conflict.map((o) => `${o.option} (line ${o.line})`).join(' and ')} contradict each other`,
    hint: 'leave one -Xms and one -Xmx, the same size',
  };
}

interface Wanted {
  /** Own options by id, in the order of the operator's file. */
  readonly own: ReadonlyMap<string, OptionLine>;
  /** Is this line of the new defaults not to be there? */
  readonly drops: (line: OptionLine) => boolean;
}

const byId = ({ options }: OptionFile): ReadonlyMap<string, OptionLine> => new Map(options.map((o) => [idOf(o), o]));
const sameLines = (a: readonly OptionLine[], b: readonly OptionLine[]): boolean =>
  a
    .map((o) => idOf(o) + o.option)
    .sort()
    .join('\n') ===
  b
    .map((o) => idOf(o) + o.option)
    .sort()
    .join('\n');

function ownOf(from: OptionFile, to: OptionFile, base: OptionFile | undefined): Wanted {
  const saved = byId(from);
  const reference = byId(base ?? to);
  const heapIsOwn =
    base === undefined
      ? !sameLines(from.options.filter(isHeap), to.options.filter(isHeap))
      : !sameLines(from.options.filter(isHeap), base.options.filter(isHeap));
  const own = new Map([...saved].filter(([id, o]) => (isHeap(o) ? heapIsOwn : reference.get(id)?.option !== o.option)));
  const collectors = [...own.values()].filter((o) => collectorOf(o) !== undefined);
  return {
    own,
    drops: (line) => {
      if (isHeap(line)) return heapIsOwn && !own.has(idOf(line));
      if (saved.has(idOf(line))) return false;
      // Removed by the operator, as far as the old defaults show.
      if (base !== undefined && byId(base).has(idOf(line))) return true;
      // Two collectors at once, and the JVM does not start.
      return (
        collectorOf(line) !== undefined && collectors.some((o) => collectorOf(o) !== collectorOf(line) && meet(o, line))
      );
    },
  };
}

function write(to: OptionFile, { own, drops }: Wanted, scripts: OptionFile): string {
  const at = new Map(to.options.map((o) => [o.line, o]));
  const placed = new Set<string>();
  const lines = linesOf(to.text).flatMap((raw, i) => {
    const option = at.get(i + 1);
    if (option === undefined) return [raw];
    const mine = own.get(idOf(option));
    if (mine === undefined) return drops(option) ? [] : [raw];
    if (placed.has(idOf(option))) return [];
    placed.add(idOf(option));
    return mine.option === option.option ? [raw] : [lineOf(mine) + raw.slice(bare(raw).length)];
  });
  const end = lineEndOf(to.text);
  const rest = [...own].filter(([id]) => !placed.has(id)).map(([, o]) => o);
  const [marker = ''] = linesOf(scripts.text).map(bare);
  const withScripts = append(lines.join(''), `${end}${marker}`, rest.filter((o) => has(scripts, o)).map(lineOf), end);
  return append(withScripts, keptHeading, rest.filter((o) => !has(scripts, o)).map(lineOf), end);
}

function append(text: string, heading: string, lines: readonly string[], end: string): string {
  if (lines.length === 0) return text;
  const added = [...(text.includes(heading.trim()) ? [] : [heading]), ...lines].map((line) => line + end);
  return `${text}${text === '' || text.endsWith('\n') ? '' : end}${added.join('')}`;
}

const lineOf = ({ scope, option }: OptionLine): string => (scope === '' ? option : `${scope}:${option}`);
