import { content, file, newDirectory, type FileContent, type FileState } from '../../facts/file.js';
import { blocked, bookkeeping, ok, type Change, type Verdict } from '../../terms/change.js';
import { need, type Need } from '../../terms/fact.js';
import { defineModule, type At } from '../../terms/module.js';
import { pathTouches, settleText } from '../shared/text-file.js';
import type { Args } from './schema.js';

/** Beside the lease: it outlives a run, its controller and a reboot of the host. */
const DIRECTORY = '/var/lib/runbook/pending';
const pathOf = ({ task }: Args): string => `${DIRECTORY}/${task}`;

export const pendingTask = defineModule<Args>()({
  name: 'pending-task',
  needs: (args, { task: { on } }): Asked => ({
    directory: need(on, file, DIRECTORY),
    state: need(on, file, pathOf(args)),
    text: need(on, content, pathOf(args)),
  }),
  touches: (args, { task: { on } }) => [need(on, file, DIRECTORY), ...pathTouches(on, pathOf(args))],
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
  const path = pathOf({ task });
  const because = `${task} is recorded as pending`;
  const verdict = settleText({ path, now, text, ownership: { mode: '0600' }, summary: path, because }, at);
  if (verdict.is !== 'change' || now.directory.exists) return verdict;
  return { is: 'change', change: withDirectory(verdict.change, at) };
}

/** What is recorded may name hosts and versions: its directory is root's alone. */
const withDirectory = (change: Change, at: At): Change => ({
  ...change,
  actions: [{ do: 'directory', path: DIRECTORY, mode: '0700' }, ...change.actions],
  touches: [need(at.task.on, file, DIRECTORY), ...change.touches],
  predicts: [
    { ref: need(at.task.on, file, DIRECTORY), value: { ...newDirectory(at.timeMs), mode: '0700' } },
    ...change.predicts,
  ],
});

function decideDone(args: Args, state: FileState, at: At): Verdict {
  const path = pathOf(args);
  if (!state.exists) return ok(`${args.task} is not pending`);
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
