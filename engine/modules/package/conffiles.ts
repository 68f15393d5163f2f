import { content, file, type FileState } from '../../facts/file.js';
import type { Brought, Default } from '../../facts/package-brought.js';
import type { Prediction } from '../../terms/change.js';
import { need } from '../../terms/fact.js';
import type { Json } from '../../terms/json.js';
import type { At } from '../../terms/module.js';
import { NEW_DEFAULTS, REPLACED } from '../shared/put-aside.js';

/** What package managers put beside a configuration file: the new default, or the file as it was. */
const BESIDE = [...NEW_DEFAULTS, ...REPLACED, '.rpmorig'] as const;

/** The files that a package may alter by altering these. One that is named beside its original goes with that. */
export const withSiblings = (paths: readonly string[]): readonly string[] =>
  originals(paths).flatMap((path) => [path, ...BESIDE.map((suffix) => path + suffix)]);

export const originals = (paths: readonly string[]): readonly string[] =>
  paths.filter(
    (path) => !BESIDE.some((suffix) => path.endsWith(suffix) && paths.includes(path.slice(0, -suffix.length))),
  );

/** One path before the transaction. */
export interface PathBefore {
  readonly manager: 'dpkg' | 'rpm';
  /** Which file stays when both sides changed it, as the step wants it. */
  readonly conffiles: 'keep' | 'new';
  readonly path: string;
  readonly brought: Brought;
  readonly state: FileState;
}

/** What becomes of a path: what is new there and beside it, or undefined where no rule says it. All else stays as it is. */
type Fate = Readonly<Record<string, Placed>>;
type Placed =
  /** `keeps`: owner and mode of the file that stands there. */
  { readonly is: 'default'; readonly keeps: boolean } | { readonly is: 'moved' | 'gone' | 'touched' };

const DEFAULT: Placed = { is: 'default', keeps: false };
const KEEPING: Placed = { is: 'default', keeps: true };

/**
 * What dpkg makes of a path with `--force-confold`. Tried with dpkg 1.21: a default without local changes is replaced, and keeps owner and
 * mode; a changed one stays, with a new default beside it if that differs from the last; one that was taken away stays away.
 */
function byDpkg({ next, was, untouched, sameDefault, found }: Brought): Fate | undefined {
  if (next === null) return was === 'file' ? { '': { is: 'gone' } } : {};
  if (next.config === 'no') return { '': DEFAULT };
  if (found === null) return was !== 'config' ? { '': DEFAULT } : sameDefault ? {} : { '.dpkg-dist': DEFAULT };
  if (found === next.sha256 || sameDefault) return {};
  return untouched ? { '': KEEPING } : { '.dpkg-dist': KEEPING };
}

/**
 * What RPM makes of a path. Tried with rpm 4.18: what was taken away comes back; an RPM's own owner and mode come with each file that it
 * writes, and with one that holds the new text already.
 */
function byRpm({ next, was, untouched, sameDefault, found }: Brought): Fate | undefined {
  if (next === null) {
    if (was === 'nothing' || found === null) return {};
    return was === 'file' || untouched ? { '': { is: 'gone' } } : { '': { is: 'gone' }, '.rpmsave': { is: 'moved' } };
  }
  if (found === null) return { '': DEFAULT };
  if (found === next.sha256) return { '': { is: 'touched' } };
  if (untouched || (next.config === 'no' && was !== 'config')) return { '': DEFAULT };
  if (sameDefault) return next.config === 'no' ? undefined : {};
  if (next.config === 'kept') return { '.rpmnew': DEFAULT };
  return { '': DEFAULT, [was === 'nothing' ? '.rpmorig' : '.rpmsave']: { is: 'moved' } };
}

/**
 * What the facts of a path and of what lies beside it will read after the transaction; undefined where that cannot be known. What is not
 * named stays as it is.
 */
export function predictPath(before: PathBefore, at: At): readonly Prediction[] | undefined {
  const { manager, conffiles, brought, state, path } = before;
  const isFile = state.exists && state.type === 'file';
  // Something else stands there, or an earlier step of a plan would have altered it since it was looked at.
  if ((state.exists && !isFile) || (isFile ? state.sha256 : null) !== brought.found) return undefined;
  const fate = (manager === 'dpkg' ? byDpkg : byRpm)(brought);
  if (fate === undefined || (conffiles === 'new' && '.dpkg-dist' in fate)) return undefined;
  const placed = Object.entries(fate).flatMap(([suffix, p]) => predictPlaced(before, path + suffix, p, at));
  return '' in fate ? placed : [...placed, ...predictKept(before, at)];
}

function predictPlaced({ brought, state, path: from }: PathBefore, path: string, placed: Placed, at: At): Prediction[] {
  const { on } = at.task;
  const is = (value: Json): Prediction => ({ ref: need(on, file, path), value });
  const holds = (value: Json): Prediction => ({ ref: need(on, content, path), value });
  switch (placed.is) {
    case 'gone':
      return [is({ exists: false }), holds(null)];
    case 'moved':
      return [
        ruled(brought, need(on, file, path), state),
        { ref: need(on, content, path), unknown: `what stood at ${from}` },
      ];
    case 'touched':
      return [ruled(brought, need(on, file, path), { ...state, ...brought.next?.as })];
    case 'default': {
      if (brought.next === null) return [];
      const { next } = brought;
      const after = stateOf(next, placed.keeps ? state : undefined, at.timeMs);
      return [
        after === undefined ? unknownState(at, path) : ruled(brought, need(on, file, path), after),
        next.content === null
          ? { ref: need(on, content, path), unknown: `the default of ${path}` }
          : holds(next.content),
      ];
    }
  }
}

/** A file that stays: only what gives it an owner or a mode may alter it. */
function predictKept({ brought, state, path }: PathBefore, at: At): Prediction[] {
  if (!state.exists || isLeft(brought, state)) return [];
  return [unknownState(at, path)];
}

const unknownState = ({ task }: At, path: string): Prediction => ({
  ref: need(task.on, file, path),
  unknown: `owner and mode of ${path}`,
});

/** The state that a file is written with, where no script gives it another owner or mode: it may do so at a first installation only. */
const ruled = (brought: Brought, ref: Prediction['ref'], state: FileState): Prediction =>
  isLeft(brought, state) ? { ref, value: state } : { ref, unknown: `owner and mode of ${ref.key}` };

const isLeft = ({ scripts }: Brought, state: FileState): boolean =>
  scripts.is === 'nothing' ||
  (scripts.is === 'owner' &&
    state.exists &&
    state.owner === scripts.owner &&
    state.group === (scripts.group ?? state.group));

/** A default as it stands after it was written; undefined where its owner and mode are not known. */
function stateOf(next: Default, keeping: FileState | undefined, timeMs: number): FileState | undefined {
  const as = keeping?.exists === true ? keeping : next.as;
  if (as === undefined) return undefined;
  const { owner, group, mode } = as;
  const { sha256, sizeBytes } = next;
  return { exists: true, type: 'file', owner, group, mode, sizeBytes, sha256, changedAtMs: timeMs };
}
