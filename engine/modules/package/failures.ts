import type { Hint } from '../../terms/hint.js';

export interface Failure {
  readonly reason: string;
  readonly hint?: Hint;
  readonly retryAfterMs?: number;
}

interface Known {
  readonly text: RegExp;
  readonly failure: (found: RegExpExecArray) => Failure;
}

const LOCK_RETRY_MS = 15_000;
const REPOSITORY = 'is the repository enabled, and its index up to date?';

const SCRIPTLET: Known = {
  text: /%(\w+)\(([^)]+)\) scriptlet failed, exit status (\d+)/,
  failure: ([, script = '', name = '', status = '']) => ({
    reason: `the %${script} script of ${name} ended with status ${status}`,
    hint: `what it printed is above that line in the log${script.startsWith('post') ? '; the package is installed all the same' : ''}`,
  }),
};

/** A lock that apt waited for and got is none that it failed on. */
const LOCKED: Known = {
  text: /(?<!Waiting for cache lock: )Could not get lock|Unable to acquire the dpkg frontend lock|Unable to lock the administration directory|^dpkg: .*\b(?:is|was) locked by another process|can't create transaction lock on|Failed to obtain (?:the|rpm) transaction lock|^(?:metadata|RPMDB|cachedir|log) already locked by|holding the yum lock; exiting/m,
  failure: ({ input }) => {
    const [, holder = /another process with pid (\d+)|already locked by (\d+)/.exec(input)?.slice(1).join('') ?? ''] =
      /held by process (\d+ \([^)]*\))/.exec(input) ?? [];
    return {
      reason: `another process holds the package lock${holder === '' ? '' : `: ${holder}`}`,
      hint: 'wait until it ends (often unattended-upgrades), or raise lock_timeout; never delete the lock',
      retryAfterMs: LOCK_RETRY_MS,
    };
  },
};

/** What package managers say when they fail, first match wins. */
const KNOWN: readonly Known[] = [
  LOCKED,
  {
    text: /No space left on device|You don't have enough free space[^\n]*|not enough (?:free )?space|\d+[KMGT]?B more space needed on/i,
    failure: () => ({
      reason: 'the disk is full',
      hint: 'make room below /var and where the package installs, then resume',
    }),
  },
  {
    text: /dpkg was interrupted, you must manually run/,
    failure: () => ({
      reason: 'dpkg was interrupted on this host, and apt refuses to start until that is completed',
      hint: 'run `dpkg --configure -a` on that host',
    }),
  },
  {
    text: /The package (\S+) needs to be reinstalled|^ *dpkg: error processing package (\S+) [^:]*:\s+package is in a very bad inconsistent state/m,
    failure: ([, byApt, byDpkg = '']) => ({
      reason: `${byApt ?? byDpkg} is unpacked only in part: its last installation was aborted`,
      hint: `run \`apt-get install --reinstall ${byApt ?? byDpkg}\` on that host`,
    }),
  },
  {
    text: /end of file on stdin at conffile prompt/,
    failure: () => ({
      reason: 'the package asks what to do with a changed configuration file, and there is no terminal',
      hint: 'say `conffiles: keep` or `conffiles: new`',
    }),
  },
  {
    text: /Version '([^']+)' for '([^']+)' was not found/,
    failure: ([, version = '', name = '']) => ({
      reason: `no enabled repository offers ${name} ${version}`,
      hint: REPOSITORY,
    }),
  },
  {
    text: /All matches were filtered out by exclude filtering for argument: (\S+)/,
    failure: ([, spec = '']) => ({
      reason: `${spec} is offered, and excluded`,
      hint: { look: '`dnf versionlock list`, and `exclude=` in the configuration of dnf and of the repository' },
    }),
  },
  {
    text: /There are no enabled repositories/,
    failure: () => ({ reason: 'no repository is enabled', hint: REPOSITORY }),
  },
  {
    text: /(?:Unable to locate package|No match for argument:|No package|Package(?= \S+ has no installation candidate)) '?([^\s']+)/,
    failure: ([, name = '']) => ({ reason: `no enabled repository offers ${name}`, hint: REPOSITORY }),
  },
  {
    text: /Held packages were changed and -y was used/,
    failure: () => ({
      reason: 'another package that is held would have to change',
      hint: { look: '`apt-mark showhold`' },
    }),
  },
  {
    text: /Packages were downgraded and -y was used/,
    failure: () => ({ reason: 'another package would have to go back to an older version' }),
  },
  {
    text: /Packages need to be removed but remove is disabled/,
    failure: () => ({
      reason: 'other packages would have to be removed',
      hint: { look: '`apt-get -s install` with the same version, for what conflicts' },
    }),
  },
  {
    text: /^ ?\S+ : (?:Depends|Conflicts|Breaks|PreDepends): .+$|nothing provides .+ needed by \S+/m,
    failure: ([line]) => ({
      reason: `what it depends on is not to be had: ${line.trim()}`,
      hint: 'are all repositories enabled?',
    }),
  },
  {
    text: /^E: Failed to fetch (\S+)\s*(.*)$/m,
    failure: ([, url, why]) => ({
      reason: `cannot fetch ${url ?? 'the package'}: ${why ?? ''}`,
      hint: 'does the host reach the repository, and is its index up to date?',
    }),
  },
  {
    // dnf names the address only where it reports a mirror, and of one that failed also where another did not.
    text: /^\[MIRROR\] \S+: (.+?) for (\S+)[^\n]*(?=[^]*^(?:Error: )?Error downloading packages:)/m,
    failure: ([, why, url]) => ({
      reason: `cannot fetch ${url ?? 'the package'}: ${why ?? ''}`,
      hint: 'does the host reach the repository, and is its index up to date?',
    }),
  },
  {
    text: /Failed to download metadata for repo '([^']+)'(.*)|^(?:Error: )?Error downloading packages:\s*(.*)$/m,
    failure: ([, repository, why, files]) => ({
      reason:
        repository === undefined
          ? `cannot fetch the package: ${files ?? ''}`
          : `cannot fetch what the repository ${repository} offers${why ?? ''}`,
      hint: 'does the host reach the repository?',
    }),
  },
  {
    text: /GPG check FAILED|SIGNATURES NOT OK|MISSING KEYS|Public key for (\S+) is not installed/,
    failure: () => ({
      reason: 'the signature of the package cannot be checked',
      hint: "import the repository's key: see `gpgkey=` of the repository, and `rpm --import`",
    }),
  },
  {
    text: /No such command: versionlock/,
    failure: () => ({
      reason: 'the package cannot be held: dnf lacks its plug-in for version locks',
      hint: "install 'dnf-command(versionlock)' (yum: yum-plugin-versionlock), or leave `hold` out",
    }),
  },
  SCRIPTLET,
  {
    text: /(?:installed \S+ package )?(\S+) (?:maintainer )?script (?:subprocess )?returned error exit status (\d+)/,
    failure: (found) => {
      const [, script = 'maintainer', status = '?'] = found;
      const reason = `the package's ${script} script ended with status ${status}`;
      const printed = lastPrinted(found);
      return printed === undefined
        ? { reason, hint: 'on the host: dpkg --configure -a prints why; fix that, then resume' }
        : { reason: `${reason}: ${printed}`, hint: 'fix the cause that the script printed, then resume' };
    },
  },
];

