const NEWLINE = 0x0a;

/** The lines that end; what comes after the last newline is being written now, or the power failed. */
export function wholeLines(bytes: Buffer): readonly Buffer[] {
  const lines: Buffer[] = [];
  for (let from = 0, to = bytes.indexOf(NEWLINE); to >= 0; from = to + 1, to = bytes.indexOf(NEWLINE, from))
    lines.push(bytes.subarray(from, to));
  return lines;
}

/** The text of whole lines. */
export const joinLines = (lines: readonly Buffer[]): Buffer =>
  Buffer.concat(lines.flatMap((line) => [line, Buffer.of(NEWLINE)]));
