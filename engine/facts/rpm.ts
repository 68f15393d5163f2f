/** One installed version of a package, as `rpm -q` tells it. */
export interface RpmEntry {
  /** With its epoch unless that is 0: `1:4.14.7-1`. */
  readonly version: string;
  /** Of its transaction, milliseconds since the epoch (rpm keeps whole seconds). */
  readonly installedAtMs: number;
}

/** The query format: lines that begin with `|`, which distinguishes them from warnings. */
export const rpmFormat = String.raw`|%{EPOCHNUM}|%{VERSION}-%{RELEASE}|%{INSTALLTIME}\n`;

/**
 * The installed versions, the last one installed at the end: rpm lists them as they came, and those of one transaction have one time.
 * Several of them are what an interrupted transaction leaves.
 */
export function rpmEntries(lines: readonly string[]): readonly RpmEntry[] {
  return lines
    .filter((l) => l.startsWith('|'))
    .map((l) => {
      const [, epoch = '0', version = '', seconds = ''] = l.split('|');
      return { version: withEpoch(epoch, version), installedAtMs: Number(seconds) * 1000 };
    })
    .sort((a, b) => a.installedAtMs - b.installedAtMs);
}

const withEpoch = (epoch: string, version: string): string => (epoch === '0' ? version : `${epoch}:${version}`);

/**
 * Whether a line of a version lock list keeps this package back: dnf's `NAME-0:1.2-3.*`, yum's `0:NAME-1.2-3.*`, dnf5's
 * `name = "NAME"`, or the name alone. A line that begins with `!` excludes a version, and locks none.
 */
export function locks(line: string, name: string): boolean {
  const text = line.trim();
  const toml = /^name\s*=\s*["']([^"']*)["']/.exec(text)?.[1];
  if (toml !== undefined) return toml === name;
  const bare = text.replace(/^(?:\d+|\*):/, '');
  return bare === name || (bare.startsWith(`${name}-`) && /^(?:(?:\d+|\*):)?[\d*]/.test(bare.slice(name.length + 1)));
}

/** Versions of a package in what `dnf repoquery` (`NAME EVR`) or `yum list` (`NAME.ARCH EVR REPOSITORY`, long rows broken in two) prints. */
export const rpmOffers = (stdout: string, name: string): readonly string[] =>
  stdout
    .replaceAll(/\n[ \t]+/g, ' ')
    .split('\n')
    .flatMap((line) => {
      const [found = '', version = ''] = line.trim().split(/\s+/);
      const isIt = found === name || (found.startsWith(`${name}.`) && !found.slice(name.length + 1).includes('.'));
      return isIt && /^\d/.test(version) ? [version.replace(/^0:/, '')] : [];
    });
