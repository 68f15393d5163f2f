import { posix } from 'node:path';
import { file, newDirectory, tree, type FileState, type FileTree } from '../../facts/file.js';
import { stableStringify } from '../../lib/json.js';
import type { TreeArgs } from './schema.js';
import type { Action } from '../../terms/action.js';
import { blocked, ok, type Prediction, type Verdict } from '../../terms/change.js';
import { done as doneFact, need, type Done, type Need, type Needs } from '../../terms/fact.js';
import type { Json } from '../../terms/json.js';
import type { At } from '../../terms/module.js';
import { taskKey } from '../../terms/task.js';
import { dated } from '../shared/backup-copy.js';

/** `done`, `to`, and for each path `state:PATH`, `from:PATH` and `kept:PATH`. */
export type TreeFound = Readonly<Record<string, Json>>;
type Entries = NonNullable<FileTree>;

const placeOf = (to: string, path: string): string => posix.join(to, path);

export const treeNeeds = ({ paths, to }: TreeArgs, { task }: At): Needs => ({
  done: need(task.on, doneFact, taskKey(task)),
  to: need(task.on, file, to),
  ...Object.fromEntries(
    paths.flatMap((path): [string, Need][] => [
      [`state:${path}`, need(task.on, file, path)],
      [`from:${path}`, need(task.on, tree, path)],
      [`kept:${path}`, need(task.on, tree, placeOf(to, path))],
    ]),
  ),
});

export const treeTouches = ({ paths, to }: TreeArgs, { task }: At): readonly Need[] => [
  need(task.on, doneFact, taskKey(task)),
  need(task.on, file, to),
  ...paths.flatMap((path) => [need(task.on, tree, placeOf(to, path)), need(task.on, file, placeOf(to, path))]),
];

/** What is kept holds what its sources hold: keys, hashes, passwords. */
const MODE = '0700';

interface Item {
  readonly path: string;
  readonly place: string;
  readonly state: FileState;
  readonly from: Entries | undefined;
  readonly copy: Entries | undefined;
  readonly excluded: (path: string) => boolean;
  readonly excludes: readonly string[];
}

/** What is kept is read back and compared by hash, owner and mode. A copy of this run is never made again. */
export function decideTree(args: TreeArgs, now: TreeFound, at: At): Verdict {
  const done = now['done'] as unknown as Done;
  const items = args.paths.map((path) => itemOf(args, now, path));
  if (done.is === 'done') {
    const gone = items.find((i) => i.copy === undefined && i.from !== undefined);
    return gone === undefined || args.skip_missing === true
      ? ok(`kept in ${args.to} by this run`)
      : blocked(`${gone.place}, which this run made, is gone`);
  }
  const missing = items.filter((i) => i.from === undefined);
  if (missing.length > 0 && args.skip_missing !== true)
    return blocked(
      `there is no ${missing.map((i) => i.path).join(', no ')}`,
      'skip_missing: true passes over what is not there',
    );
  const due = items.filter((i) => i.from !== undefined && !isEqual(i, i.from));
  if (due.length === 0) return ok(`${args.to} holds the same already`);
  const place = now['to'] as unknown as FileState;
  // Without marks nothing of it is in this journal, which is older than the host: as in a new run, what is kept there stays, by its date.
  if (done.is === 'never' || Object.keys(done.marks).length === 0) return change(args, due, { items, place }, at);
  const moved = due.find(
    (i) => stableStringify(done.marks[`from:${i.path}`] ?? null) !== stableStringify((i.from ?? null) as Json),
  );
  if (moved !== undefined)
    return blocked(
      `${moved.path} has changed since this run began to copy it`,
      'the run was cut in between: see what its backup holds',
    );
  return change(args, due, { items, place }, at, true);
}

function itemOf({ to, exclude = [] }: TreeArgs, now: TreeFound, path: string): Item {
  const excluded = (at: string): boolean =>
    exclude.some((e) => at === e || at.startsWith(e.endsWith('/') ? e : `${e}/`));
  const entries = (value: Json | undefined): Entries | undefined =>
    value === null || value === undefined
      ? undefined
      : (value as unknown as Entries).filter((e) => !excluded(posix.join(path, e.path)));
  return {
    path,
    place: placeOf(to, path),
    state: now[`state:${path}`] as unknown as FileState,
    from: entries(now[`from:${path}`]),
    copy: entries(now[`kept:${path}`]),
    excluded,
    excludes: exclude,
  };
}

const isEqual = ({ copy }: Item, from: Entries): boolean =>
  copy !== undefined && stableStringify(copy) === stableStringify(from);

/** All that is kept, and the directory that it is kept in. */
interface Keeping {
  readonly items: readonly Item[];
  readonly place: FileState;
}

function change(args: TreeArgs, due: readonly Item[], { items, place }: Keeping, at: At, again = false): Verdict {
  const { on } = at.task;
  const files = due.reduce((sum, i) => sum + (i.from ?? []).filter((e) => e.type === 'file').length, 0);
  const actions = due.flatMap((item) => [
    ...(item.copy === undefined
      ? []
      : [
          again
            ? ({ do: 'remove', path: item.place, tree: true } as const)
            : ({ do: 'move', from: item.place, to: `${item.place}.${dated(at.timeMs)}` } as const),
        ]),
    { do: 'directory', path: posix.dirname(item.place) } as const,
    ...copies(item),
  ]);
  return {
    is: 'change',
    change: {
      summary: `${due.map((i) => i.path).join(', ')} → ${args.to} (${files === 1 ? '1 file' : `${files} files`})`,
      sign: '+',
      actions: [{ do: 'directory', path: args.to, mode: MODE }, ...actions],
      touches: treeTouches(args, at),
      predicts: [
        { ref: need(on, doneFact, taskKey(at.task)), value: { is: 'done', value: null } },
        { ref: need(on, file, args.to), value: { ...(place.exists ? place : newDirectory(at.timeMs)), mode: MODE } },
        ...due.map((i): Prediction => ({ ref: need(on, tree, i.place), value: (i.from ?? null) as Json })),
      ],
      marks: Object.fromEntries(items.map((i) => [`from:${i.path}`, need(on, tree, i.path)])),
    },
  };
}

/** One copy where nothing is left out; else directory by directory. */
function copies(item: Item): readonly Action[] {
  const { path, place, from = [], state, excluded } = item;
  if (!hasExcluded(item, '')) return [{ do: 'copy', from: path, to: place }];
  const out: Action[] = [
    {
      do: 'directory',
      path: place,
      ...(state.exists ? { owner: state.owner, group: state.group, mode: state.mode } : {}),
    },
  ];
  const wholes: string[] = [];
  for (const entry of from) {
    if (excluded(posix.join(path, entry.path)) || wholes.some((w) => entry.path.startsWith(`${w}/`))) continue;
    const to = posix.join(place, entry.path);
    if (entry.type === 'directory' && hasExcluded(item, entry.path))
      out.push({ do: 'directory', path: to, owner: entry.owner, group: entry.group, mode: entry.mode });
    else {
      wholes.push(entry.path);
      out.push({ do: 'copy', from: posix.join(path, entry.path), to });
    }
  }
  return out;
}

/** Is something below this relative path left out? */
const hasExcluded = ({ path, excludes }: Item, below: string): boolean => {
  const root = posix.join(path, below);
  return excludes.some((e) => e === root || e.startsWith(`${root}/`));
};
