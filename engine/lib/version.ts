/** Where a character stands in dpkg's order: `~` before the end of the text, the end before letters, letters before the rest. */
const weight = (c: string | undefined): number => {
  if (c === undefined || /\d/.test(c)) return 0;
  if (c === '~') return -1;
  return /[A-Za-z]/.test(c) ? c.charCodeAt(0) : c.charCodeAt(0) + 256;
};

const isDigit = (c: string | undefined): boolean => c !== undefined && c >= '0' && c <= '9';

/** Compares digits without a limit of length: leading zeros aside, the longer is the greater. */
const compareDigits = (a: string, b: string): number => {
  const [x, y] = [a.replace(/^0+/, ''), b.replace(/^0+/, '')];
  if (x.length !== y.length) return Math.sign(x.length - y.length);
  return x < y ? -1 : x > y ? 1 : 0;
};

/** dpkg's order of one part (upstream version or revision): text and digits in turn. */
function comparePart(a: string, b: string): number {
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    while ((i < a.length && !isDigit(a[i])) || (j < b.length && !isDigit(b[j]))) {
      const difference = weight(a[i]) - weight(b[j]);
      if (difference !== 0) return Math.sign(difference);
      i += 1;
      j += 1;
    }
    const [x, y] = [/^\d*/.exec(a.slice(i))?.[0] ?? '', /^\d*/.exec(b.slice(j))?.[0] ?? ''];
    const byNumber = compareDigits(x, y);
    if (byNumber !== 0) return byNumber;
    i += x.length;
    j += y.length;
  }
  return 0;
}

interface Parts {
  readonly epoch: string | undefined;
  readonly upstream: string;
  readonly revision: string | undefined;
}

function split(version: string): Parts {
  const [, epoch, rest = ''] = /^(?:(\d+):)?([\s\S]*)$/.exec(version.trim()) ?? [];
  const dash = rest.lastIndexOf('-');
  return dash < 0
    ? { epoch, upstream: rest, revision: undefined }
    : { epoch, upstream: rest.slice(0, dash), revision: rest.slice(dash + 1) };
}

/** dpkg's order of two package versions (never semver's): -1, 0 or 1. */
export function compareDeb(a: string, b: string): number {
  const [x, y] = [split(a), split(b)];
  return (
    compareDigits(x.epoch ?? '0', y.epoch ?? '0') ||
    comparePart(x.upstream, y.upstream) ||
    comparePart(x.revision ?? '', y.revision ?? '')
  );
}

/** A release candidate comes before its release, however it is written: `4.14.7-rc1`, `4.14.7rc1` and `4.14.7~rc1` are one. */
const preRelease = /[-.~_+]?(?=(?:rc|alpha|beta|pre|dev)\d*(?:[-.+~]|$))/i;

/** Takes what stands before the number away: `Product v4.12.0` and `v4.12.0` are `4.12.0`. */
const bare = (text: string): string | undefined =>
  /(?:^|[^A-Za-z0-9.])v?(\d[^\s]*)/i.exec(text.trim())?.[1]?.replace(preRelease, '~');

/**
 * Compares only the components that the operand names: `4.12.9` against `4.12` is 0, `4.12.0-2` against `4.12.0` is 0, against
 * `4.12.0-1` it is 1. An epoch counts when the operand names one. Gives -1, 0, 1, or undefined when a text holds no version.
 */
export function compareByPrefix(version: string, operand: string): number | undefined {
  const [x, y] = [bare(version), bare(operand)];
  if (x === undefined || y === undefined) return undefined;
  const [found, wanted] = [split(x), split(y)];
  const names = wanted.upstream.split('.').length;
  const parts = found.upstream.split('.');
  // A component that the version leaves out counts as 0: 4.12 is 4.12.0.
  while (parts.length < names) parts.push('0');
  return (
    (wanted.epoch === undefined ? 0 : compareDigits(found.epoch ?? '0', wanted.epoch)) ||
    compareComponents(parts.slice(0, names), wanted.upstream.split('.')) ||
    (wanted.revision === undefined ? 0 : comparePart(found.revision ?? '', wanted.revision))
  );
}

/**
 * The order of two versions: -1, 0 or 1. The shorter release counts as filled with zeros (4.12 is 4.12.0). Epoch and revision count only where
 * both name one: `4.14.7-1` is `4.14.7`, and below `4.14.7-2`. Undefined when a text holds no version.
 */
export function compareVersions(a: string, b: string): number | undefined {
  const [x, y] = [bare(a), bare(b)];
  if (x === undefined || y === undefined) return undefined;
  const [m, n] = [split(x), split(y)];
  const [p, q] = [m.upstream.split('.'), n.upstream.split('.')];
  const length = Math.max(p.length, q.length);
  const filled = (parts: readonly string[]): readonly string[] => [
    ...parts,
    ...Array.from({ length: length - parts.length }, () => '0'),
  ];
  return (
    (m.epoch === undefined || n.epoch === undefined ? 0 : compareDigits(m.epoch, n.epoch)) ||
    compareComponents(filled(p), filled(q)) ||
    (m.revision === undefined || n.revision === undefined ? 0 : comparePart(m.revision, n.revision))
  );
}

/** Is it one to four numbers, or as many as those of `like`? What is behind `-`, `+` or `~` (`4.14.7-rc1`) may be anything. */
export function isRelease(text: string, like?: string): boolean {
  const [numbers] = /^\d+(?:\.\d+){0,3}(?=$|[-+~]\S*$)/.exec(text) ?? [];
  return numbers !== undefined && (like === undefined || numbers.split('.').length === like.split('.').length);
}

/** Does a text hold a version? */
export const isVersion = (text: string): boolean => bare(text) !== undefined;

const compareComponents = (a: readonly string[], b: readonly string[]): number =>
  a.map((x, i) => comparePart(x, b[i] ?? '')).find((difference) => difference !== 0) ?? 0;
