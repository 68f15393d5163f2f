import { quoteOne } from '../lib/quote.js';
import { answer, unreadable } from './answer.js';
import type { HostFact } from './kind.js';
import { noManager, noRpmManager } from './package.js';
import { isRpmHost, rpmManager } from './package-family.js';
import { rpmOffers } from './rpm.js';

/** Versions that the enabled repositories offer by the host's present index. Reading updates nothing. */
export type PackageVersions = readonly string[];

export const packageVersions: HostFact<string, PackageVersions> = {
  name: 'package-versions',
  key: (name) => name,
  // Run by root, apt-cache would write its caches anew, and dnf without -C would fetch: a question must write nothing. A locked
  // version is offered all the same.
  sh: (name) => `n=${quoteOne(name)}
if ${isRpmHost}; then
  ${rpmManager}
  echo "rpm $p"
  if [ $p = dnf ]; then dnf -q -C --disableplugin=versionlock repoquery --showduplicates --qf '%{name} %{evr}\\n' -- "$n" 2>&1
  else yum -q -C --disableplugin=versionlock --showduplicates list available "$n" 2>&1; fi
  exit
fi
command -v apt-cache >/dev/null || exit 9
apt-cache -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= madison -- "$n"`,
  parse: ({ exit, stdout }, name) => {
    if (exit === 9) return noManager;
    if (exit === 8) return noRpmManager;
    if (stdout.startsWith('rpm ')) return ofRpm(exit, stdout.slice(stdout.indexOf('\n') + 1), name);
    if (exit !== 0) return unreadable(`apt-cache does not list the versions of ${name}`, 'is its index intact?');
    return answer<PackageVersions>(aptVersions(stdout));
  },
};

/** Of what `apt-cache madison` prints. */
export function aptVersions(printed: string): PackageVersions {
  const rows = printed.split('\n').map((l) => l.split('|').map((c) => c.trim()));
  return [...new Set(rows.flatMap(([, v, from]) => (v !== undefined && from?.endsWith('Packages') ? [v] : [])))];
}

/** What their managers say of a package or a repository that they have nothing of yet. */
const NOTHING_KNOWN = /no cache for|Cache-only enabled|No matching Packages|not yet cached|no cached copy/i;

function ofRpm(exit: number, printed: string, name: string): ReturnType<typeof unreadable> {
  if (exit === 0 || NOTHING_KNOWN.test(printed))
    return answer<PackageVersions>([...new Set(rpmOffers(printed, name))].reverse());
  const last = printed.trim().split('\n').at(-1) ?? '';
  return unreadable(`the package manager does not list the versions of ${name}: ${last}`, 'is its index intact?');
}
