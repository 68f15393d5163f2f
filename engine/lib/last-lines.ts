/** More of what was printed is no reason, and it may be very long. */
const MOST_SAID = 4096;

/** What a program said last. */
export const lastLines = (printed: string, most: number): readonly string[] =>
  printed.trimEnd().slice(-MOST_SAID).trim().split('\n').slice(-most);
