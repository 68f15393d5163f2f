import { content, file } from '../../facts/file.js';
import { packageBrings, type PackageBrings } from '../../facts/package-brings.js';
import { unifiedDiff } from '../../lib/diff.js';
import { blocked, type Change, type Verdict } from '../../terms/change.js';
import { need, type Done, type Needs } from '../../terms/fact.js';
import type { Warning } from '../../terms/hint.js';
import { isObject } from '../../terms/json.js';
import type { At, More } from '../../terms/module.js';
import { maskPair } from '../shared/mask.js';
import {
  configFiles,
  configMarks,
  COPY,
  copyOf,
  isOptionFile,
  isSettled,
  isYamlFile,
  whyNotKept,
  type ConfigArgs,
  type ConfigFile,
} from './config.js';
import { baseOf, mergedText, mergeWarnings, mergeWords, reapplied } from './config-merge.js';
import { scriptBlock } from './option-block.js';
import { missing, newSettings } from './config-new.js';
import { withoutRepeated } from './config-repeated.js';
import { settleText } from '../shared/text-file.js';

type Found = Readonly<Record<string, unknown>>;

/** The defaults of the earlier version, asked of its package's file; nothing where that is not on the host. */
export function earlierNeeds({ name, keep_config = [] }: ConfigArgs, found: Found, { task }: At): Needs {
  const paths = keep_config.filter(isOptionFile);
  if (paths.length === 0) return {};
  const path = (found['archived'] ?? found['cached'] ?? null) as string | null;
  return path === null ? {} : { earlier: need(task.on, packageBrings, { name, file: path, paths }) };
}

/** The change of a package with which an upgrade begins: its configuration is copied first; the plan shows what is reapplied afterwards. */
export function withConfig(
  change: Change,
  args: ConfigArgs,
  { found, more, done }: { readonly found: Found; readonly more: More | undefined; readonly done: Done },
  at: At,
): Verdict {
  const files = configFiles(args, found);
  const unfit = files.map(whyNotKept).find((why) => why !== undefined);
  if (unfit !== undefined) return unfit;
  const copies = files.flatMap((config) => copyOf(config, hashMarked(done, config.path)));
  const foretellings = files.map((config) => foretold(config, args, more));
  const rounds = files.filter(({ path }) => isSettled(path)).length;
  const diff = foretellings.flatMap((one) => one.diff ?? []).join('');
  const diffUnknown = foretellings.flatMap((one) => one.unknown ?? []).join('; ');
  const warnings = foretellings.flatMap((one) => one.warnings ?? []);
  return {
    is: 'change',
    change: {
      ...change,
      summary: `${change.summary}; keeps your settings in ${files.map(({ path }) => path.slice(path.lastIndexOf('/') + 1)).join(', ')}`,
      ...(diff === '' ? {} : { diff }),
      ...(diffUnknown === '' ? {} : { diffUnknown }),
      actions: [...copies, ...change.actions] as unknown as Change['actions'],
      touches: [...change.touches, ...unknownAfter(args, at).map(({ ref }) => ref)],
      predicts: [...change.predicts.filter(({ ref }) => !isReapplied(args, ref.key)), ...unknownAfter(args, at)],
      marks: { ...change.marks, ...configMarks(args, at) },
      ...(warnings.length === 0 ? {} : { warnings }),
      // What follows has rounds of its own: the package's script must have ended.
      ...(rounds === 0 ? {} : { left: rounds }),
    },
  };
}

const hashMarked = (done: Done, path: string): unknown => {
  const mark = done.is === 'unknown' ? done.marks[`config:${path}`] : undefined;
  return isObject(mark) ? mark['sha256'] : undefined;
};

const isReapplied = ({ keep_config = [] }: ConfigArgs, path: string): boolean =>
  keep_config.some((one) => isOptionFile(one) && path === one);

/** A file of options is written twice, by the package and by what is reapplied; a copy appears beside each file. */
const unknownAfter = ({ keep_config = [] }: ConfigArgs, { task }: At): Change['predicts'] =>
  keep_config
    .flatMap((path) => [...(isOptionFile(path) ? [path] : []), path + COPY])
    .flatMap((path) =>
      [need(task.on, file, path), need(task.on, content, path)].map((ref) => ({
        ref,
        unknown: `what is kept of ${path}`,
      })),
    );

