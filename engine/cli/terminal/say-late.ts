/** After so long people want to know what is waited for, milliseconds. */
const LATE_MS = 3_000;

/** Says on standard error what is waited for, where it takes long. */
export async function sayLate<T>(what: string, work: Promise<T>): Promise<T> {
  const late = setTimeout(() => process.stderr.write(`${what} …\n`), LATE_MS);
  try {
    return await work;
  } finally {
    clearTimeout(late);
  }
}
