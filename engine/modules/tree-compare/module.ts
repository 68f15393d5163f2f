import { posix } from 'node:path';
import { content, file, tree, type FileContent, type FileState, type FileTree } from '../../facts/file.js';
import { count } from '../../lib/count.js';
import { unifiedDiff } from '../../lib/diff.js';
import { ok, type Verdict } from '../../terms/change.js';
import { need, type Need, type Needs } from '../../terms/fact.js';
import type { Json } from '../../terms/json.js';
import { defineModule, type At, type More } from '../../terms/module.js';
import { maskPair } from '../shared/mask.js';
import { NEW_DEFAULTS, REPLACED } from '../shared/put-aside.js';
import type { Args } from './schema.js';

/** So many files are shown with their lines, so many lines of each, and so much of a line. */
const FILES = 20;
const LINES = 10;
const LONGEST = 120;

/** `now:PATH`, `before:PATH`, and `aside:PATH` of what may be beside a path that is a file. */
export const treeCompare = defineModule<Args>()({
  name: 'tree-compare',
  onlyLooks: true,
  needs: ({ paths, before }, at): Needs =>
    Object.fromEntries(
      paths.flatMap((path): [string, Need][] => [
        [`now:${path}`, need(at.task.on, tree, path)],
        [`before:${path}`, need(at.task.on, tree, `${before}${path}`)],
        ...[...REPLACED, ...NEW_DEFAULTS].map((suffix): [string, Need] => [
          `aside:${path}${suffix}`,
          need(at.task.on, file, path + suffix),
        ]),
      ]),
    ),
  touches: () => [],
  decide(args, found, at, more) {
    const now = found as Readonly<Record<string, Json>>;
    if (args.paths.every((path) => now[`before:${path}`] === null))
      return ok(`there is no backup in ${args.before} to compare with`);
    const differing = differences(args, now);
    const asked = differing.slice(0, FILES).flatMap(({ old, young }) => [old, young].filter((p) => p !== undefined));
    if (asked.length > 0 && more === undefined) return { is: 'more', needs: contentsOf(asked, at) };
    return judge(args, differing, more ?? {});
  },
});

/** A file that is not what it was, and where both texts are; `young` is undefined where it is gone. */
interface Difference {
  readonly text: string;
  readonly old: string;
  readonly young: string | undefined;
}

const contentsOf = (paths: readonly string[], { task }: At): Needs =>
  Object.fromEntries(paths.map((path) => [path, need(task.on, content, path)] as const));

function differences(args: Args, now: Readonly<Record<string, Json>>): readonly Difference[] {
  const excluded = (path: string): boolean =>
    (args.exclude ?? []).some((one) => path === one || path.startsWith(`${one}/`) || asideOf(path)?.beside === one);
  return args.paths.flatMap((path) => {
    const [is, was] = [filesIn(now[`now:${path}`], path), filesIn(now[`before:${path}`], path)];
    const besides = [...REPLACED, ...NEW_DEFAULTS]
      .map((suffix) => path + suffix)
      .filter((aside) => (now[`aside:${aside}`] as unknown as FileState).exists);
    const changed = [...was].flatMap(([at, hash]): readonly Difference[] => {
      if (excluded(at) || asideOf(at) !== undefined || is.get(at) === hash) return [];
      const isGone = !is.has(at);
      return [
        { text: `${at} was ${isGone ? 'removed' : 'changed'}`, old: args.before + at, young: isGone ? undefined : at },
      ];
    });
    const aside = [...new Set([...is.keys(), ...besides])].flatMap((at): readonly Difference[] => {
      const one = asideOf(at);
      if (one === undefined || was.has(at) || excluded(at)) return [];
      return one.isReplaced
        ? [{ text: `${one.beside} was replaced: yours is ${at}`, old: at, young: one.beside }]
        : [{ text: `${one.beside} was kept: the new default is ${at}`, old: one.beside, young: at }];
    });
    // One that was replaced is reported with where the operator's own is.
    return [...changed.filter(({ young }) => !aside.some((one) => one.young === young)), ...aside];
  });
}

/** The hash of each file at or below a path, by its whole path. */
const filesIn = (value: Json | undefined, path: string): ReadonlyMap<string, string> =>
  new Map(
    ((value ?? []) as unknown as NonNullable<FileTree>).flatMap((entry) =>
      entry.sha256 === undefined ? [] : [[posix.join(path, entry.path), entry.sha256] as const],
    ),
  );

function asideOf(path: string): { readonly beside: string; readonly isReplaced: boolean } | undefined {
  const suffix = [...REPLACED, ...NEW_DEFAULTS].find((one) => path.endsWith(one));
  if (suffix === undefined) return undefined;
  return { beside: path.slice(0, -suffix.length), isReplaced: (REPLACED as readonly string[]).includes(suffix) };
}

function judge({ before, paths }: Args, differing: readonly Difference[], more: More): Verdict {
  if (differing.length === 0) return ok(`${paths.join(', ')}: as in ${before}`);
  const shown = differing.slice(0, FILES).map((one) => [one.text, ...linesOf(one, more)].join('\n'));
  const rest = differing.length - shown.length;
  return ok(
    `${count(differing.length, 'file')} of ${paths.join(', ')} differ from ${before}`,
    { files: differing.map(({ text }) => text) },
    rest === 0 ? shown : [...shown, `${count(rest, 'more file')} of ${paths.join(', ')} changed: diff -r ${before}`],
  );
}

/** The lines in which the two texts differ; none of a file that is gone or no text. */
function linesOf({ old, young }: Difference, more: More): readonly string[] {
  const textAt = (path: string): string | undefined => (more[path] as unknown as FileContent | undefined)?.text;
  const [from, to] = [textAt(old), young === undefined ? undefined : textAt(young)];
  if (from === undefined || to === undefined || from.includes('\0') || to.includes('\0')) return [];
  const [a, b] = maskPair(from, to);
  const lines = unifiedDiff(old, a, b)
    .split('\n')
    .filter((line) => /^[-+](?![-+]{2} )/.test(line))
    .map((line) => (line.length > LONGEST ? `${line.slice(0, LONGEST)}…` : line));
  const left = lines.length - LINES;
  return left > 0 ? [...lines.slice(0, LINES), `… and ${left} more: diff ${old} ${young ?? ''}`] : lines;
}
