import {
  appendFile,
  chmod,
  copyFile,
  cp,
  mkdir,
  readFile,
  readdir,
  rename,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { basename, join } from 'node:path';
import { packRpm, rpmFile, type RpmSource } from './build-rpm.js';
import type { Packages } from './build-standins.js';
import { cached, hashOfTree } from './cache.js';
import { fetchArtifact } from './maven.js';
import { isFrom, releasesOf, type Release } from './releases.js';
import { template } from './templates.js';
import { run } from '../shell.js';

const material = join(import.meta.dirname, '../packages/platform-indexer');

/** Changing this builds the packages anew. */
const recipe = 10;

const name = 'platform-indexer';

/** Whether it has the later defaults. */
const isLater = ({ version }: Release): boolean => isFrom(version, '4.14');

const scripts = ['preinst', 'postinst', 'prerm', 'postrm'] as const;

/** The one file of its configuration that an RPM replaces: a changed one is put aside as `.rpmsave`. */
const replacedByRpm = ['/etc/default/platform-indexer'];

/**
 * Builds platform-indexer in the releases asked for, around the real engine and its real security plugin, for both families.
 * Throws for a release that the lab does not have.
 */
export async function buildIndexer(wanted: readonly string[]): Promise<Packages> {
  const tree = await hashOfTree(material);
  const built: { deb: string; rpm: string }[] = [];
  for (const release of releasesOf(wanted)) {
    const about = { name, version: `${release.version}-1`, architecture: 'amd64' as const };
    const deb = `${name}_${about.version}_amd64.deb`;
    const dir = await cached('indexer', [release, tree, recipe], async (draft) => {
      const root = join(draft, 'root');
      await layOut(root, release);
      await run('dpkg-deb', ['--root-owner-group', '-Znone', '--build', root, join(draft, deb)]);
      await packRpm({ ...about, ...(await asRpm(root, release)) }, draft);
      await rm(root, { recursive: true });
    });
    built.push({ deb: join(dir, deb), rpm: join(dir, rpmFile(about)) });
  }
  return { debs: built.map(({ deb }) => deb), rpms: built.map(({ rpm }) => rpm) };
}

/** What an RPM of the same tree declares in addition. */
async function asRpm(root: string, release: Release): Promise<Omit<RpmSource, 'name' | 'version' | 'architecture'>> {
  const texts = scripts.map(async (script) => [script, await readFile(join(material, script), 'utf8')] as const);
  return {
    description: description(release),
    root,
    directories: ownDirectories.map((path) => ({ path: `/${path}`, mode: 0o755 })),
    kept: (await conffiles(root)).filter((path) => !replacedByRpm.includes(path)),
    replaced: replacedByRpm,
    scripts: Object.fromEntries(await Promise.all(texts)),
  };
}

const description = (release: Release): string =>
  `Data store of the platform, around the search engine ${release.engine}`;

async function layOut(root: string, release: Release): Promise<void> {
  const home = join(root, 'usr/share/platform-indexer');
  const conf = join(root, 'etc/platform-indexer');
  await unpackEngine(home, release.engine);
  await rm(conf, { recursive: true, force: true });
  await mkdir(join(root, 'etc'), { recursive: true });
  await rename(join(home, 'config'), conf);
  await addSecurity(home, conf, release.engine);
  await addIngest(join(home, 'modules/ingest-common'), release.engine);
  await addOwnFiles(root);
  await addScriptFiles(root, home, conf, release);
  await writeFile(join(conf, 'jvm.options'), jvmOptions(await readFile(join(conf, 'jvm.options'), 'utf8'), release));
  await writeFile(join(conf, 'opensearch.yml'), await indexerConfig(release));
  if (isLater(release)) {
    await appendFile(join(conf, 'security/roles.yml'), laterRole);
    await appendFile(
      join(root, 'etc/default/platform-indexer'),
      '# Options of the virtual machine belong into jvm.options.\n',
    );
  }
  await writeControl(root, release);
}

async function unpackEngine(home: string, engine: string): Promise<void> {
  const zip = await fetchArtifact(`org.opensearch.distribution.integ-test-zip:opensearch:${engine}:zip`);
  await mkdir(join(home, '..'), { recursive: true });
  await run('unzip', ['-q', zip, '-d', join(home, '..')]);
  await rename(join(home, '..', `opensearch-${engine}`), home);
  await run('sh', ['-ec', 'rm -rf logs bin/*.bat bin/*.exe', 'sh'], { cwd: home });
  // The real package brings a Java of its own there, which the engine's tools look for.
  await symlink('/usr/lib/jvm/java-17-openjdk-amd64', join(home, 'jdk'));
}

/** The plugin where the engine looks for it; its configuration goes to /etc, as conffiles. */
async function addSecurity(home: string, conf: string, engine: string): Promise<void> {
  const zip = await fetchArtifact(`org.opensearch.plugin:opensearch-security:${engine}.0:zip`);
  const plugin = join(home, 'plugins/opensearch-security');
  await mkdir(plugin, { recursive: true });
  await run('unzip', ['-q', zip, '-d', plugin]);
  await rename(join(plugin, 'config'), join(conf, 'security'));
  await rm(join(conf, 'security/opensearch.yml.example'));
  await run('sh', ['-ec', 'rm -f *.bat; chmod 755 *.sh'], { cwd: join(plugin, 'tools') });
}

/**
 * The ingest processors, which the shipper's pipeline needs. They are published as bare jars, so the descriptor that
 * makes a module of them is written here; the extension of the scripting language is left out with that language.
 */
async function addIngest(module: string, engine: string): Promise<void> {
  await mkdir(module);
  const jars = [
    `org.opensearch.plugin:ingest-common:${engine}:jar`,
    `org.opensearch:opensearch-grok:${engine}:jar`,
    `org.opensearch:opensearch-dissect:${engine}:jar`,
    'org.jruby.joni:joni:2.2.1:jar',
    'org.jruby.jcodings:jcodings:1.0.61:jar',
  ] as const;
  for (const jar of jars) {
    const file = await fetchArtifact(jar);
    await copyFile(file, join(module, basename(file)));
  }
  const descriptor = {
    description: 'Module for ingest processors that do not require additional security permissions',
    version: engine,
    name: 'ingest-common',
    classname: 'org.opensearch.ingest.common.IngestCommonPlugin',
    'java.version': '11',
    'opensearch.version': engine,
    'has.native.controller': 'false',
  };
  const lines = Object.entries(descriptor).map(([key, value]) => `${key}=${value}\n`);
  await writeFile(join(module, 'plugin-descriptor.properties'), lines.join(''));
}

const ownDirectories = [
  'var/lib/platform-indexer',
  'var/log/platform-indexer',
  'etc/platform-indexer',
  'etc/platform-indexer/jvm.options.d',
];

async function addOwnFiles(root: string): Promise<void> {
  const files = [
    ['platform-indexer.service', 'usr/lib/systemd/system/platform-indexer.service', 0o644],
    ['sysctl.conf', 'usr/lib/sysctl.d/platform-indexer.conf', 0o644],
    ['default', 'etc/default/platform-indexer', 0o644],
    ['systemd-entrypoint', 'usr/share/platform-indexer/bin/systemd-entrypoint', 0o755],
    ['indexer-security-init.sh', 'usr/share/platform-indexer/bin/indexer-security-init.sh', 0o755],
  ] as const;
  for (const [from, to, mode] of files) {
    await cp(join(material, from), join(root, to));
    await chmod(join(root, to), mode);
  }
  for (const dir of ownDirectories) await mkdir(join(root, dir), { recursive: true });
}

/**
 * What the maintainer script works with, in the releases in which it does: options that it appends unless their marker is there (before, they
 * are in the package's own file), and the program that merges new keys into a configuration that was kept.
 */
async function addScriptFiles(root: string, home: string, conf: string, { version }: Release): Promise<void> {
  const policy = join(conf, 'opensearch-performance-analyzer/opensearch_security.policy');
  await mkdir(join(policy, '..'));
  await writeFile(policy, '// What the analyzer may do.\n');
  const options = await readFile(join(material, 'analyzer.options'), 'utf8');
  const path = isFrom(version, '4.9') ? join(home, 'analyzer.options') : join(conf, 'jvm.options');
  await appendFile(path, options);
  if (!isFrom(version, '4.14')) return;
  const program = join(root, 'usr/share/platform-indexer/bin/merge-new-keys.sh');
  const file = '/etc/platform-indexer/opensearch.yml';
  await writeFile(program, await template('common/merge-new-keys.sh', { FILE: file }), { mode: 0o755 });
}

/**
 * The engine's own defaults with the package's directories. The engine's two releases have the same file; the later
 * package adds an option of its own, so that keeping an operator's values upon new defaults can be shown.
 */
function jvmOptions(upstream: string, release: Release): string {
  const placed = upstream
    .replace('-XX:HeapDumpPath=data', '-XX:HeapDumpPath=/var/lib/platform-indexer')
    .replaceAll('=logs/hs_err', '=/var/log/platform-indexer/hs_err')
    .replaceAll('logs/gc.log', '/var/log/platform-indexer/gc.log');
  if (!isLater(release)) return placed;
  return `${placed}\n# Many rules repeat the same strings; let the collector share them\n17-:-XX:+UseStringDeduplication\n`;
}

/** The later package ships a role more: a file of the security directory differs too, whose live copy the backup rewrites. */
const laterRole = `
# Reads the state of the platform's own indices
platform_states_read:
  reserved: true
  index_permissions:
    - index_patterns:
        - 'platform-states-*'
      allowed_actions:
        - 'read'
`;

async function indexerConfig(release: Release): Promise<string> {
  const base = await readFile(join(material, 'opensearch.yml'), 'utf8');
  if (!isLater(release)) return base;
  return `${base}\n# Shards each node may hold; raise it before adding more indices than that.\n#cluster.max_shards_per_node: 1000\n\n# The largest body of a request.\nhttp.max_content_length: 100mb\n`;
}

async function writeControl(root: string, release: Release): Promise<void> {
  const dir = join(root, 'DEBIAN');
  await mkdir(dir);
  for (const script of scripts) {
    await copyFile(join(material, script), join(dir, script));
    await chmod(join(dir, script), 0o755);
  }
  const size = (await run('du', ['-sk', root])).split('\t')[0] ?? '0';
  const fields = [
    'Package: platform-indexer',
    `Version: ${release.version}-1`,
    'Architecture: amd64',
    'Maintainer: Lab <lab@localhost>',
    `Installed-Size: ${size}`,
    'Depends: adduser, procps, openjdk-17-jre-headless',
    'Section: utils',
    'Priority: optional',
    `Description: ${description(release)}`,
  ];
  await writeFile(join(dir, 'control'), `${fields.join('\n')}\n`);
  await writeFile(join(dir, 'conffiles'), `${(await conffiles(root)).join('\n')}\n`);
}

/** Every file under /etc is one, as in the real package. */
async function conffiles(root: string): Promise<string[]> {
  const entries = await readdir(join(root, 'etc'), { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return files.map((file) => file.slice(root.length)).sort();
}
