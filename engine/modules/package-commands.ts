import type { PackageState } from '../facts/package.js';

type Argv = readonly [string, ...string[]];

export interface Installation {
  readonly name: string;
  readonly version: string;
  readonly down: boolean;
  readonly held: boolean;
  /** Its files are half there: the same version is unpacked once more. */
  readonly again: boolean;
  readonly conffiles: 'keep' | 'new';
  readonly lockTimeoutMs: number;
}

/** What a package manager is told, as argument vectors. */
export interface PackageCommands {
  readonly env: Readonly<Record<string, string>>;
  readonly install: (i: Installation) => Argv;
  /** Ends what an interrupted transaction left half configured; absent where there is no such state. */
  readonly mend?: Argv;
  readonly hold: (name: string, held: boolean) => Argv;
}

/**
 * No prompt and no restart of other services; the lock is waited for, never deleted; nothing else is removed. Without
 * confdef: together with confnew it would keep the old file.
 */
const apt: PackageCommands = {
  env: { DEBIAN_FRONTEND: 'noninteractive', NEEDRESTART_MODE: 'l', APT_LISTCHANGES_FRONTEND: 'none', LC_ALL: 'C' },
  install: ({ name, version, down, held, again, conffiles, lockTimeoutMs }) => [
    ...(['apt-get', '-y', '--no-remove'] as const),
    ...['-o', `DPkg::Lock::Timeout=${Math.ceil(lockTimeoutMs / 1000)}`],
    ...['-o', `Dpkg::Options::=--force-conf${conffiles === 'keep' ? 'old' : 'new'}`],
    ...(down ? ['--allow-downgrades'] : []),
    ...(held ? ['--allow-change-held-packages'] : []),
    ...(again ? ['--reinstall'] : []),
    'install',
    // apt takes a trailing star for "whatever follows", so a version without its revision is still pinned.
    `${name}=${version.includes('-') ? version : `${version}-*`}`,
  ],
  mend: ['dpkg', '--force-confold', '--configure', '-a'],
  hold: (name, held) => ['apt-mark', held ? 'hold' : 'unhold', name],
};

/** RPM keeps changed configuration files by itself (`.rpmnew`); dnf waits for its lock by itself. */
const dnf: PackageCommands = {
  env: { LC_ALL: 'C' },
  install: ({ name, version, down, again }) => [
    'dnf',
    '-y',
    again ? 'reinstall' : down ? 'downgrade' : 'install',
    `${name}-${version}`,
  ],
  hold: (name, held) => ['dnf', '-y', 'versionlock', held ? 'add' : 'delete', name],
};

export const packageCommands: Readonly<Record<PackageState['manager'], PackageCommands>> = { apt, dnf };
