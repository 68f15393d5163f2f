import { quoteOne } from '../lib/quote.js';
import { answer, unreadable } from './answer.js';
import type { HostFact } from './kind.js';
import { isRpmHost, rpmManager, type PackageManager } from './package-family.js';
import { locks, rpmEntries, rpmFormat } from './rpm.js';

/**
 * A package as its manager has it. `status` is dpkg's abbreviation (`ii`, `hi`, `iU`, `rc`); of an rpm `ii`, or `iH` when an interrupted
 * transaction left two versions of it installed, `un` when it is not.
 */
export interface PackageState {
  readonly manager: PackageManager;
  /** Full version with its revision (`4.12.0-1`); null when nothing is installed. */
  readonly installed: string | null;
  readonly status: string;
  readonly held: boolean;
  /** When the package's files last changed, milliseconds since the epoch; null when not installed. */
  readonly changedAtMs: number | null;
  /** dpkg was stopped in the middle of its work, on this package or another: apt refuses to start until that is completed. */
  readonly interrupted?: true;
}

export const noManager = unreadable(
  'there is neither dpkg nor rpm on this host',
  'packages are managed on Debian, Red Hat and their kin',
);
export const noRpmManager = unreadable('there is rpm on this host, but neither dnf nor yum');

export const packageState: HostFact<string, PackageState> = {
  name: 'package',
  key: (name) => name,
  sh: (name) => `n=${quoteOne(name)}
if ${isRpmHost}; then
  ${rpmManager}
  echo "rpm $p"
  rpm -q --qf ${quoteOne(rpmFormat)} -- "$n" 2>&1
  echo locks
  cat /etc/dnf/plugins/versionlock.list /etc/dnf/versionlock.toml /etc/yum/pluginconf.d/versionlock.list | grep -F -- "$n"
  exit 0
fi
command -v dpkg-query >/dev/null || exit 9
case $(ls /var/lib/dpkg/updates) in [0-9]*) echo interrupted;; esac
dpkg-query -W -f '\${db:Status-Abbrev}|\${Version}\\n' -- "$n" || exit 0
for f in /var/lib/dpkg/info/"$n".list /var/lib/dpkg/info/"$n":*.list; do
  if [ -e "$f" ]; then stat -c '@%.3Y' -- "$f"; fi
done`,
  parse: ({ exit, stdout }, name) => {
    if (exit === 9) return noManager;
    if (exit === 8) return noRpmManager;
    const lines = stdout.split('\n').filter((l) => l !== '');
    return lines[0]?.startsWith('rpm ') === true ? ofRpm(lines, name) : answer<PackageState>(ofDpkg(lines));
  },
};

function ofDpkg(lines: readonly string[]): PackageState {
  const times = lines.filter((l) => l.startsWith('@')).map((l) => Math.round(Number(l.slice(1)) * 1000));
  // A package of several architectures has a line each; one that is there comes before one that was removed.
  const entries = lines.filter((l) => l.includes('|')).map((l) => l.split('|'));
  const [status = 'un', version = ''] = entries.find(([s = '']) => isThere(s)) ?? entries[0] ?? [];
  return {
    manager: 'apt',
    installed: isThere(status) && version !== '' ? version : null,
    status: status.trim(),
    held: status.startsWith('h'),
    changedAtMs: isThere(status) && times.length > 0 ? Math.max(...times) : null,
    ...(lines.includes('interrupted') ? { interrupted: true } : {}),
  };
}

/** Files unpacked, configured or on the way there; `n` and `c` mean that at most configuration files are left. */
const isThere = (status: string): boolean => !['n', 'c'].includes(status[1] ?? 'n');

function ofRpm(lines: readonly string[], name: string): ReturnType<typeof unreadable> {
  const end = lines.indexOf('locks');
  const output = lines.slice(1, end);
  const entries = rpmEntries(output);
  // A database that cannot be read must not pass for one that lacks the package.
  if (entries.length === 0 && !output.some((l) => l.includes('is not installed')))
    return unreadable(`rpm does not report ${name}: ${output.slice(-2).join(' | ')}`, 'is its database intact?');
  const last = entries.at(-1);
  // Of several architectures each has the same version; two versions are a transaction's half.
  const versions = new Set(entries.map((e) => e.version));
  return answer<PackageState>({
    manager: lines[0] === 'rpm yum' ? 'yum' : 'dnf',
    installed: last?.version ?? null,
    status: last === undefined ? 'un' : versions.size > 1 ? 'iH' : 'ii',
    held: lines.slice(end + 1).some((l) => locks(l, name)),
    changedAtMs: last?.installedAtMs ?? null,
  });
}
