const WIDTH = 12;
/** A narrower terminal has the text instead. */
export const LEAST_FOR_BARS = 50;
const EIGHTHS = [' ', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

/** A bar of twelve columns between two lines, to an eighth of a column. */
export function bar(share: number): string {
  const eighths = Math.round(Math.min(1, Math.max(0, share)) * WIDTH * 8);
  const full = '█'.repeat(Math.floor(eighths / 8));
  const part = eighths % 8 === 0 ? '' : (EIGHTHS[eighths % 8] ?? '');
  return `▕${(full + part).padEnd(WIDTH)}▏`;
}
