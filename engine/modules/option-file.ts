import { content, file, type FileContent, type FileState } from '../facts/file.js';
import type { Ownership } from '../terms/action.js';
import { blocked, ok, type Verdict } from '../terms/change.js';
import type { Truth } from '../terms/condition.js';
import { need, type Need } from '../terms/fact.js';
import { defineModule, type At } from '../terms/module.js';
import { maskPair } from './mask.js';
import { mergeOptions, type MergedOptions } from './option-file-text.js';
import { readOptions, isHeap } from './option-line.js';
import { asIn, settleText, textNeeds, textTouches, whyNoText } from './text-file.js';

/** Mirrors schemas/modules/option-file.schema.json. */
interface Args extends Ownership {
  readonly path: string;
  readonly saved: string;
  readonly defaults?: string;
  readonly base?: string;
  readonly untouched?: Truth;
}

type Asked = {
  readonly text: Need<FileContent>;
  readonly state: Need<FileState>;
  readonly saved: Need<FileContent>;
  readonly savedState: Need<FileState>;
  readonly given?: Need<FileContent>;
  readonly dist?: Need<FileContent>;
  readonly distState?: Need<FileState>;
  readonly rpmnew?: Need<FileContent>;
  readonly rpmnewState?: Need<FileState>;
  readonly base?: Need<FileContent>;
};
type Found = { readonly [P in keyof Asked]: Asked[P] extends Need<infer V> | undefined ? V : never };
type Text = NonNullable<FileContent>;

export const optionFile = defineModule<Args>()({
  name: 'option-file',
  summary:
    "Merge the operator's own JVM options, from the copy made before the upgrade, into the new defaults of the package (§9.4.5).",
  conditions: ['untouched'],
  needs({ path, saved, defaults = 'auto', base }, { task: { on } }): Asked {
    return {
      ...textNeeds(on, path),
      saved: need(on, content, saved),
      savedState: need(on, file, saved),
      ...(defaults === 'auto'
        ? {
            dist: need(on, content, `${path}.dpkg-dist`),
            distState: need(on, file, `${path}.dpkg-dist`),
            rpmnew: need(on, content, `${path}.rpmnew`),
            rpmnewState: need(on, file, `${path}.rpmnew`),
          }
        : { given: need(on, content, defaults) }),
      ...(base === undefined ? {} : { base: need(on, content, base) }),
    };
  },
  touches: ({ path }, { task }) => textTouches(task.on, path),
  decide(args, now, at) {
    const { path, saved, defaults = 'auto' } = args;
    const unfit = whyNoText(path, now);
    if (unfit !== undefined) return unfit;
    if (now.text === null) return blocked(`there is no file ${path}`, 'is the package installed?');
    if (now.saved === null) return blocked(`there is no copy ${saved}`, 'a backup step before the package makes it');
    if (defaults !== 'auto')
      return now.given === null || now.given === undefined
        ? blocked(`there are no new defaults at ${defaults}`)
        : settle(args, now, now.given, at);
    const found = newDefaults(args, now, now.text, now.saved);
    return found === undefined ? ok(`${path} holds your values upon the new defaults`) : settle(args, now, found, at);
  },
  unsure: ({ path }, { saved }) => {
    const heap =
      saved.known && saved.value !== null
        ? readOptions(saved.value.text)
            .options.filter(isHeap)
            .map((o) => o.option)
        : [];
    return `${path}: your ${heap.length > 0 ? heap.join(' ') : 'values'} onto the new defaults (exact once the package is installed)`;
  },
});

/**
 * Where the package put its new defaults: beside the file (`.dpkg-dist`, `.rpmnew`), or in its place. One beside it that is older
 * than the saved copy was left by an earlier upgrade, unless the file is still the operator's. Undefined: nothing new, or merged.
 */
