import { offlineDirectory } from '../../facts/offline-packages.js';
import { packageIndexes, type PackageManager } from '../../facts/package-family.js';

export type Argv = readonly [string, ...string[]];

export interface Installation {
  readonly name: string;
  readonly version: string;
  readonly down: boolean;
  readonly held: boolean;
  /** Is it to be held afterwards? */
  readonly hold: boolean;
  /** Its files are half there: the same version is unpacked once more. */
  readonly again: boolean;
  readonly conffiles: 'keep' | 'new';
  readonly lockTimeoutMs: number;
  /** Its file on the host, where it was staged: no repository is asked. */
  readonly file?: string;
}

/** A package that is only fetched; `again`: the version that is installed. */
export type Staging = Pick<Installation, 'name' | 'version' | 'again' | 'down' | 'lockTimeoutMs'>;

/** A hold as it is, and as it is wanted for this version; `before` is the version that was installed until then. */
export interface Hold {
  readonly name: string;
  readonly version: string;
  readonly before: string | null;
  readonly was: boolean;
  readonly wanted: boolean;
}

/** The commands of a package manager, as argument vectors. */
export interface PackageCommands {
  readonly env: Readonly<Record<string, string>>;
  readonly install: (i: Installation) => Argv;
  /** Fetches into the package manager's own cache, and installs nothing. */
  readonly stage: (s: Staging) => Argv;
  /** Configures what is unpacked; absent where installing the version once more is enough. */
  readonly configure?: Argv;
  /** Takes over the journal of an interrupted transaction, without which apt refuses to start. */
  readonly takeJournal?: Argv;
  /** None where the installation itself has seen to it. */
  readonly hold: (hold: Hold & { readonly installs: boolean }) => readonly Argv[];
}

/** apt takes a trailing star for "whatever follows", so a version without its revision is still pinned. */
const pinned = (name: string, version: string): string => `${name}=${version.includes('-') ? version : `${version}-*`}`;

/**
 * dpkg forgets the hold of what it unpacks. apt runs this when dpkg has ended, well or not, and before it gives its lock back: so no crash of the
 * controller, and no script of the package that fails, comes between a package and its hold.
 */
const holdAgain = (name: string): string => `DPkg::Post-Invoke::=echo ${name} hold | dpkg --set-selections`;

/**
 * No prompt and no restart of other services; the lock is waited for, never deleted; nothing else is removed. Without
 * confdef: together with confnew it would keep the old file.
 */
const apt: PackageCommands = {
  env: { DEBIAN_FRONTEND: 'noninteractive', NEEDRESTART_MODE: 'l', APT_LISTCHANGES_FRONTEND: 'none', LC_ALL: 'C' },
  install: ({ name, version, down, held, hold, again, conffiles, lockTimeoutMs, file }) => [
    ...(['apt-get', '-y', '--no-remove'] as const),
    ...['-o', `DPkg::Lock::Timeout=${Math.ceil(lockTimeoutMs / 1000)}`],
    ...['-o', `Dpkg::Options::=--force-conf${conffiles === 'keep' ? 'old' : 'new'}`],
    ...(down ? ['--allow-downgrades'] : []),
    ...(held ? ['--allow-change-held-packages'] : []),
    ...(hold ? ['-o', holdAgain(name)] : []),
    ...(again ? ['--reinstall'] : []),
    'install',
    file ?? pinned(name, version),
  ],
  stage: ({ name, version, again, lockTimeoutMs }) => [
    ...(['apt-get', '-y', '--download-only', '--allow-downgrades', '--allow-change-held-packages'] as const),
    ...['-o', `DPkg::Lock::Timeout=${Math.ceil(lockTimeoutMs / 1000)}`],
    ...(again ? ['--reinstall'] : []),
    'install',
    pinned(name, version),
  ],
  configure: ['dpkg', '--force-confold', '--configure', '-a'],
  // It reads no selection: any program that may write dpkg's database reads its journal first. `--configure -a` would end with an error
  // where a package is unpacked only in part, or where the script fails that a rollback is to remove.
  takeJournal: ['dpkg', '--set-selections'],
  hold: ({ name, wanted, was, installs }) =>
    installs || wanted === was ? [] : [['apt-mark', wanted ? 'hold' : 'unhold', name]],
};

/**
 * RPM keeps changed configuration files by itself (`.rpmnew`), and its managers wait for their lock by themselves. A version lock
 * would hide the wanted version; it names the version that it keeps, so it is made anew for another. Without `--allowerasing`
 * nothing else is removed.
 */
const rpm = (program: 'dnf' | 'yum'): PackageCommands => ({
  env: { LC_ALL: 'C' },
  install: ({ name, version, down, held, again, file }) => [
    program,
    '-y',
    ...(held ? ['--disableplugin=versionlock'] : []),
    // A repository out of reach would fail it, though what did not come from one just now needs none.
    ...(file === undefined || isFetched(file) ? [] : ['--disablerepo=*']),
    again ? 'reinstall' : down ? 'downgrade' : 'install',
    file ?? `${name}-${version}`,
  ],
  // Without keepcache the next transaction would take it away again.
  stage: ({ name, version, again, down }) => [
    program,
    '-y',
    '--downloadonly',
    '--setopt=keepcache=1',
    '--disableplugin=versionlock',
    again ? 'reinstall' : down ? 'downgrade' : 'install',
    `${name}-${version}`,
  ],
  hold: ({ name, version, before, was, wanted, installs }) => {
    if (wanted === was && !(wanted && installs)) return [];
    // What is installed is locked by what is installed: dnf would ask all its repositories first, and fail where one is out of reach.
    const lock =
      program === 'dnf'
        ? (['dnf', '-y', '--disablerepo=*', 'versionlock'] as const)
        : (['yum', '-y', 'versionlock'] as const);
    // The older yum looks for what it deletes in whole entries, `0:NAME-1.2-3.*`.
    if (!wanted) return [[...lock, 'delete', program === 'yum' ? `*:${name}-[0-9]*` : name]];
    return [
      [...lock, 'add', `${name}-${version}`],
      // The earlier lock is removed last, so that there is one at any time. The older yum would fail where it finds none of that version: there it stays.
      ...(was && before !== null && program === 'dnf' ? [[...lock, 'delete', `${name}-${before}`] as const] : []),
    ];
  },
});

/** Did dnf or yum fetch it, into its own cache? What the controller uploaded lies beside that, what was archived elsewhere. */
const isFetched = (file: string): boolean =>
  [...packageIndexes.dnf, ...packageIndexes.yum].some((cache) => file.startsWith(`${cache}/`)) &&
  !file.startsWith(`${offlineDirectory('dnf')}/`) &&
  !file.startsWith(`${offlineDirectory('yum')}/`);

export const packageCommands: Readonly<Record<PackageManager, PackageCommands>> = {
  apt,
  dnf: rpm('dnf'),
  yum: rpm('yum'),
};
