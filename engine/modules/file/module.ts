import {
  content,
  file,
  newDirectory,
  tree,
  type FileContent,
  type FileState,
  type FileTree,
} from '../../facts/file.js';
import { blocked, ok, type Change, type Prediction, type Verdict } from '../../terms/change.js';
import { need, type Need } from '../../terms/fact.js';
import type { Json } from '../../terms/json.js';
import { defineModule, type At } from '../../terms/module.js';
import { whyNoJson } from '../download/check.js';
import { secretNeeds, secretValues, type SecretValues } from '../shared/secret-values.js';
import {
  ownershipOf,
  pathTouches,
  settleAttributes,
  settleText,
  whyNoText,
  type TextNow,
} from '../shared/text-file.js';
import type { Args } from './schema.js';

type Asked = {
  readonly state: Need<FileState>;
  readonly text?: Need<FileContent>;
  readonly source?: Need<FileContent>;
};

export const fileModule = defineModule<Args>()({
  name: 'file',
  needs: ({ path, state, content: wanted, from }, { task }): Asked => ({
    ...secretNeeds(task.on, { content: wanted }),
    state: need(task.on, file, path),
    ...(state === 'file' && (wanted !== undefined || from !== undefined) ? { text: need(task.on, content, path) } : {}),
    ...(from === undefined ? {} : { source: need(task.on, content, from) }),
  }),
  touches: ({ path }, at) => pathTouches(at.task.on, path),
  decide(args, now, at) {
    switch (args.state) {
      case 'file':
        if (args.from !== undefined)
          return decideCopyOf(
            args,
            { source: now.source ?? null, state: now.state, text: now.text ?? null },
            args.from,
            at,
          );
        return decideFile(args, { state: now.state, text: now.text ?? null }, secretValues(args, now), at);
      case 'directory':
        return decideDirectory(args, now.state, at);
      case 'link':
        return decideLink(args, now.state, at);
      case 'absent':
        return decideAbsent(args, now.state, at);
    }
  },
});

const predict = (
  path: string,
  { task }: At,
  values: { file: FileState; content?: FileContent; tree?: FileTree },
): readonly Prediction[] => [
  { ref: need(task.on, file, path), value: values.file },
  ...(values.content === undefined ? [] : [{ ref: need(task.on, content, path), value: values.content }]),
  ...(values.tree === undefined ? [] : [{ ref: need(task.on, tree, path), value: values.tree as Json }]),
];

function decideFile(args: Args, now: TextNow, secrets: SecretValues, at: At): Verdict {
  const { path, content: wanted, state: _, encoding = 'utf8', ...ownership } = args;
  const because = `${path} is as wanted`;
  if (wanted !== undefined || !now.state.exists)
    return settleText({ path, now, text: secrets.text(wanted ?? ''), encoding, ownership, because, secrets }, at);
  return (
    whyNoText(path, { state: now.state, text: { text: '', encoding: 'utf8', sha256: '' } }) ??
    settleAttributes({ path, state: now.state, ownership, because }, at)
  );
}

/** The content of another file on the host, judged before it replaces anything. */
function decideCopyOf(args: Args, now: TextNow & { readonly source: FileContent }, from: string, at: At): Verdict {
  const { path, expect } = args;
  const { source } = now;
  if (source === null) return blocked(`there is no file ${from}`, `${path} was left as it is`);
  const wrong = expect === undefined ? undefined : whyNoJson(source.text, expect.has);
  if (wrong !== undefined) return blocked(`${from}: ${wrong}`, `${path} was left as it is`);
  return settleText(
    {
      path,
      now,
      text: source.text,
      encoding: source.encoding,
      ownership: args,
      summary: `${path} from ${from}`,
      because: `${path} is as ${from}`,
    },
    at,
  );
}

function decideDirectory({ path, ...ownership }: Args, state: FileState, at: At): Verdict {
  if (state.exists && state.type !== 'directory') return blocked(`${path} is a ${state.type}, not a directory`);
  if (state.exists) return settleAttributes({ path, state, ownership, because: `${path} is a directory` }, at);
  const after: FileState = { ...newDirectory(at.timeMs), ...ownershipOf(ownership) };
  return {
    is: 'change',
    change: {
      summary: path,
      sign: '+',
      actions: [{ do: 'directory', path, mode: after.mode, ...ownershipOf(ownership) }],
      touches: pathTouches(at.task.on, path),
      predicts: predict(path, at, { file: after, tree: [] }),
    },
  };
}

function decideLink({ path, target = '' }: Args, state: FileState, at: At): Verdict {
  if (state.exists && state.type !== 'link')
    return blocked(`${path} is a ${state.type}, not a link`, 'take it away first');
  if (state.exists && state.target === target) return ok(`${path} points to ${target}`);
  const after: FileState = {
    exists: true,
    type: 'link',
    owner: 'root',
    group: 'root',
    mode: '0777',
    sizeBytes: Buffer.byteLength(target),
    target,
    changedAtMs: at.timeMs,
  };
  return {
    is: 'change',
    change: {
      summary: state.exists ? `${path} → ${target} (was ${state.target ?? ''})` : `${path} → ${target}`,
      sign: state.exists ? '~' : '+',
      actions: [{ do: 'link', path, target }],
      touches: pathTouches(at.task.on, path),
      predicts: predict(path, at, { file: after }),
    },
  };
}

function decideAbsent({ path, tree: whole = false }: Args, state: FileState, at: At): Verdict {
  if (!state.exists) return ok(`nothing is at ${path}`);
  if (state.type === 'directory' && !whole)
    return blocked(`${path} is a directory`, 'tree: true removes it with all that it holds');
  const change: Change = {
    summary: path,
    sign: '-',
    actions: [{ do: 'remove', path, ...(state.type === 'directory' ? { tree: true } : {}) }],
    touches: pathTouches(at.task.on, path),
    predicts: predict(path, at, { file: { exists: false }, content: null, tree: null }),
  };
  return { is: 'change', change };
}
