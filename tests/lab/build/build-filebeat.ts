import { appendFile, copyFile, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cached } from './cache.js';
import { run } from '../shell.js';
import { packagesDir } from './templates.js';

/** The release of the shipper that every package of it carries. */
export const shipperVersion = '7.10.2';

/**
 * Builds the real Filebeat with the machine's Go, once; answers the path of the program. The module is checked against
 * our `go.sum`, and its own `go.sum`, part of what was checked, vouches for all that it needs. Go's two caches are kept
 * under `cacheDir`: the first build takes two minutes and 1.4 GB, later ones of another source seconds.
 */
export async function buildFilebeat(cacheDir: string): Promise<string> {
  const sources = join(packagesDir, 'filebeat');
  const names = ['main.go', 'go.mod', 'go.sum'];
  const texts = await Promise.all(names.map((name) => readFile(join(sources, name), 'utf8')));
  const compiler = await run('go', ['env', 'GOVERSION', 'GOOS', 'GOARCH']);
  const dir = await cached('filebeat', [texts, compiler], async (draft) => {
    await mkdir(join(draft, 'source'));
    for (const name of names) await copyFile(join(sources, name), join(draft, 'source', name));
    await compile(join(draft, 'source'), join(draft, 'filebeat'), cacheDir);
  });
  return join(dir, 'filebeat');
}

async function compile(source: string, program: string, cacheDir: string): Promise<void> {
  const options = {
    cwd: source,
    env: {
      ...process.env,
      CGO_ENABLED: '0',
      GOFLAGS: '-buildvcs=false',
      GOMODCACHE: join(cacheDir, 'go', 'mod'),
      GOCACHE: join(cacheDir, 'go', 'build'),
    },
  };
  const { Dir: module } = JSON.parse(
    await run('go', ['mod', 'download', '-json', 'github.com/elastic/beats/v7'], options),
  ) as { Dir: string };
  await appendFile(join(source, 'go.sum'), await readFile(join(module, 'go.sum')));
  await run('go', ['build', '-trimpath', '-gcflags', 'all=-N -l', '-ldflags', '-s -w', '-o', program, '.'], options);
}
