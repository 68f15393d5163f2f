import { content, file, newDirectory, type FileContent, type FileState } from '../../facts/file.js';
import { contentOfTask, pathOfTask, PENDING_TASKS, textIn } from '../../facts/pending-task.js';
import { unifiedDiff } from '../../lib/diff.js';
import { blocked, bookkeeping, ok, type Change, type Verdict } from '../../terms/change.js';
import { need, type Need } from '../../terms/fact.js';
import { defineModule, type At } from '../../terms/module.js';
import { pathTouches, settleText } from '../shared/text-file.js';
import type { Args } from './schema.js';

export const pendingTask = defineModule<Args>()({
  name: 'pending-task',
  needs: ({ task }, { task: { on } }): Asked => ({
    directory: need(on, file, PENDING_TASKS),
    state: need(on, file, pathOfTask(task)),
    text: need(on, content, pathOfTask(task)),
  }),
  touches: ({ task }, { task: { on } }) => [need(on, file, PENDING_TASKS), ...pathTouches(on, pathOfTask(task))],
  decide: (args, now, at) =>
    bookkeeping(args.state === 'done' ? decideDone(args, now.state, at) : decidePending(args, now, at)),
});

interface Asked {
  readonly [name: string]: Need;
  readonly directory: Need<FileState>;
  readonly state: Need<FileState>;
  readonly text: Need<FileContent>;
}

function decidePending(
  { task, text = 'pending\n' }: Args,
  now: { readonly directory: FileState; readonly state: FileState; readonly text: FileContent },
  at: At,
): Verdict {
  const path = pathOfTask(task);
  const found = now.text === null ? undefined : textIn(path, now.text);
  if (found?.is === 'damaged') return blocked(found.reason, found.hint);
  const verdict = settleText(
    {
      path,
      now,
      text: contentOfTask(task, text),
      ownership: { mode: '0600' },
      summary: found?.is === 'unsummed' ? `${path} (was recorded without a checksum)` : path,
      because: `${task} is recorded as pending`,
    },
    at,
  );
  if (verdict.is !== 'change') return verdict;
  const diff = unifiedDiff(path, found?.text ?? null, text);
  const change = verdict.change.diff === undefined ? verdict.change : { ...verdict.change, diff };
  return { is: 'change', change: now.directory.exists ? change : withDirectory(change, at) };
}

/** What is recorded may name hosts and versions: its directory is root's alone. */
const withDirectory = (change: Change, at: At): Change => ({
  ...change,
  actions: [{ do: 'directory', path: PENDING_TASKS, mode: '0700' }, ...change.actions],
  touches: [need(at.task.on, file, PENDING_TASKS), ...change.touches],
  predicts: [
    { ref: need(at.task.on, file, PENDING_TASKS), value: { ...newDirectory(at.timeMs), mode: '0700' } },
    ...change.predicts,
  ],
});

function decideDone({ task }: Args, state: FileState, at: At): Verdict {
  const path = pathOfTask(task);
  if (!state.exists) return ok(`${task} is not pending`);
  if (state.type !== 'file') return blocked(`${path} is a ${state.type}, not a file`);
  return {
    is: 'change',
    change: {
      summary: path,
      sign: '-',
      actions: [{ do: 'remove', path }],
      touches: pathTouches(at.task.on, path),
      predicts: [
        { ref: need(at.task.on, file, path), value: { exists: false } },
        { ref: need(at.task.on, content, path), value: null },
      ],
    },
  };
}
