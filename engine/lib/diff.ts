import { createTwoFilesPatch } from 'diff/lib/patch/create.js';

/** Beyond this many differing lines the search costs more than its result tells anybody. */
const mostEdits = 2000;

const linesOf = (text: string): readonly string[] => (text === '' ? [] : text.split(/(?<=\n)/));

/**
 * At least so many lines must go or come: those that one text has more often than the other. That costs one look at each line, where
 * the search for the shortest way costs the square of it before it gives up.
 */
function fewestEdits(before: readonly string[], after: readonly string[]): number {
  const surplus = new Map<string, number>();
  for (const line of before) surplus.set(line, (surplus.get(line) ?? 0) + 1);
  for (const line of after) surplus.set(line, (surplus.get(line) ?? 0) - 1);
  let edits = 0;
  for (const count of surplus.values()) edits += Math.abs(count);
  return edits;
}

/**
 * A unified diff with three lines of context, empty when nothing differs. `null` stands for no such file (`/dev/null` in the
 * heading). Texts that differ in more than 2000 lines get a heading and one sentence instead.
 */
export function unifiedDiff(path: string, before: string | null, after: string | null): string {
  if (before === after) return '';
  const [from, to] = [before === null ? '/dev/null' : path, after === null ? '/dev/null' : path];
  const [old, now] = [linesOf(before ?? ''), linesOf(after ?? '')];
  const patch: string | undefined =
    fewestEdits(old, now) > mostEdits
      ? undefined
      : createTwoFilesPatch(from, to, before ?? '', after ?? '', undefined, undefined, {
          context: 3,
          maxEditLength: mostEdits,
          headerOptions: { includeIndex: false, includeUnderline: false, includeFileHeaders: true },
        });
  return patch ?? `--- ${from}\n+++ ${to}\ntoo different to list: ${old.length} lines before, ${now.length} after\n`;
}
