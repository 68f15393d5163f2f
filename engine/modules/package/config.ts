import { content, file, type FileContent, type FileState } from '../../facts/file.js';
import { archivedPackageFile } from '../../facts/package-archived.js';
import { packageFile } from '../../facts/package-staged.js';
import type { Action } from '../../terms/action.js';
import { blocked, type Touch, type Verdict } from '../../terms/change.js';
import { need, type Needs } from '../../terms/fact.js';
import type { At } from '../../terms/module.js';
import { copyActions } from '../shared/backup-copy.js';
import { NEW_DEFAULTS, REPLACED } from '../shared/put-aside.js';
import { whyUnfit } from './option-file.js';
import { readOptions } from './option-line.js';
import { textTouches, whyNoText } from '../shared/text-file.js';

/** Of the arguments of `package`, what this is about. */
export interface ConfigArgs {
  readonly name: string;
  readonly version: string;
  /** Configuration files that the operator edits: absolute paths. */
  readonly keep_config?: readonly string[];
  /** Settings that later steps set, by name or by the path of what holds them. */
  readonly set_later?: readonly string[];
  /** What the comment has below which the package's script writes options, unless the comment is there. */
  readonly script_marker?: string;
  /** The version that the upgrade started from: after the installation nothing else shows it. */
  readonly upgrade_from?: string;
  /** A directory on the host with archived packages: the defaults of the earlier version are read from there. */
  readonly archive_from?: string;
}

/** Where a package manager, or a package's own script, leaves its new defaults for a file that it keeps. */
export const BESIDE = [...NEW_DEFAULTS, '.new'] as const;
/** The copy that the specification names. */
export const COPY = '.bak';

/** A configuration file and what lies beside it. Each is looked at only when a decision comes to it: a plan may not know it. */
export interface ConfigFile {
  readonly path: string;
  readonly text: (suffix?: string) => FileContent;
  readonly state: (suffix?: string) => FileState;
  readonly setLater: readonly string[];
  readonly marker: string | undefined;
}

export const isOptionFile = (path: string): boolean => path.endsWith('.options');
export const isYamlFile = (path: string): boolean => /\.ya?ml$/.test(path);
/** One that may be written after the installation, in a round of its own. */
export const isSettled = (path: string): boolean => isOptionFile(path) || isYamlFile(path);

const withSuffixes = (paths: readonly string[], suffixes: readonly string[]): readonly string[] =>
  paths.flatMap((path) => suffixes.map((suffix) => path + suffix));

export function configNeeds(
  { name, keep_config = [], upgrade_from = '', archive_from = '' }: ConfigArgs,
  { task }: At,
): Needs {
  if (keep_config.length === 0) return {};
  const { on } = task;
  const states = withSuffixes(keep_config, ['', COPY, ...BESIDE]);
  // Only options are reapplied: from the copy, or the file that was replaced, upon defaults that the earlier package gives.
  const options = keep_config.filter(isOptionFile);
  const texts = [
    ...withSuffixes(keep_config, ['', ...BESIDE]),
    ...withSuffixes(keep_config.filter(isSettled), [COPY]),
    ...withSuffixes(options, REPLACED),
  ];
  return {
    ...Object.fromEntries(texts.map((path) => [`text:${path}`, need(on, content, path)])),
    ...Object.fromEntries(states.map((path) => [`state:${path}`, need(on, file, path)])),
    ...(options.length === 0
      ? {}
      : {
          archived: need(on, archivedPackageFile, { name, version: upgrade_from, directory: archive_from }),
          cached: need(on, packageFile, { name, version: upgrade_from }),
        }),
  };
}

export const configTouches = ({ keep_config = [] }: ConfigArgs, { task }: At): readonly Touch[] =>
  keep_config.flatMap((path) => [...textTouches(task.on, path), ...textTouches(task.on, path + COPY)]);

/** Read just before the act: whether a copy that is there was made by this step before it was interrupted. */
export const configMarks = ({ keep_config = [] }: ConfigArgs, { task }: At): Needs =>
  Object.fromEntries(keep_config.map((path) => [`config:${path}`, need(task.on, file, path)]));

export const configFiles = (
  { keep_config = [], set_later = [], script_marker }: ConfigArgs,
  found: Readonly<Record<string, unknown>>,
): readonly ConfigFile[] =>
  keep_config.map((path) => ({
    path,
    text: (suffix = '') => found[`text:${path}${suffix}`] as FileContent,
    state: (suffix = '') => found[`state:${path}${suffix}`] as FileState,
    setLater: set_later,
    marker: script_marker,
  }));

/** What cannot be kept is refused before the package is touched. */
export function whyNotKept({ path, text, state }: ConfigFile): Verdict | undefined {
  const now = { text: text(), state: state() };
  const unfit = whyNoText(path, now);
  if (unfit !== undefined) return unfit;
  if (now.text === null) return blocked(`there is no file ${path}`, 'put it back, or take it out of `keep_config`');
  const wrong = isOptionFile(path) ? whyUnfit(readOptions(now.text.text), 'the file') : undefined;
  if (wrong !== undefined) return blocked(`${path}: ${wrong.reason}`, wrong.hint);
  const copy = state(COPY);
  return copy.exists && copy.type !== 'file' ? blocked(`${path}${COPY} is a ${copy.type}, not a file`) : undefined;
}

/** Copies a file beside itself; an older copy is renamed by the date of its last change. `marked`: the file's SHA-256 in an interrupted intent. */
export function copyOf({ path, state }: ConfigFile, marked: unknown): readonly Action[] {
  const [own, copy] = [state(), state(COPY)];
  const hash = copy.exists ? copy.sha256 : undefined;
  if (hash !== undefined && ((own.exists && own.sha256 === hash) || hash === marked)) return [];
  return copyActions(path, path + COPY, copy);
}
