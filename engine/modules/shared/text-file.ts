import { isUtf8 } from 'node:buffer';
import { content, file, tree, type FileContent, type FileState } from '../../facts/file.js';
import { unifiedDiff } from '../../lib/diff.js';
import { sha256 } from '../../lib/hash.js';
import type { Action, Encoding, Ownership } from '../../terms/action.js';
import { blocked, ok, type Change, type Prediction, type Verdict } from '../../terms/change.js';
import { need, type FactRef, type Need } from '../../terms/fact.js';
import type { At } from '../../terms/module.js';
import type { Subject } from '../../terms/subject.js';
import { maskPair } from './mask.js';
import { hideReplaced, NO_SECRETS, type SecretValues } from './secret-values.js';

/** What every module that edits a text must know of it, and what it then touches. */
export const textNeeds = (
  on: Subject,
  path: string,
): { readonly state: Need<FileState>; readonly text: Need<FileContent> } => ({
  state: need(on, file, path),
  text: need(on, content, path),
});
export const textTouches = (on: Subject, path: string): readonly FactRef[] => [
  need(on, content, path),
  need(on, file, path),
];

/** All that is known of a path, whatever lies there. */
export const pathTouches = (on: Subject, path: string): readonly FactRef[] => [
  need(on, file, path),
  need(on, content, path),
  need(on, tree, path),
];

/** A text as it stands: `null` when there is none yet. */
export interface TextNow {
  readonly text: FileContent;
  readonly state: FileState;
}

/** Ownership as a playbook writes it; mode `640` is `0640`. */
export const ownershipOf = (args: Ownership): Ownership => ({
  ...(args.owner === undefined ? {} : { owner: args.owner }),
  ...(args.group === undefined ? {} : { group: args.group }),
  ...(args.mode === undefined ? {} : { mode: args.mode.padStart(4, '0') }),
});

/** The fact `content` of these bytes. */
export function contentOf(bytes: Buffer): NonNullable<FileContent> {
  const encoding: Encoding = isUtf8(bytes) ? 'utf8' : 'latin1';
  return { text: bytes.toString(encoding), encoding, sha256: sha256(bytes) };
}

/** Words of a playbook as they must stand in a file whose bytes were read as latin1. */
export const asIn = (encoding: Encoding, words: string): string =>
  encoding === 'utf8' ? words : Buffer.from(words, 'utf8').toString('latin1');

/** Why a path cannot be edited as a text; undefined when it can. An absent file is no reason. */
export function whyNoText(path: string, now: TextNow): Verdict | undefined {
  const { state } = now;
  if (!state.exists) return undefined;
  if (state.type === 'link')
    return blocked(`${path} is a link to ${state.target ?? 'something'}`, 'name the file that it points to');
  if (state.type !== 'file')
    return blocked(`${path} is a ${state.type === 'directory' ? 'directory' : 'special file'}, not a file`);
  if (now.text === null) return blocked(`${path} cannot be read as a text`);
  return undefined;
}

export interface Rewrite {
  readonly path: string;
  readonly now: TextNow;
  /** The whole text, in the encoding of the file (utf8 for a new one). */
  readonly text: string;
  readonly encoding?: Encoding;
  readonly ownership?: Ownership;
  /** A line for the operator; the path when absent. */
  readonly summary?: string;
  readonly because: string;
  /** Keeps the differences to itself: what goes in is a secret. */
  readonly hidden?: boolean;
  /** Of the inventory's secrets, those that the text may hold. */
  readonly secrets?: SecretValues;
}

/**
 * The verdict of every module that wants a file to hold a text: nothing, other attributes, or a write that replaces exactly what
 * was read, with its diff (secrets hidden) and its predictions.
 */
