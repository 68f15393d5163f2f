import type { FileContent, FileState } from '../../facts/file.js';
import type { PackageBrings } from '../../facts/package-brings.js';
import type { More } from '../../terms/module.js';
import { masked } from '../shared/mask.js';
import { mergeOptions, type MergedOptions } from './option-file.js';
import { REPLACED } from '../shared/put-aside.js';
import { BESIDE, COPY, type ConfigFile } from './config.js';
import { asIn } from '../shared/text-file.js';

type Text = NonNullable<FileContent>;

/** The operator's options upon the new defaults, and the encoding of the file. */
export type Reapplied = MergedOptions & { readonly encoding: 'utf8' | 'latin1'; readonly baseKnown: boolean };

/**
 * What a file of options is to hold after the package is installed: the operator's own settings, from the copy, upon the new
 * defaults. Undefined: the package's file was never changed, or brought nothing new.
 */
export function reapplied(config: ConfigFile, base: FileContent): Reapplied | undefined {
  const [text, saved] = [config.text(), config.text(COPY)];
  if (text === null || saved === null) return undefined;
  const defaults = newDefaults(config, text, saved, base);
  return defaults === undefined ? undefined : mergedText(config, saved, defaults, base);
}

/** The operator's options upon these defaults, all of one encoding. */
export function mergedText(config: ConfigFile, saved: Text, defaults: Text, base: FileContent): Reapplied {
  const encoding = saved.encoding === 'latin1' || defaults.encoding === 'latin1' ? 'latin1' : 'utf8';
  const of = (c: Text): string => (c.encoding === encoding ? c.text : asIn(encoding, c.text));
  const now = config.text() ?? saved;
  const sources = {
    defaults: of(defaults),
    saved: of(saved),
    now: of(now),
    ...(base === null ? {} : { base: of(base) }),
  };
  return { ...mergeOptions({ ...sources, marker: config.marker }), encoding, baseKnown: base !== null };
}

/**
 * Where the package put its new defaults: beside the file, or in its place with the operator's moved aside. A file beside it may be left
 * from an earlier upgrade; its time proves little, because dpkg keeps the times of the archive.
 */
function newDefaults(config: ConfigFile, text: Text, saved: Text, base: FileContent): Text | undefined {
  const isOperators = text.sha256 === saved.sha256;
  // Never changed: the package replaced it.
  if (!isOperators && base?.sha256 === saved.sha256) return undefined;
  const beside = newestBeside(config);
  if (beside !== undefined) {
    if (isOperators || base !== null || beside.atMs() >= changedAt(config.state(COPY))) return beside.text;
    const before = mergedText(config, saved, beside.text, base);
    if (before.is === 'text' && before.text === asIn(before.encoding, text.text)) return beside.text;
  }
  const isReplaced = REPLACED.some((suffix) => config.text(suffix)?.sha256 === saved.sha256);
  // Merged already, or replaced by hand: to merge it again alters nothing of the former.
  return !isOperators && (isReplaced || base !== null) ? text : undefined;
}

/** The last of the files that a package left beside this one. */
export function newestBeside(
  config: ConfigFile,
): { readonly suffix: string; readonly text: Text; readonly atMs: () => number } | undefined {
  const found = BESIDE.flatMap((suffix) => {
    const text = config.text(suffix);
    return text === null ? [] : [{ suffix, text, atMs: () => changedAt(config.state(suffix)) }];
  });
  return found.length < 2 ? found[0] : [...found].sort((a, b) => b.atMs() - a.atMs())[0];
}

const changedAt = (state: FileState): number => (state.exists ? state.changedAtMs : 0);

/** The defaults of the earlier version, from its package's file; null where that is not on the host. */
export function baseOf(path: string, more: More | undefined): FileContent {
  const brings = more?.['earlier'] as unknown as PackageBrings | undefined;
  return brings?.paths[path]?.next?.content ?? null;
}

/** `your -Xms8g -Xmx8g and 2 more onto the new defaults` */
export function mergeWords({ own }: Extract<MergedOptions, { is: 'text' }>): string {
  if (own.length === 0) return 'the new defaults';
  const more = own.length > 3 ? ` and ${own.length - 3} more` : '';
  return `your ${own.slice(0, 3).map(masked).join(' ')}${more} onto the new defaults`;
}

/** What was kept though the new version may have dropped it. */
export function mergeWarnings(
  path: string,
  { unknown, baseKnown }: Extract<Reapplied, { is: 'text' }>,
): readonly string[] {
  const notKnown = baseKnown
    ? []
    : [
        `the earlier defaults of ${path} are not known (the earlier package is not archived): every option that differs from the new defaults is kept`,
      ];
  if (unknown.length === 0) return notKnown;
  const ownOptions = `${path}: ${unknown.map(masked).join(' ')} kept, and the new defaults do not have ${unknown.length === 1 ? 'it' : 'them'}`;
  return [
    ...notKnown,
    baseKnown
      ? `${ownOptions}: the new version dropped what you had changed there; remove ${unknown.length === 1 ? 'it' : 'them'} if the service refuses to start`
      : `${ownOptions}: ${unknown.length === 1 ? 'an option' : 'options'} of your own, or earlier defaults that were dropped`,
  ];
}