interface Foretold {
  readonly diff?: string;
  readonly unknown?: string;
  readonly warnings?: readonly string[];
}

/** Will the package's script leave this file as it is, because its marker is there? */
const scriptIsDone = ({ path, text, marker }: ConfigFile): boolean =>
  isOptionFile(path) && scriptBlock(text()?.text ?? '', marker) !== undefined;

/** What will become of a file, for a plan: exactly, where the new package lies on the host. */
function foretold(config: ConfigFile, { name, version }: ConfigArgs, more: More | undefined): Foretold {
  const { path } = config;
  const own = config.text();
  const brought = (more?.['brings'] as unknown as PackageBrings | undefined)?.paths[path];
  if (brought === undefined || (brought.scripts.is === 'content' && !scriptIsDone(config)))
    return isOptionFile(path) ? { unknown: `${path}: what ${name} ${version} brings` } : {};
  if (own === null || brought.untouched) return {};
  const next = brought.sameDefault ? null : (brought.next?.content ?? null);
  if (!isOptionFile(path))
    return {
      warnings:
        next === null ? newSettings(config) : missing(config, own.text, { path: 'the new version', text: next.text }),
    };
  if (next === null) return {};
  const upon = mergedText(config, own, next, baseOf(path, more));
  if (upon.is === 'wrong') return {};
  const [before, after] = maskPair(own.text, upon.text);
  return { diff: unifiedDiff(path, before, after), warnings: mergeWarnings(path, upon) };
}

/** What is left to do for the configuration, or what is to be reported of it. */
export type ConfigSettled =
  Exclude<Verdict, { is: 'ok' }> | { readonly is: 'ok'; readonly warnings: readonly Warning[] };

/** After the package is installed, one file at a time: options reapplied, settings that are there once, then what the new defaults have besides. */
export function settleConfig(args: ConfigArgs, found: Found, more: More | undefined, at: At): ConfigSettled {
  const files = configFiles(args, found);
  const warnings: Warning[] = [];
  for (const [i, config] of files.entries()) {
    const isOptions = isOptionFile(config.path);
    const verdict = isOptions ? settleOptions(config, more, at) : settleRepeated(config, at);
    const left = files.slice(i + 1).filter(({ path }) => isSettled(path)).length;
    if (verdict?.is === 'change') return { is: 'change', change: { ...verdict.change, left } };
    if (verdict !== undefined && verdict.is !== 'ok') return verdict;
    warnings.push(...(isOptions ? (verdict?.warnings ?? []) : newSettings(config)));
  }
  return { is: 'ok', warnings };
}

function settleOptions(config: ConfigFile, more: More | undefined, at: At): Verdict {
  const { path } = config;
  const because = `${path} holds your values upon the new defaults`;
  if (config.text(COPY) === null)
    return blocked(`there is no copy ${path}${COPY}`, `copy the file from before the upgrade to ${path}${COPY}`);
  const upon = reapplied(config, baseOf(path, more));
  if (upon === undefined) return { is: 'ok', because };
  if (upon.is === 'wrong') return blocked(`${path}: ${upon.reason}`, upon.hint);
  const { text, encoding } = upon;
  const now = { text: config.text(), state: config.state() };
  const verdict = settleText({ path, now, text, encoding, summary: `${path}: ${mergeWords(upon)}`, because }, at);
  return verdict.is === 'ok' ? { ...verdict, warnings: mergeWarnings(path, upon) } : verdict;
}

/** A YAML file to which the package's script appended settings that the operator's has already. */
function settleRepeated(config: ConfigFile, at: At): Verdict | undefined {
  const { path } = config;
  if (!isYamlFile(path)) return undefined;
  const [own, now] = [config.text(COPY), config.text()];
  const once = own === null || now === null ? undefined : withoutRepeated(own.text, now.text);
  if (once === undefined) return undefined;
  if (once.is === 'wrong') return blocked(`${path}: ${once.reason}`, once.hint);
  const summary = `${path}: yours stay, what the package's script added again is removed: ${once.names.join(', ')}`;
  const state = { text: now, state: config.state() };
  return settleText(
    { path, now: state, text: once.text, summary, because: `each setting of ${path} is there once` },
    at,
  );
}