function newDefaults(args: Args, now: Found, text: Text, saved: Text): Text | undefined {
  const beside = latest([
    { content: now.dist, atMs: () => timeOf(now.distState) },
    { content: now.rpmnew, atMs: () => timeOf(now.rpmnewState) },
  ]);
  const isOperators = text.sha256 === saved.sha256;
  if (beside === undefined) return isOperators ? undefined : text;
  if (isOperators) return beside.content;
  if (beside.atMs() >= timeOf(now.savedState)) return beside.content;
  const merged = merge(args, now, beside.content);
  return merged.is === 'text' && merged.text === inLatin(text, encodingOf(now, beside.content)) ? undefined : text;
}

interface Beside {
  readonly content: Text;
  /** Looked at only where it matters: a plan may not know it. */
  readonly atMs: () => number;
}

/** Of those that are there the one that came last. */
function latest(
  found: readonly { readonly content: FileContent | undefined; readonly atMs: () => number }[],
): Beside | undefined {
  const there = found.flatMap(({ content: c, atMs }) => (c === null || c === undefined ? [] : [{ content: c, atMs }]));
  return there.length < 2 ? there[0] : [...there].sort((a, b) => b.atMs() - a.atMs())[0];
}

const timeOf = (state: FileState | undefined): number => (state?.exists === true ? state.changedAtMs : 0);

const encodingOf = (now: Found, defaults: Text): 'utf8' | 'latin1' =>
  now.saved?.encoding === 'latin1' || defaults.encoding === 'latin1' ? 'latin1' : 'utf8';
const inLatin = (c: Text, encoding: 'utf8' | 'latin1'): string =>
  c.encoding === encoding ? c.text : asIn(encoding, c.text);

function merge({ untouched }: Args, now: Found, defaults: Text): MergedOptions {
  const encoding = encodingOf(now, defaults);
  const of = (c: Text): string => inLatin(c, encoding);
  if (now.saved === null) return { is: 'wrong', reason: 'there is no saved copy' };
  if (untouched?.is === true) return { is: 'text', text: of(defaults), own: [], unknown: [] };
  return mergeOptions({
    defaults: of(defaults),
    saved: of(now.saved),
    ...(now.base === null || now.base === undefined ? {} : { base: of(now.base) }),
  });
}

function settle(args: Args, now: Found, defaults: Text, at: At): Verdict {
  const { path } = args;
  const merged = merge(args, now, defaults);
  if (merged.is === 'wrong') return blocked(`${path}: ${merged.reason}`, merged.hint);
  const because = `${path} holds your values upon the new defaults`;
  const verdict = settleText(
    {
      path,
      now,
      text: merged.text,
      encoding: encodingOf(now, defaults),
      ownership: args,
      summary: `${path}: ${words(merged)}`,
      because,
    },
    at,
  );
  const warnings = warningsOf(merged, path, now.base !== null && now.base !== undefined);
  if (verdict.is !== 'change' || warnings.length === 0) return verdict;
  return { is: 'change', change: { ...verdict.change, warnings } };
}

/** `your -Xms8g -Xmx8g and 2 more onto the new defaults` */
function words({ own }: Merged): string {
  if (own.length === 0) return 'the new defaults';
  const shown = own.slice(0, 3).map(masked).join(' ');
  const more = own.length > 3 ? ` and ${own.length - 3} more` : '';
  return `your ${shown}${more} onto the new defaults`;
}

type Merged = Extract<MergedOptions, { is: 'text' }>;

/** What was kept though the new version may have dropped it: whether it is an own line hangs on what the old defaults were. */
function warningsOf({ unknown }: Merged, path: string, baseKnown: boolean): readonly string[] {
  if (unknown.length === 0) return [];
  const [it, line] = unknown.length === 1 ? ['it', 'a line'] : ['them', 'lines'];
  const kept = `${path}: ${unknown.map(masked).join(' ')} kept, and the new defaults do not have ${it}`;
  return [
    baseKnown
      ? `${kept}: the new version dropped what you had changed there; take ${it} out if the service refuses to start`
      : `${kept}: ${line} of your own, or an old default that was dropped (the old defaults are not known)`,
  ];
}

const masked = (option: string): string => maskPair(option, option)[0];
