import { blocked, bookkeeping, ok, type Verdict } from '../../terms/change.js';
import type { FileContent, FileState } from '../../facts/file.js';
import type { Need } from '../../terms/fact.js';
import { defineModule, type At } from '../../terms/module.js';
import type { Entry } from './entry.js';
import { entriesOf, isBelow, readerOf } from './text.js';
import { settleText, textNeeds, textTouches, whyNoText, type TextNow } from '../shared/text-file.js';
import type { Args } from './schema.js';

/** One file, as the host has it. */
interface File extends Pick<Args, 'url' | 'state'> {
  readonly path: string;
}

type Asked = Readonly<Record<`${'state' | 'text'}:${string}`, Need>>;
type Found = Readonly<Record<`state:${string}`, FileState>> & Readonly<Record<`text:${string}`, FileContent>>;

const nowOf = (found: Found, path: string): TextNow => ({
  state: found[`state:${path}`] ?? { exists: false },
  text: found[`text:${path}`] ?? null,
});

export const packageRepository = defineModule<Args>()({
  name: 'package-repository',
  needs: ({ paths }, { task }): Asked =>
    Object.fromEntries<Need>(
      paths.flatMap((path) => {
        const { state, text } = textNeeds(task.on, path);
        return [[`state:${path}`, state] as const, [`text:${path}`, text] as const];
      }),
    ),
  touches: ({ paths }, { task }) => paths.flatMap((path) => textTouches(task.on, path)),
  decide({ paths, url, state }, found, at) {
    const path = paths.find((one) => nowOf(found as Found, one).state.exists) ?? paths[0];
    const now = nowOf(found as Found, path);
    const args = { path, url, state };
    const unfit = whyNoText(path, now);
    if (unfit !== undefined) return unfit;
    if (now.text === null)
      return state === 'disabled'
        ? ok(`there is no ${paths.join(' and no ')}`)
        : blocked(`there is no file ${paths.join(' or ')}`, NAMED);
    const lines = now.text.text.split('\n');
    const all = readerOf(path)(lines);
    const own = entriesOf(all, url);
    if (own.length === 0) return none(args, all);
    const shared = own.find(({ urls }) => !urls.every((one) => isBelow(one, url)));
    if (shared !== undefined)
      return blocked(
        `${path}: one entry names ${url} and other repositories (${shared.urls.join(', ')})`,
        'give each its own entry',
      );
    if (own.some(({ isEnabled }) => isEnabled === undefined))
      return blocked(`${path}: the section of ${url} does not say enabled`, 'add the line enabled=0 to it');
    return settle(args, now, { lines, own }, at);
  },
});

/** From the last to the first, so that the line numbers of those before it hold. */
function settle(
  { path, url, state }: File,
  now: TextNow,
  { lines, own }: { lines: readonly string[]; own: readonly Entry[] },
  at: At,
): Verdict {
  const isOn = state === 'enabled';
  const due = own.filter(({ isEnabled }) => isEnabled !== isOn);
  const text = due
    .toReversed()
    .reduce<readonly string[]>((ls, entry) => entry.set(ls, isOn), lines)
    .join('\n');
  return bookkeeping(settleText({ path, now, text, because: `${url} is ${state} in ${path}` }, at));
}

const NAMED =
  'names.repository.url of the inventory is the address of the platform’s package repository, names.repository.deb and rpm its file';

function none({ path, url, state }: File, all: readonly Entry[]): Verdict {
  const others = all.filter(({ isEnabled }) => isEnabled !== false).flatMap(({ urls }) => urls);
  if (state === 'enabled') return blocked(`${path} has no package repository of ${url}`, NAMED);
  return ok(
    `${path} has no package repository of ${url}`,
    undefined,
    others.length === 0 ? [] : [`${path} has no package repository of ${url}; enabled there: ${others.join(', ')}`],
  );
}
