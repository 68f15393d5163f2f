import { createTwoFilesPatch } from 'diff/lib/patch/create.js';

/** Beyond this many differing lines the search costs more than its result tells anybody. */
const mostEdits = 4000;

const lines = (text: string): number => (text === '' ? 0 : text.split('\n').length - (text.endsWith('\n') ? 1 : 0));

/**
 * A unified diff with three lines of context, empty when nothing differs. `null` stands for no such file (`/dev/null` in the
 * heading). Texts that differ in more than 4000 lines get a heading and one sentence instead.
 */
export function unifiedDiff(path: string, before: string | null, after: string | null): string {
  if (before === after) return '';
  const [from, to] = [before === null ? '/dev/null' : path, after === null ? '/dev/null' : path];
  const patch: string | undefined = createTwoFilesPatch(from, to, before ?? '', after ?? '', undefined, undefined, {
    context: 3,
    maxEditLength: mostEdits,
    headerOptions: { includeIndex: false, includeUnderline: false, includeFileHeaders: true },
  });
  return (
    patch ??
    `--- ${from}\n+++ ${to}\ntoo different to list: ${lines(before ?? '')} lines before, ${lines(after ?? '')} after\n`
  );
}
