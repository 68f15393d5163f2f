import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { cached } from './cache.js';
import { signer, signingKey, stopAgent } from './repository.js';
import { run } from '../shell.js';
import { packageUrl } from '../topology.js';

/** Lays out a repository as dnf reads it, each package in it signed; answers the tree under {package_url}. */
export async function buildRpmRepository(rpms: readonly string[]): Promise<string> {
  const keyring = await signingKey();
  return cached('repository-rpm', [rpms, keyring, recipe], async (draft) => {
    const place = join(draft, '4.x/yum');
    await mkdir(place, { recursive: true });
    // Copies, for a signature is written into the package.
    for (const rpm of rpms) await copyFile(rpm, join(place, basename(rpm)));
    const signed = rpms.map((rpm) => join(place, basename(rpm)));
    const defines = [
      '--define',
      '__gpg /usr/bin/gpg',
      '--define',
      `_gpg_name ${signer}`,
      '--define',
      `_gpg_path ${keyring}`,
    ];
    await run('rpmsign', [...defines, '--addsign', ...signed], { env: { ...process.env, GNUPGHOME: keyring } });
    await stopAgent(keyring);
    await run('createrepo_c', ['--quiet', place]);
    const armored = await run('gpg', [
      '--homedir',
      keyring,
      '--batch',
      '--no-permission-warning',
      '--armor',
      '--export',
      signer,
    ]);
    await writeFile(join(place, 'platform.asc'), armored);
  });
}

const recipe = 1;

/** Where a host has the public half of the key that signs its packages. */
export const keyOnHost = '/etc/pki/rpm-gpg/platform.asc';

/** The file that names the lab's repository to dnf, turned on. */
export const repositoryFile = `[platform]
name=Platform
baseurl=${packageUrl}/4.x/yum/
enabled=1
gpgcheck=1
gpgkey=file://${keyOnHost}
`;