/** Reads why a package manager failed out of what it printed; undefined when it says nothing known. */
export const packageFailure = (printed: string): Failure | undefined => firstOf(KNOWN, printed);

/** What `rpm --checksig` says of a package without a signature. */
const UNSIGNED: Known = {
  text: /: (?:digests|(?:sha1 )?md5) OK$/m,
  failure: () => ({
    reason: 'the package carries no signature, and this host requires one (gpgcheck)',
    hint: 'take a package that is signed; without gpgcheck SHA256SUMS alone vouches for it',
  }),
};

/** What they say with status 0 that is no success: a repository that is disabled, a script that failed (RPM goes on), a lock on nothing. */
const HOLLOW: readonly Known[] = [
  SCRIPTLET,
  UNSIGNED,
  {
    text: /already the newest version|^Nothing to do/m,
    failure: () => ({ reason: 'the package manager found nothing to do', hint: REPOSITORY }),
  },
  {
    text: /^No package found for: (\S+)/m,
    failure: ([, spec = '']) => ({
      reason: `${spec} cannot be held: no repository offers it, and it is not installed`,
    }),
  },
];

/** The last line before this one that is not the package manager's own: what the script printed. */
const lastPrinted = ({ input, index }: RegExpExecArray): string | undefined =>
  input
    .slice(0, index)
    .split('\n')
    .map((line) => line.trim())
    .findLast(
      (line) => line !== '' && !/^(?:Setting up|Unpacking|Preparing|Processing|\(Reading|dpkg: )|\.\.\.$/.test(line),
    );

/** The same for an end with status 0. */
export const hollowSuccess = (printed: string): Failure | undefined => firstOf(HOLLOW, printed);

function firstOf(known: readonly Known[], printed: string): Failure | undefined {
  for (const { text, failure } of known) {
    const found = text.exec(printed);
    if (found !== null) return failure(found);
  }
  return undefined;
}
