/**
 * Shell that succeeds on a host whose system is made of RPMs. Both programs can be there (dpkg on a build host, rpm as a tool on Debian), so
 * what the system says of itself decides between them.
 */
export const isRpmHost = `{ command -v rpm >/dev/null && { ! command -v dpkg-query >/dev/null || grep -Eq '^ID(_LIKE)?=.*(rhel|fedora|centos|suse)' /etc/os-release; }; }`;

/** Shell that leaves the RPM host's package manager in `$p`: dnf wherever it is (`yum` is then a link to it), else the older yum; status 8 without either. */
export const rpmManager = `p=dnf
command -v dnf >/dev/null || { p=yum; command -v yum >/dev/null || exit 8; }`;

/** Where each package manager keeps what it knows of its repositories. Updating that changes what a repository is known to offer. */
export const packageIndexes = {
  apt: ['/var/lib/apt/lists'],
  dnf: ['/var/cache/dnf', '/var/cache/libdnf5'],
  yum: ['/var/cache/yum'],
} as const;

/** By which program packages are managed. */
export type PackageManager = keyof typeof packageIndexes;
