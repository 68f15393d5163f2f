import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildBase } from '../../lab/base.js';
import { cached } from '../../lab/build/cache.js';
import { install, quickInstall, type LayerContent } from '../support/example-packages.js';

/** The hosts' network: the last part of an address is a host's number. */
export const network = '10.231.79';

/** Installations are fast, on the hosts, too; the first one starts nothing. */
const files: LayerContent['files'] = [
  ...quickInstall,
  ['etc/postgresql-common/createcluster.conf', "create_main_cluster = false\nadd_include_dir = 'conf.d'\n", 0o644],
];
/** The release's own version is installed; that of its security updates is only downloaded. */
const packages = [
  ['postgresql-15/bookworm', 'haproxy'],
  ['--download-only', 'postgresql-15'],
];

/**
 * One cluster, so that all nodes begin as copies of it, and both versions in a repository on the host's own disk. Where Debian has a single one, because no security update followed the point release, it
 * is packed again with a later number. `manual`: the unit starts the cluster, not the package.
 */
const script = `
cd /srv/repository
cp /var/cache/apt/archives/postgresql-15_*.deb .
if [ $(ls | wc -l) = 1 ]; then
  dpkg-deb --raw-extract *.deb /tmp/build
  sed -i '/^Version:/s/deb12u[0-9]*/deb12u99/' /tmp/build/DEBIAN/control
  dpkg-deb -Zgzip -z1 --build /tmp/build . >/dev/null
  rm -r /tmp/build
fi
for file in *.deb; do dpkg-deb --field "$file" Version; done | sort -V >/srv/versions
chmod 755 / # the database's own user makes the cluster
pg_createcluster --locale=C.UTF-8 --start-conf=manual 15 main -- --data-checksums --no-sync
cat >/etc/postgresql/15/main/pg_hba.conf <<'END'
local all all trust
host all all ${network}.0/24 trust
host replication all ${network}.0/24 trust
END
systemctl -q disable haproxy postgresql
rm -rf /usr/sbin/policy-rc.d /etc/resolv.conf /var/lib/apt/lists/* /var/cache/apt/*.bin /var/cache/apt/archives/*.deb
echo 'deb [trusted=yes] copy:/srv/repository ./' >/etc/apt/sources.list
`;

/** The layers of a host's disk: PostgreSQL and HAProxy from Debian over the lab's base system. */
export async function postgresLayers(): Promise<readonly string[]> {
  const base = await buildBase();
  const content = { files, packages, script };
  return [await cached('postgres', [base, content], (dir) => install(base, dir, content)), base];
}

/** The version that is installed, and the later one in the repository. */
export async function versions(): Promise<{ readonly old: string; readonly new: string }> {
  const [layer = ''] = await postgresLayers();
  const [old = '', later = ''] = readFileSync(join(layer, 'srv/versions'), 'utf8').split('\n');
  return { old, new: later };
}
