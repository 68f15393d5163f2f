/** Text and digits in turn; `~` and `^` by themselves; whatever else only separates. */
const parts = (text: string): readonly string[] => text.match(/[A-Za-z]+|\d+|~|\^/g) ?? [];

const isNumber = (part: string): boolean => /^\d/.test(part);

/** Leading zeros aside, the longer number is the greater. */
function compareNumbers(a: string, b: string): number {
  const [x, y] = [a.replace(/^0+/, ''), b.replace(/^0+/, '')];
  return x.length === y.length ? compareText(x, y) : Math.sign(x.length - y.length);
}

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Where one of the two has ended: `~` comes before the end, `^` and everything else after it. */
const rank = (part: string | undefined): number => (part === '~' ? -1 : part === undefined ? 0 : part === '^' ? 1 : 2);

/** rpm's order of one part of a version: -1, 0 or 1. */
function comparePart(a: string, b: string): number {
  const [x, y] = [parts(a), parts(b)];
  for (let i = 0; i < Math.max(x.length, y.length); i += 1) {
    const [p, q] = [x[i], y[i]];
    const byRank = rank(p) - rank(q);
    if (byRank !== 0) return Math.sign(byRank);
    if (p === undefined || q === undefined || p === q) continue;
    // A number is newer than a word, as in 1.0.1 and 1.0.beta.
    const difference =
      isNumber(p) === isNumber(q) ? (isNumber(p) ? compareNumbers(p, q) : compareText(p, q)) : isNumber(p) ? 1 : -1;
    if (difference !== 0) return difference;
  }
  return 0;
}

/** rpm's order of two versions, `EPOCH:VERSION-RELEASE`: -1, 0 or 1. A release that only one of them names does not count. */
export function compareRpm(a: string, b: string): number {
  const [x, y] = [split(a), split(b)];
  return (
    compareNumbers(x.epoch, y.epoch) ||
    comparePart(x.version, y.version) ||
    (x.release === undefined || y.release === undefined ? 0 : comparePart(x.release, y.release))
  );
}

function split(text: string): {
  readonly epoch: string;
  readonly version: string;
  readonly release: string | undefined;
} {
  const [, epoch = '0', version = '', release] = /^(?:(\d+):)?([^-]*)(?:-(.*))?$/s.exec(text.trim()) ?? [];
  return { epoch, version, release };
}
