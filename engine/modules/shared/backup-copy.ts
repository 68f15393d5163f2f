import { content, file, type FileContent, type FileState } from '../../facts/file.js';
import type { Action } from '../../terms/action.js';
import { blocked, ok, type Verdict } from '../../terms/change.js';
import { done as doneFact, need, type Done, type Need } from '../../terms/fact.js';
import type { Json } from '../../terms/json.js';
import { isObject } from '../../terms/json.js';
import type { At } from '../../terms/module.js';
import { taskKey } from '../../terms/task.js';

/** One file, copied beside itself or elsewhere: the specification's `.bak`. */
export interface CopyArgs {
  readonly file: string;
  readonly as: string;
}

export interface CopyFound {
  readonly done: Done;
  readonly source: FileState;
  readonly text: FileContent;
  readonly copy: FileState;
}

export const copyNeeds = (
  args: CopyArgs,
  { task }: At,
): {
  readonly done: Need<Done>;
  readonly source: Need<FileState>;
  readonly text: Need<FileContent>;
  readonly copy: Need<FileState>;
} => ({
  done: need(task.on, doneFact, taskKey(task)),
  source: need(task.on, file, args.file),
  text: need(task.on, content, args.file),
  copy: need(task.on, file, args.as),
});

/**
 * The copy is this run's: made once, never again on a resume, when the file may be the package's already. An older one is
 * renamed by the date of its last change.
 */
export function decideCopy(args: CopyArgs, now: CopyFound, at: At): Verdict {
  const { source, copy, done } = now;
  if (done.is === 'done')
    return copy.exists
      ? ok(`${args.as} was copied in this run`)
      : blocked(`${args.as}, which this run made, is gone`, 'whatever took it away took your values with it');
  // Without a mark nothing of it is in this journal, which is older than the host: as in a new run, the copy that is there is kept by its date.
  if (done.is === 'unknown' && done.marks['source'] !== undefined) {
    const was = hashIn(done.marks['source']);
    if (copy.exists && copy.sha256 === was) return ok(`${args.as} was copied before the run was cut`);
    if (hashOf(source) !== was)
      return blocked(
        `${args.file} has changed since this run began to copy it, and ${args.as} is no copy of it`,
        'the run was cut in between: see which of the two you want',
      );
  }
  if (!source.exists) return blocked(`there is no file ${args.file}`);
  if (source.type !== 'file')
    return blocked(
      `${args.file} is a ${source.type}, not a file`,
      source.type === 'directory' ? 'use `paths` and `to` for directories' : undefined,
    );
  if (copy.exists && copy.type !== 'file') return blocked(`${args.as} is a ${copy.type}, not a file`);
  if (copy.exists && copy.sha256 === source.sha256) return ok(`${args.as} is a copy of ${args.file} already`);
  return change(args, now, at);
}

function change(args: CopyArgs, { copy, source, text }: CopyFound, at: At): Verdict {
  const { on } = at.task;
  const older = olderName(args.as, copy);
  return {
    is: 'change',
    change: {
      summary: `${args.file} → ${args.as}${older === undefined ? '' : ` (the older one → ${older})`}`,
      sign: '+',
      actions: copyActions(args.file, args.as, copy),
      touches: copyTouches(args, at),
      predicts: [
        { ref: need(on, doneFact, taskKey(at.task)), value: { is: 'done', value: null } },
        {
          ref: need(on, file, args.as),
          value: { ...(source as FileState & { exists: true }), changedAtMs: at.timeMs },
        },
        { ref: need(on, content, args.as), value: text },
      ],
      marks: { source: need(on, file, args.file), copy: need(on, file, args.as) },
    },
  };
}

export const copyTouches = (args: CopyArgs, { task }: At): readonly Need[] => [
  need(task.on, doneFact, taskKey(task)),
  need(task.on, file, args.as),
  need(task.on, content, args.as),
];

/** Where a copy that is there already is moved: by the date of its last change. */
const olderName = (to: string, copy: FileState): string | undefined =>
  copy.exists ? `${to}.${dated(copy.changedAtMs)}` : undefined;

/** Copies a file; a copy that is there already is renamed. */
export function copyActions(from: string, to: string, copy: FileState): readonly [Action, ...Action[]] {
  const older = olderName(to, copy);
  const copying: Action = { do: 'copy', from, to };
  return older === undefined ? [copying] : [{ do: 'move', from: to, to: older }, copying];
}

/** `20261120T210411Z` */
export const dated = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19).replace(/[-:]/g, '')}Z`;

const hashOf = (state: FileState): string | undefined => (state.exists ? state.sha256 : undefined);
const hashIn = (mark: Json | undefined): Json | undefined => (isObject(mark) ? mark['sha256'] : undefined);
