import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/** The Debian packages that the measurement is made with. */
const NEEDED = ['openssh-server', 'openssh-client', 'time', 'chromium', 'fonts-dejavu-core'];

/** Installs what is missing, and says so. Returns one sentence when it cannot be measured here. */
export function prepare(): string | undefined {
  if (process.getuid?.() !== 0 || !existsSync('/etc/debian_version'))
    return 'the bench needs root on Debian: it starts an sshd that people are let in by';
  const isThere = (name: string): boolean =>
    spawnSync('dpkg-query', ['-W', '-f', '${db:Status-Abbrev}', name], { encoding: 'utf8' }).stdout.trim() === 'ii';
  const missing = NEEDED.filter((name) => !isThere(name));
  if (missing.length === 0) return undefined;
  console.log(`installing ${missing.join(' ')}`);
  const apt = (...args: string[]): boolean =>
    spawnSync('apt-get', [...args], {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    }).status === 0;
  return apt('update', '-q') && apt('install', '-y', '-q', '--no-install-recommends', ...missing)
    ? undefined
    : 'apt-get could not install them';
}
