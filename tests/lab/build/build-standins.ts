import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buildDeb, type DebSpec } from './build-deb.js';
import { buildRpm, rpmFile } from './build-rpm.js';
import { buildFilebeat } from './build-filebeat.js';
import { cached, hashOf } from './cache.js';
import { agentSpec } from '../packages/platform-agent/spec.js';
import { dashboardSpec } from '../packages/platform-dashboard/spec.js';
import { filebeatSpec } from '../packages/filebeat/spec.js';
import { managerSpec } from '../packages/platform-manager/spec.js';

export { buildDownloads } from './build-downloads.js';
export { agentConf, dashboardYml, filebeatYml, managerConf } from '../standin-config.js';

/** The paths of packages, by family. */
export interface Packages {
  debs: readonly string[];
  rpms: readonly string[];
}

/**
 * The packages of manager, dashboard and agent in each of the releases, and two revisions of the shipper, for both families, each built once for
 * what goes into it. `cacheDir` holds Go's caches.
 */
export async function buildStandins(cacheDir: string, releases: readonly string[]): Promise<Packages> {
  const [standins, program] = await Promise.all([Promise.all(releases.map(ofRelease)), buildFilebeat(cacheDir)]);
  const shippers = await Promise.all([1, 2].map((revision) => filebeatSpec(revision, program)));
  const specs = [...standins.flat(), ...shippers];
  return { debs: await Promise.all(specs.map(packed)), rpms: await Promise.all(specs.map(packedAsRpm)) };
}

async function ofRelease(release: string): Promise<DebSpec[]> {
  const agent = await agentSpec(release);
  const agents = [await packed(agent), await packedAsRpm(agent)];
  return [agent, await managerSpec(release, agents), await dashboardSpec(release)];
}

/** A file that is copied counts by its path: it comes out of the cache too, where the path names what it was made of. */
async function packed(spec: DebSpec): Promise<string> {
  const dir = await cached(`deb-${spec.name}-${spec.version}`, [spec, await recipe('build-deb.ts')], async (draft) => {
    await buildDeb(spec, draft);
  });
  return join(dir, `${spec.name}_${spec.version}_${spec.architecture}.deb`);
}

async function packedAsRpm(spec: DebSpec): Promise<string> {
  const recipes = await Promise.all(['build-deb.ts', 'build-rpm.ts', 'rpm-scriptlets.ts'].map(recipe));
  const dir = await cached(`rpm-${spec.name}-${spec.version}`, [spec, recipes], async (draft) => {
    await buildRpm(spec, draft);
  });
  return join(dir, rpmFile(spec));
}

/** How packages are put together counts among what goes into them. */
const recipe = async (name: string): Promise<string> => hashOf(await readFile(join(import.meta.dirname, name), 'utf8'));
