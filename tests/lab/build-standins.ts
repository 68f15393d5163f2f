import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buildDeb, type DebSpec } from './build-deb.js';
import { buildFilebeat } from './build-filebeat.js';
import { cached, hashOf } from './cache.js';
import { packagesDir } from './templates.js';
import { agentSpec } from './packages/platform-agent/spec.js';
import { dashboardSpec } from './packages/platform-dashboard/spec.js';
import { filebeatSpec } from './packages/filebeat/spec.js';
import { managerSpec } from './packages/platform-manager/spec.js';

export { buildDownloads } from './build-downloads.js';
export { agentConf, dashboardYml, filebeatYml, managerConf } from './standin-config.js';

/** The releases there are packages of. */
export const releases = ['4.12.0', '4.13.1', '4.14.7'] as const;

/**
 * The packages of manager, dashboard and agent in each release, and two revisions of the shipper: the paths of the .deb
 * files, each built once for what goes into it. `cacheDir` holds Go's caches.
 */
export async function buildStandins(cacheDir: string): Promise<string[]> {
  const [standins, program] = await Promise.all([Promise.all(releases.map(ofRelease)), buildFilebeat(cacheDir)]);
  const shippers = await Promise.all([1, 2].map(async (revision) => packed(await filebeatSpec(revision, program))));
  return [...standins.flat(), ...shippers];
}

async function ofRelease(release: string): Promise<string[]> {
  const agent = await packed(await agentSpec(release));
  const others = await Promise.all([managerSpec(release, agent), dashboardSpec(release)]);
  return [agent, ...(await Promise.all(others.map(packed)))];
}

/** A file that is copied counts by its path: it comes out of the cache too, where the path names what it was made of. */
async function packed(spec: DebSpec): Promise<string> {
  const recipe = hashOf(await readFile(join(packagesDir, '..', 'build-deb.ts'), 'utf8'));
  const dir = await cached(`deb-${spec.name}-${spec.version}`, [spec, recipe], async (draft) => {
    await buildDeb(spec, draft);
  });
  return join(dir, `${spec.name}_${spec.version}_${spec.architecture}.deb`);
}
