/** A text as lines, each with its own end, so that joining them gives the very bytes back. */
export const linesOf = (text: string): readonly string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];

/** A line without its end (`\n` or `\r\n`). */
export const bare = (line: string): string => line.replace(/\r?\n$/, '');

/** What a program said last, on one line of a message. */
export const lastLines = (text: string): string => text.trim().split('\n').slice(-3).join(' | ').slice(0, 300);

/** How most lines of a text end. */
export function lineEndOf(text: string): '\n' | '\r\n' {
  const all = text.split('\n').length - 1;
  const dos = text.split('\r\n').length - 1;
  return dos * 2 > all ? '\r\n' : '\n';
}

/** Puts whole lines before the line with this index; a last line without an end gets one first. */
export function insertLines(
  lines: readonly string[],
  at: number,
  added: readonly string[],
  end: string,
): readonly string[] {
  const before = lines.slice(0, at);
  const last = before.at(-1);
  const closed = last !== undefined && !last.endsWith('\n') ? [...before.slice(0, -1), last + end] : before;
  return [...closed, ...added.map((line) => line + end), ...lines.slice(at)];
}

/** The 1-based line that a position in a text is on. */
export const lineAt = (text: string, position: number): number => text.slice(0, position).split('\n').length;

/** `line 3`, `lines 3, 7 and 9`. */
export function lineList(numbers: readonly number[]): string {
  const last = numbers.at(-1) ?? 0;
  return numbers.length === 1 ? `line ${last}` : `lines ${numbers.slice(0, -1).join(', ')} and ${last}`;
}

/** Text with one stretch replaced. */
export interface Splice {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Carries out splices that do not overlap; what stands outside of them keeps every character. */
export const splice = (text: string, splices: readonly Splice[]): string =>
  [...splices]
    .sort((a, b) => b.start - a.start || b.end - a.end)
    .reduce((t, s) => t.slice(0, s.start) + s.text + t.slice(s.end), text);
