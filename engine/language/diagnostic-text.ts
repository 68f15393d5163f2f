import type { Diagnostic } from '../terms/diagnostic.js';

/** Texts by the names that diagnostics use for their files. */
export interface SourceText {
  readonly file: string;
  readonly text: string;
}

/** The most mistakes that are written out. */
const shownLimit = 200;
/** The widest part of a line that is shown, characters. */
const widthLimit = 160;

/** Mistakes for people: `file:line:column  what`, the line, a caret with what to do, and a count at the end. */
export function formatDiagnostics(diagnostics: readonly Diagnostic[], sources: readonly SourceText[] = []): string {
  const files = new Set(diagnostics.map((d) => d.file)).size;
  const total = `${plural(diagnostics.length, 'mistake')} in ${plural(files, 'file')}. Nothing was contacted.`;
  return [...linesOf(diagnostics, sources), total].join('\n');
}

/** Warnings in the same form, without a count: nothing is stopped by them. */
export const formatWarnings = (warnings: readonly Diagnostic[], sources: readonly SourceText[] = []): string =>
  linesOf(
    warnings.map((one) => ({ ...one, message: `warning: ${one.message}` })),
    sources,
  ).join('\n');

function linesOf(diagnostics: readonly Diagnostic[], sources: readonly SourceText[]): readonly string[] {
  const lines = new Map(sources.map(({ file, text }) => [file, text.split(/\r\n|\n|\r/)]));
  const shown = diagnostics.slice(0, shownLimit).map((d) => formatOne(d, lines.get(d.file)?.[d.line - 1]));
  return diagnostics.length > shownLimit ? [...shown, `… and ${diagnostics.length - shownLimit} more`] : shown;
}

const plural = (n: number, noun: string): string => `${n} ${noun}${n === 1 ? '' : 's'}`;

function formatOne(
  { file, line, column, length, message, hint, spec, conceal }: Diagnostic,
  text: string | undefined,
): string {
  const section = spec === undefined ? '' : `  (§${spec})`;
  const head = `${file}:${line}:${column}  ${printable(message)}${section}`;
  const advice = hint === undefined ? '' : `  ${printable(hint)}`;
  if (text === undefined || text.trim() === '') return hint === undefined ? head : `${head}\n     ${advice}`;
  const { part, before } = window(masked(conceal === true ? hidden(text, column - 1, length) : text), column - 1);
  const gutter = String(line).padStart(5);
  const carets = '^'.repeat(Math.max(1, Math.min(widthOf(part.slice(before, before + length)), widthLimit)));
  const indent = ' '.repeat(widthOf(part.slice(0, before)));
  return `${head}\n${gutter} | ${printable(part)}\n${' '.repeat(5)} | ${indent}${carets}${advice}`;
}

/** A password that was written where a reference belongs is not shown, neither here nor in what is pasted from here. Lengths stay. */
const masked = (line: string): string =>
  line.replace(
    /((?:pass(?:word|phrase|wd)|secret|token|api[_-]?key|credential)["']?\s*[:=]\s*|["']?(?:-u|--user|--password|--token)["']?\s*[,=\s]\s*|:\/\/[^\s/:@]+:(?=[^\s/]*@))("(?:[^"\\]|\\.)*"?|'(?:[^']|'')*'?|[^\s,}#@[\]]+(?: +[^\s,}#[\]]+)*)/gi,
    (whole, key: string, value: string) =>
      /\{\{\s*secret\./.test(value) || value.startsWith('{') ? whole : key + '*'.repeat(value.length),
  );

const hidden = (line: string, from: number, length: number): string =>
  line.slice(0, from) + '*'.repeat(length) + line.slice(from + length);

/** The part of a long line around a place, and where the place is in it. */
function window(text: string, at: number): { readonly part: string; readonly before: number } {
  if (text.length <= widthLimit) return { part: text, before: at };
  const from = Math.max(0, Math.min(at - 40, text.length - widthLimit));
  const start = from > 0 ? '…' : '';
  const end = from + widthLimit < text.length ? '…' : '';
  return { part: `${start}${text.slice(from, from + widthLimit)}${end}`, before: at - from + start.length };
}

/** Characters of a text as a terminal shows them, near enough: halves of one count once. */
const widthOf = (text: string): number => Array.from(text).length;

/** A tab is one arrow wide, so that the caret is under what it means; other control characters would move the cursor. */
const printable = (text: string): string =>
  text.replaceAll('\t', '→').replace(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, '·');