export function settleText(rewrite: Rewrite, { task, timeMs }: At): Verdict {
  const { path, now, because, secrets = NO_SECRETS } = rewrite;
  const wrong = whyNoText(path, now);
  if (wrong !== undefined) return wrong;
  const encoding = rewrite.encoding ?? now.text?.encoding ?? 'utf8';
  const bytes = Buffer.from(rewrite.text, encoding);
  const after = contentOf(bytes);
  const ownership = ownershipOf(rewrite.ownership ?? {});
  if (now.text !== null && now.state.exists && now.text.text === rewrite.text && now.text.encoding === encoding)
    return settleAttributes({ path, state: now.state, ownership, because }, { task, timeMs });
  return {
    is: 'change',
    change: {
      ...describe(rewrite),
      actions: [writeOf(rewrite, encoding, ownership)],
      touches: textTouches(task.on, path),
      predicts: secrets.some
        ? secretPredictions(task.on, path)
        : [
            { ref: need(task.on, content, path), value: after },
            {
              ref: need(task.on, file, path),
              value: stateAfter(now.state, ownership, { sizeBytes: bytes.length, sha256: after.sha256 }, timeMs),
            },
          ],
    },
  };
}

/** Not even a hash: who has the journal could try values on it. That the file holds them is seen when it is read again. */
const secretPredictions = (on: Subject, path: string): readonly Prediction[] =>
  textTouches(on, path).map((ref) => ({ ref, unknown: 'a secret is in it' }));

function describe(rewrite: Rewrite): Pick<Change, 'summary' | 'sign' | 'diff'> {
  const { path, now, text, summary, hidden, secrets: { some, hide } = NO_SECRETS } = rewrite;
  const sign = now.text === null ? '+' : '~';
  if (hidden === true) return { summary: summary ?? path, sign };
  const [before, after] = maskPair(hide(now.text?.text ?? ''), hide(text));
  const diff = unifiedDiff(path, now.text === null ? null : before, after);
  return { summary: summary ?? path, sign, diff: some ? hideReplaced(diff) : diff };
}

function writeOf({ path, now, text, secrets = NO_SECRETS }: Rewrite, encoding: Encoding, ownership: Ownership): Action {
  return {
    do: 'write',
    path,
    content: secrets.refer(text),
    ...(encoding === 'utf8' ? {} : { encoding }),
    replaces: now.text?.sha256 ?? 'nothing',
    // A new file's mode is said, lest the umask of the day decide it.
    ...(now.text === null ? { mode: secrets.some ? '0600' : '0644' } : {}),
    ...ownership,
  };
}

const fresh = { owner: 'root', group: 'root', mode: '0644' } as const;

/** The fact `file` of a regular file after a write or an upload. */
export const stateAfter = (
  state: FileState,
  ownership: Ownership,
  { sizeBytes, sha256 }: { readonly sizeBytes: number; readonly sha256: string },
  changedAtMs: number,
) => {
  const { owner, group, mode } = state.exists ? state : fresh;
  return { exists: true, type: 'file', owner, group, mode, ...ownership, sizeBytes, sha256, changedAtMs } as const;
};

interface Attributes {
  readonly path: string;
  readonly state: Extract<FileState, { exists: true }>;
  readonly ownership: Ownership;
  readonly because: string;
}

/** Owner, group and mode alone. */
export function settleAttributes({ path, state, ownership, because }: Attributes, { task, timeMs }: At): Verdict {
  const wanted = ownershipOf(ownership);
  const differing = (['owner', 'group', 'mode'] as const).filter(
    (k) => wanted[k] !== undefined && wanted[k] !== state[k],
  );
  if (differing.length === 0) return ok(because);
  const altered: Ownership = Object.fromEntries(differing.map((k) => [k, wanted[k]]));
  return {
    is: 'change',
    change: {
      summary: `${path}: ${differing.map((k) => `${k} ${state[k]} → ${wanted[k] ?? ''}`).join(', ')}`,
      sign: '~',
      actions: [{ do: 'attributes', path, ...altered }],
      touches: [need(task.on, file, path)],
      predicts: [{ ref: need(task.on, file, path), value: { ...state, ...altered, changedAtMs: timeMs } }],
    },
  };
}
