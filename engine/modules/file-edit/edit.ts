import { compilePattern } from '../../lib/pattern.js';
import { bare, insertLines, lineEndOf, lineList, linesOf } from '../shared/lines.js';
import type { Text } from '../../terms/secret.js';
import type { Args } from './schema.js';

/** An edit whose texts are met: each secret's value is in its place. */
type Plain<T> = { readonly [K in keyof T]: Text extends T[K] ? Exclude<T[K], Exclude<Text, string>> : T[K] };

/** One wanted line. `match`, `after` and `before` are regular expressions for a whole line without its end. */
export type WantedLine = Plain<NonNullable<Args['lines']>[number]>;

/** Lines between two marks of our own. `{mark}` in `marker` becomes BEGIN and END. */
export type WantedBlock = Plain<NonNullable<Args['block']>>;

/** Every place where `pattern` matches; `already` counts the places that need nothing more. */
export type Replacement = Plain<NonNullable<Args['replace']>[number]>;

/** What an edit gives: the whole text, or why it cannot be made. */
export type Edited =
  | { readonly is: 'text'; readonly text: string }
  | { readonly is: 'wrong'; readonly reason: string; readonly hint?: string };

const text = (t: string): Edited => ({ is: 'text', text: t });
const wrong = (reason: string, hint?: string): Edited => ({
  is: 'wrong',
  reason,
  ...(hint === undefined ? {} : { hint }),
});

/** Applies edits in order, until one cannot be made. */
export const editAll = (start: string, edits: readonly ((text: string) => Edited)[]): Edited =>
  edits.reduce<Edited>((now, edit) => (now.is === 'text' ? edit(now.text) : now), text(start));

/**
 * A line is there once, or not at all. One line that `match` finds becomes it; several are too many to choose from. Where none
 * is found it comes after the last `after`, before the first `before`, or at the end.
 */
export function editLine(now: string, wanted: WantedLine): Edited {
  const lines = linesOf(now);
  const end = lineEndOf(now);
  const is = (line: string): boolean => bare(line) === wanted.line;
  const matches = (line: string): boolean =>
    wanted.match !== undefined && compilePattern(wanted.match).test(bare(line));
  if (wanted.state === 'absent') return text(lines.filter((l) => !is(l) && !matches(l)).join(''));
  const line = wanted.line ?? '';
  const others = lines.flatMap((l, i) => (matches(l) && !is(l) ? [i] : []));
  const there = lines.findIndex(is);
  if (others.length > 1 || (there !== -1 && others.length > 0)) {
    const numbers = [...(there === -1 ? [] : [there]), ...others].sort((a, b) => a - b).map((i) => i + 1);
    return wrong(
      `${lineList(numbers)} match "${wanted.match ?? ''}", and only one can be "${line}"`,
      'narrow `match`, or use `replace` for every place',
    );
  }
  if (there !== -1) return text(now);
  const [place] = others;
  if (place !== undefined)
    return text(lines.map((l, i) => (i === place ? line + l.slice(bare(l).length) : l)).join(''));
  const at = placeFor(lines, wanted);
  if (at === undefined)
    return wrong(`no line matches "${wanted.after ?? wanted.before ?? ''}", where "${line}" should go`);
  return text(insertLines(lines, at, [line], end).join(''));
}

function placeFor(lines: readonly string[], { after, before }: WantedLine): number | undefined {
  if (after !== undefined) {
    const last = lines.findLastIndex((l) => compilePattern(after).test(bare(l)));
    return last === -1 ? undefined : last + 1;
  }
  if (before === undefined) return lines.length;
  const first = lines.findIndex((l) => compilePattern(before).test(bare(l)));
  return first === -1 ? undefined : first;
}

/** A block stands between its marks; without marks it comes to the end of the text. */
export function editBlock(
  now: string,
  { text: body = '', marker = '# {mark} runbook', state = 'present' }: WantedBlock,
): Edited {
  const [begin, finish] = [marker.replace('{mark}', 'BEGIN'), marker.replace('{mark}', 'END')];
  if (begin === finish) return wrong(`the marker "${marker}" does not hold {mark}`);
  const lines = linesOf(now);
  const begins = lines.flatMap((l, i) => (bare(l) === begin ? [i] : []));
  const ends = lines.flatMap((l, i) => (bare(l) === finish ? [i] : []));
  const [from, to] = [begins[0], ends[0]];
  const none = begins.length === 0 && ends.length === 0;
  if (!none && (from === undefined || to === undefined || begins.length + ends.length > 2 || to < from))
    return wrong(
      `the marks of the block are not one pair: ${lineList([...begins, ...ends].sort((a, b) => a - b).map((i) => i + 1))}`,
      'fix the file by hand',
    );
  const rest = from === undefined || to === undefined ? lines : [...lines.slice(0, from), ...lines.slice(to + 1)];
  if (state === 'absent') return text(rest.join(''));
  const block = [begin, ...linesOf(body).map(bare), finish];
  return text(insertLines(rest, from ?? rest.length, block, lineEndOf(now)).join(''));
}

/** Replaces every match. What a second run would replace again is refused: it would never be done. */
export function editPattern(now: string, { pattern, with: by, at_least = 0, already }: Replacement): Edited {
  const count = (t: string, p: string): number => [...t.matchAll(compilePattern(p, 'gm'))].length;
  const after = now.replace(compilePattern(pattern, 'gm'), by);
  const found = already === undefined ? count(now, pattern) : count(after, already);
  if (found < at_least) return wrong(`"${already ?? pattern}" is found ${found} times, and ${at_least} are needed`);
  if (after.replace(compilePattern(pattern, 'gm'), by) !== after)
    return wrong(
      `replacing "${pattern}" would alter its own result again`,
      'write the pattern so that it does not match what it becomes',
    );
  return text(after);
}
