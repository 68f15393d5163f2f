/** Rows as the `_cat` pages print them: columns padded, one line a row, heads when asked. */
export function tableText(
  rows: readonly Readonly<Record<string, string>>[],
  columns: readonly string[],
  heads: boolean,
): string {
  const lines = [...(heads ? [columns] : []), ...rows.map((row) => columns.map((c) => row[c] ?? ''))];
  const widths = columns.map((_, i) => Math.max(...lines.map((line) => (line[i] ?? '').length)));
  return lines
    .map((line) => `${line.map((cell, i) => (i === line.length - 1 ? cell : cell.padEnd(widths[i] ?? 0))).join(' ')}\n`)
    .join('');
}
