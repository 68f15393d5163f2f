import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Debian packages that these tests need beside what `test:system` installs. */
const needed = {
  '/usr/bin/csh': 'csh',
  '/usr/bin/setfacl': 'acl',
  '/usr/bin/sudo': 'sudo',
  '/usr/sbin/sshd': 'openssh-server',
  '/usr/bin/localedef': 'locales',
};

export function installNeeded(): void {
  const missing = Object.entries(needed)
    .filter(([file]) => !existsSync(file))
    .map(([, name]) => name);
  if (missing.length === 0) return;
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  execFileSync('apt-get', ['update', '-q'], { stdio: 'ignore' });
  execFileSync('apt-get', ['install', '-y', '-q', '--no-install-recommends', ...missing], { stdio: 'ignore', env });
}

export interface Person {
  readonly name: string;
  readonly shell: string;
  readonly password?: string;
  /** A rule for sudo, after the name. */
  readonly sudo?: string;
  readonly rc?: Readonly<Record<string, string>>;
}

const rulesOf = (name: string): string => `/etc/sudoers.d/${name}`;

/** Makes users of this machine for a test; `removePeople` takes them away again. */
export function createPeople(people: readonly Person[], folder: string): void {
  removePeople(people);
  for (const { name, shell, password, sudo, rc = {} } of people) {
    const home = join(folder, name);
    mkdirSync(home, { recursive: true });
    chmodSync(folder, 0o755);
    execFileSync('useradd', ['-M', '-d', home, '-s', shell, '-p', '*', name]);
    if (password !== undefined) execFileSync('chpasswd', { input: `${name}:${password}\n` });
    if (sudo !== undefined)
      writeFileSync(rulesOf(name), `Defaults:${name} !lecture\n${name} ${sudo}\n`, { mode: 0o440 });
    for (const [file, text] of Object.entries(rc)) writeFileSync(join(home, file), text);
    execFileSync('chown', ['-R', `${name}:`, home]);
  }
}

export function removePeople(people: readonly Person[]): void {
  for (const { name } of people) {
    rmSync(rulesOf(name), { force: true });
    try {
      execFileSync('userdel', [name], { stdio: 'ignore' });
    } catch {
      // There was none.
    }
  }
}
