import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { cached } from './cache.js';
import { releases } from './releases.js';
import { run } from '../shell.js';
import { template } from './templates.js';

/** The archives and templates of old and new releases, so that the upgrade has something to change. */
const moduleVersions = ['0.3', '0.4', '0.5'];

const moduleFiles = [
  'module.yml',
  '_meta/config.yml',
  'alerts/manifest.yml',
  'alerts/config/alerts.yml',
  'alerts/ingest/pipeline.json',
];

/**
 * A directory laid out as under `{package_url}` (§4.4): the shipper's module archives and index templates are real, the
 * installers for Windows and macOS are there to be asked for only.
 */
export async function buildDownloads(): Promise<string> {
  const files: Record<string, string> = {};
  for (const { version: release } of releases) {
    files[`tags/v${release}/platform-template.json`] = await template('filebeat/template.json', { RELEASE: release });
    files[`4.x/windows/platform-agent-${release}-1.msi`] = `No installer: a placeholder of the lab for ${release}.\n`;
    for (const arch of ['intel64', 'arm64']) {
      files[`4.x/macos/platform-agent-${release}-1.${arch}.pkg`] =
        `No installer: a placeholder of the lab for ${release} on ${arch}.\n`;
    }
  }
  const modules = await Promise.all(
    moduleVersions.map(async (version) => ({ version, files: await moduleOf(version) })),
  );
  return cached('downloads', [files, modules, await readFile(new URL(import.meta.url), 'utf8')], async (draft) => {
    for (const [path, text] of Object.entries(files)) await write(join(draft, path), text);
    for (const each of modules) await pack(each, draft);
  });
}

async function moduleOf(version: string): Promise<[path: string, text: string][]> {
  return Promise.all(
    moduleFiles.map(async (path): Promise<[string, string]> => [
      path,
      await template(`filebeat/module/${path}`, { MODULE_VERSION: version }),
    ]),
  );
}

/** Unpacks to `platform/…`, with the owner and modes the real archive has. */
async function pack(module: { version: string; files: readonly [string, string][] }, draft: string): Promise<void> {
  const source = join(draft, '.source');
  for (const [path, text] of module.files) await write(join(source, 'platform', path), text);
  const archive = join(draft, '4.x', 'filebeat', `platform-filebeat-${module.version}.tar.gz`);
  await mkdir(dirname(archive), { recursive: true });
  await run('tar', [
    ...['--owner=root:0', '--group=root:0', '--mode=u=rwX,go=rX', '--sort=name', '--mtime=2025-11-20'],
    ...['-C', source, '-czf', archive, 'platform'],
  ]);
  await run('rm', ['-rf', source]);
}

async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
  await chmod(path, 0o644);
}
