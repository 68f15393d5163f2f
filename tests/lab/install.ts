import { copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { certsDir } from './certificates.js';
import { rootOf } from './disk.js';
import { signingKeyFile, sourceLine } from './build/repository.js';
import { keyOnHost, repositoryFile } from './build/repository-rpm.js';
import { systemRpm } from './rpm-host.js';
import { onHost } from './ssh.js';
import { packageUrl, type LabHost } from './topology.js';

/** Quotes for a POSIX shell. */
export const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** Gives a host the lab's repository, turned on, and installs the packages, as `name=version`, in exactly these versions. */
export async function installPackages(host: LabHost, packages: readonly string[]): Promise<void> {
  await (host.family === 'deb' ? installDebs(host, packages) : installRpms(host, packages));
}

async function installDebs(host: LabHost, packages: readonly string[]): Promise<void> {
  await copyFile(await signingKeyFile(), join(rootOf(host), 'usr/share/keyrings/platform.gpg'));
  await onHost(
    host,
    `umask 022
echo ${quoted(sourceLine)} >/etc/apt/sources.list.d/platform.list
export DEBIAN_FRONTEND=noninteractive
apt-get -qq update
apt-get -qq -y install ${packages.map(quoted).join(' ')} ${logged}
`,
  );
}

async function installRpms(host: LabHost, packages: readonly string[]): Promise<void> {
  await copyFile(await systemRpm(), join(rootOf(host), 'var/tmp/system.rpm'));
  const named = packages.map((each) => quoted(each.replace('=', '-')));
  await onHost(
    host,
    `umask 022
rpm -q lab-system >/dev/null || rpm -i --nodeps --nosignature /var/tmp/system.rpm
mkdir -p /etc/yum.repos.d /etc/pki/rpm-gpg
curl -fsS ${packageUrl}/4.x/yum/platform.asc -o ${keyOnHost}
cat >/etc/yum.repos.d/platform.repo <<'REPOSITORY'
${repositoryFile}REPOSITORY
dnf -q -y install ${named.join(' ')} ${logged}
`,
  );
}

const logged = '>/var/log/lab-install.log 2>&1 || { cat /var/log/lab-install.log >&2; exit 1; }';

/** Turns the repository off the way the specification does (§9.8.2). */
export async function disableRepository(host: LabHost): Promise<void> {
  await onHost(
    host,
    host.family === 'deb'
      ? `sed -i 's/^deb /#deb /' /etc/apt/sources.list.d/platform.list\napt-get -qq update\n`
      : `sed -i 's/^enabled=1$/enabled=0/' /etc/yum.repos.d/platform.repo\n`,
  );
}

/** A certificate to put on a host: `from` names the files in the lab's certificate directory. */
export interface PlacedCertificate {
  from: string;
  /** Directory on the host, and base name there. */
  dir: string;
  as: string;
  owner: string;
}

/** Copies a certificate, its key and the authority's certificate to a host, readable by their owner only. */
export async function placeCertificate(host: LabHost, { from, dir, as, owner }: PlacedCertificate): Promise<void> {
  const staged = join(rootOf(host), 'var/tmp', as); // one a component: several may share a host
  await mkdir(staged, { recursive: true });
  for (const suffix of ['.pem', '-key.pem']) await copyFile(join(certsDir(), from + suffix), join(staged, as + suffix));
  await copyFile(join(certsDir(), 'root-ca.pem'), join(staged, 'root-ca.pem'));
  await onHost(
    host,
    `install -d -m 0500 -o ${owner} -g ${owner} ${dir}
for file in ${as}.pem ${as}-key.pem root-ca.pem; do
  install -m 0400 -o ${owner} -g ${owner} /var/tmp/${as}/$file ${dir}/$file
done
rm -r /var/tmp/${as}
`,
  );
}
