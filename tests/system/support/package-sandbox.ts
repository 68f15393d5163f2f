import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createLocal } from '../../../engine/machines/local.js';
import { reached } from '../../../engine/machines/machine.js';
import { quoteOne } from '../../../engine/lib/quote.js';
import { localHost, workshop } from '../../machines/local-host.js';

/** What package managers write to: in the sandbox each lies below a layer of its own, in memory. */
const LAYERED = ['/etc', '/var', '/opt', '/root'];

const MOUNTS = `set -e
d=$(mktemp -d)
mount -t tmpfs tmpfs "$d"
for p in ${LAYERED.map((p) => p.slice(1)).join(' ')}; do
  mkdir "$d/$p" "$d/$p.work"
  mount -t overlay overlay -o "lowerdir=/$p,upperdir=$d/$p,workdir=$d/$p.work" "/$p"
done
echo ready
exec cat`;

// The plug-in "local" of dnf keeps a repository of all that was ever installed: no other host has that.
const RPM_HOST = `rm -f /etc/os-release /etc/yum.repos.d/*
mkdir -p /etc/yum.repos.d
echo ID=rhel >/etc/os-release
printf '[main]\\nenabled=0\\n' >/etc/dnf/plugins/local.conf
printf '[main]\\ngpgcheck=0\\nbest=False\\n' >/etc/dnf/dnf.conf
: >/etc/dnf/plugins/versionlock.list`;
const DEB_HOST = `rm -rf /etc/apt/sources.list /etc/apt/sources.list.d/* /etc/apt/apt.conf.d/* /var/lib/apt/lists/*
echo 'APT::Sandbox::User "root";' >/etc/apt/apt.conf.d/sandbox`;

/**
 * This machine as a host whose packages can be played with: its real apt and dpkg, or dnf and rpm, in a mount namespace in which all that they
 * write goes to memory. Needs root. `end` leaves nothing behind.
 */
export async function packageSandbox(family: 'deb' | 'rpm') {
  // It ends when its standard input does, so also when the tests die.
  const holder = spawn('unshare', ['--mount', '--propagation', 'private', 'sh', '-c', MOUNTS], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  await once(holder.stdout, 'data');
  const inside = (command: string): string => `nsenter -t ${holder.pid ?? 0} -m -- /bin/sh -c ${quoteOne(command)}`;
  const local = createLocal();
  const shop = workshop({
    ...localHost,
    connect: () =>
      Promise.resolve(reached({ ...local, exec: (command: string) => local.exec(`exec ${inside(command)}`) })),
  });
  const start = (command: string) => spawn('/bin/sh', ['-c', `exec ${inside(`export LC_ALL=C; ${command}`)}`]);
  /** Runs a command in it: its whole output, whatever its status. */
  const sh = async (command: string): Promise<string> => {
    const child = start(`exec 2>&1; ${command}`);
    let out = '';
    child.stdout.on('data', (data: Buffer) => (out += data.toString()));
    await once(child, 'close');
    return out;
  };
  await sh(family === 'deb' ? DEB_HOST : RPM_HOST);
  return {
    ...shop,
    sh,
    start,
    async end() {
      await shop.end();
      holder.stdin.end();
      await once(holder, 'close');
    },
  };
}
