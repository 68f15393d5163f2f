import type { PackageManager } from './package-family.js';
import { answer } from './answer.js';
import type { HostFact } from './kind.js';
import { noManager, noRpmManager } from './package.js';
import { isRpmHost, rpmManager } from './package-family.js';

/** A package in a folder of the controller's, as its own header tells; its hash is the one that SHA256SUMS gives. */
export interface OfflinePackage {
  readonly file: string;
  readonly sha256: string;
  readonly family: 'deb' | 'rpm';
  readonly name: string;
  /** Full, with its revision: `4.14.7-1`. */
  readonly version: string;
  /** As its family says it: `amd64`, `all`; `x86_64`, `noarch`. */
  readonly architecture: string;
}

/** The packages of a folder of the controller's, all of them checked; key: the folder, an absolute path. */
export type OfflinePackages =
  | { readonly is: 'read'; readonly packages: readonly OfflinePackage[] }
  | { readonly is: 'failed'; readonly reason: string; readonly hint?: string };
export const offlinePackages = {
  name: 'offline-packages',
  key: (folder: string) => folder,
  __v: undefined as unknown as OfflinePackages,
};

/** What packages a host takes: of which architecture, and whether dnf or yum was told to look at signatures. */
export interface PackageTaste {
  readonly architecture: string;
  readonly checksSignatures: boolean;
}
export const packageTaste: HostFact<void, PackageTaste> = {
  name: 'package-taste',
  key: () => '',
  sh: () => `if ${isRpmHost}; then
  ${rpmManager}
  rpm --eval '%{_arch}' || exit 1
  if [ $p = dnf ]; then c=/etc/dnf/dnf.conf; else c=/etc/yum.conf; fi
  grep -Eix 'gpgcheck *= *(1|yes|true|on) *' $c
  exit 0
fi
command -v dpkg >/dev/null || exit 9
dpkg --print-architecture`,
  parse: ({ exit, stdout }) => {
    if (exit === 8) return noRpmManager;
    const [architecture = '', checks = ''] = stdout.split('\n');
    if (exit !== 0 || architecture === '') return noManager;
    return answer<PackageTaste>({ architecture, checksSignatures: checks !== '' });
  },
};

/** Where what came from the controller lies on a host of RPMs: no repository is asked when it is installed from there. */
export const offlineDirectory = (manager: PackageManager): string =>
  manager === 'apt' ? '/var/cache/apt/archives' : `/var/cache/${manager}/offline`;
