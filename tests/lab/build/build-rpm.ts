import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stage, type DebSpec } from './build-deb.js';
import { scriptlets } from './rpm-scriptlets.js';
import { run } from '../shell.js';

/** What an RPM is made of: a tree that is laid out already, and what is said of it. Everything in it belongs to root. */
export interface RpmSource extends Pick<
  DebSpec,
  'name' | 'version' | 'architecture' | 'description' | 'conflicts' | 'directories' | 'scripts'
> {
  /** Its directory `DEBIAN` is left out. */
  root: string;
  /** Configuration of which a changed file stays, with the new one beside it as `.rpmnew`. */
  kept: readonly string[];
  /** Configuration that is replaced, with a changed file put aside as `.rpmsave`. */
  replaced?: readonly string[];
  provides?: readonly string[];
}

/** Packs the same package as an RPM: same content, same scripts; answers its path in `outDir`. */
export async function buildRpm(spec: DebSpec, outDir: string): Promise<string> {
  const root = await stage(spec);
  try {
    return await packRpm({ ...spec, root, kept: spec.conffiles }, outDir);
  } finally {
    await rm(root, { recursive: true });
  }
}

/** Packs a tree as an RPM; answers its path in `outDir`. Throws when rpmbuild refuses it. */
export async function packRpm(source: RpmSource, outDir: string): Promise<string> {
  const top = await mkdtemp(join(tmpdir(), 'runbook-lab-rpm-'));
  try {
    await mkdir(join(top, 'out'));
    await writeFile(join(top, 'package.spec'), await specification(source));
    const defines = { _topdir: top, _rpmdir: join(top, 'out'), _dbpath: join(top, 'db') };
    const options = Object.entries(defines).flatMap(([name, value]) => ['--define', `${name} ${value}`]);
    await run('rpmbuild', ['-bb', '--quiet', '--target', machineOf(source), ...options, join(top, 'package.spec')]);
    const rpm = `${source.name}-${source.version}.${machineOf(source)}.rpm`;
    await run('cp', [join(top, 'out', machineOf(source), rpm), join(outDir, rpm)]);
    return join(outDir, rpm);
  } finally {
    await rm(top, { recursive: true });
  }
}

/** The file name of an RPM after its package. */
export const rpmFile = (source: Pick<DebSpec, 'name' | 'version' | 'architecture'>): string =>
  `${source.name}-${source.version}.${machineOf(source)}.rpm`;

function machineOf({ architecture }: Pick<DebSpec, 'architecture'>): string {
  return { all: 'noarch', amd64: 'x86_64', arm64: 'aarch64' }[architecture];
}

/** Nothing is stripped, compiled or looked into for what it needs: the content is that of the .deb. */
const untouched = [
  'debug_package %{nil}',
  '__os_install_post %{nil}',
  '_build_id_links none',
  '_binary_payload w1.gzdio',
];

async function specification(source: RpmSource): Promise<string> {
  const { name, version, description, root, conflicts = [], provides = [] } = source;
  const [upstream = '', revision = ''] = version.split('-');
  const lines = [
    ...untouched.map((each) => `%global ${each}`),
    `Name: ${name}`,
    `Version: ${upstream}`,
    `Release: ${revision}`,
    `Summary: ${description}`,
    'License: none',
    'AutoReqProv: no',
    ...conflicts.map((each) => `Conflicts: ${each}`),
    ...provides.map((each) => `Provides: ${each}`),
    `%description\n${description}`,
    `%install\nmkdir -p %{buildroot}\ncp -a '${root}/.' %{buildroot}\nrm -rf %{buildroot}/DEBIAN`,
    scriptlets(name, source.scripts),
    '%files\n%defattr(-,root,root,-)',
    ...source.directories.map(({ path }) => `%dir "${path}"`),
    ...(await filesOf(source)),
  ];
  return `${lines.join('\n')}\n`;
}

async function filesOf({ root, kept, replaced = [] }: RpmSource): Promise<string[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length))
    .filter((path) => !path.startsWith('/DEBIAN/'));
  return paths.sort().map((path) => {
    const kind = kept.includes(path) ? '%config(noreplace) ' : replaced.includes(path) ? '%config ' : '';
    return `${kind}"${path}"`;
  });
}
