import { quoteOne } from '../lib/quote.js';
import { answer, unreadable } from './answer.js';
import type { HostFact } from './kind.js';

/** A package as its manager has it. `status` is dpkg's abbreviation (`ii`, `hi`, `iU`, `rc`) or `ii` for an installed rpm. */
export interface PackageState {
  readonly manager: 'apt' | 'dnf';
  /** Full version with its revision (`4.12.0-1`); null when nothing is installed. */
  readonly installed: string | null;
  readonly status: string;
  readonly held: boolean;
  /** When the package's file list last changed, milliseconds since the epoch; null when not installed. */
  readonly changedAtMs: number | null;
}
/** Versions that the enabled repositories offer by the host's present index, newest first. Reading updates nothing. */
export type PackageVersions = readonly string[];

const noDpkg = unreadable('there is no dpkg on this host', 'packages are managed on Debian and its kin');

export const packageState: HostFact<string, PackageState> = {
  name: 'package',
  key: (name) => name,
  sh: (name) => `n=${quoteOne(name)}
command -v dpkg-query >/dev/null || exit 9
dpkg-query -W -f '\${db:Status-Abbrev}|\${Version}\\n' -- "$n" || exit 0
for f in /var/lib/dpkg/info/"$n".list /var/lib/dpkg/info/"$n":*.list; do
  if [ -e "$f" ]; then stat -c '@%.3Y' -- "$f"; fi
done`,
  parse: ({ exit, stdout }) => {
    if (exit === 9) return noDpkg;
    const lines = stdout.split('\n').filter((l) => l !== '');
    const times = lines.filter((l) => l.startsWith('@')).map((l) => Math.round(Number(l.slice(1)) * 1000));
    // A package of several architectures has a line each; one that is there comes before one that was removed.
    const entries = lines.filter((l) => l.includes('|')).map((l) => l.split('|'));
    const [status = 'un', version = ''] = entries.find(([s = '']) => isThere(s)) ?? entries[0] ?? [];
    return answer<PackageState>({
      manager: 'apt',
      installed: isThere(status) && version !== '' ? version : null,
      status: status.trim(),
      held: status.startsWith('h'),
      changedAtMs: isThere(status) && times.length > 0 ? Math.max(...times) : null,
    });
  },
};

/** Files unpacked, configured or on the way there; `n` and `c` mean that at most configuration files are left. */
const isThere = (status: string): boolean => !['n', 'c'].includes(status[1] ?? 'n');

export const packageVersions: HostFact<string, PackageVersions> = {
  name: 'package-versions',
  key: (name) => name,
  // Run by root, apt-cache would write its caches anew; a question must write nothing.
  sh: (name) => `command -v apt-cache >/dev/null || exit 9
apt-cache -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= madison -- ${quoteOne(name)}`,
  parse: ({ exit, stdout }, name) => {
    if (exit === 9) return noDpkg;
    if (exit !== 0) return unreadable(`apt-cache could not tell the versions of ${name}`, 'is its index intact?');
    const rows = stdout.split('\n').map((l) => l.split('|').map((c) => c.trim()));
    const versions = rows.flatMap(([, v, from]) => (v !== undefined && from?.endsWith('Packages') ? [v] : []));
    return answer<PackageVersions>([...new Set(versions)]);
  },
};
