import { packArchive } from '../../../simulator/archive.js';
import type { PlatformNames } from './names.js';
import { moduleOf } from './packages/release.js';
import type { Download } from '../../../simulator/state.js';

/** What the download address serves for a release (§4.4): the shipper's module archive and the index template, which it has of former ones too. */
export function downloadsOf(
  names: PlatformNames,
  release: string,
  former: readonly string[],
): Record<string, Download> {
  const n = names.shipper;
  const templates = [release, ...former].map((each): [string, Download] => [
    n.template_url.replaceAll('{{platform.target}}', each),
    { status: 200, contentType: 'application/json', latin1: template(names, each) },
  ]);
  const modules = [...new Set([release, ...former].map(moduleOf))].map((version): [string, Download] => [
    n.module_url.replaceAll(/\{\{(?:version|by_release [^}]*)\}\}/g, version),
    { status: 200, contentType: 'application/gzip', latin1: moduleArchive(names, version).toString('latin1') },
  ]);
  return { ...Object.fromEntries([...modules, ...templates]), ...installers(names, release) };
}

/** What the archive of a module holds, and a host that it was unpacked on: paths below the shipper's module directory. */
export function moduleFiles({ shipper: n }: PlatformNames, version: string): Readonly<Record<string, string>> {
  return {
    [`${n.module}/module.yml`]: `- key: ${n.module}\n  title: ${n.module}\n`,
    [`${n.module}/alerts/manifest.yml`]:
      'module_version: "0.1"\nvar:\n  - name: paths\n    default: []\ninput: config/alerts.yml\ningest_pipeline: ingest/pipeline.json\n',
    [`${n.module}/alerts/config/alerts.yml`]: `fields:\n  index_prefix: ${n.index_prefix}\ntype: log\n`,
    [`${n.module}/alerts/ingest/pipeline.json`]: pipeline(version),
  };
}

function moduleArchive(names: PlatformNames, version: string): Buffer {
  const { module } = names.shipper;
  const directories = [module, `${module}/alerts`, `${module}/alerts/config`, `${module}/alerts/ingest`];
  return packArchive([
    ...directories.map((path) => ({ path: `${path}/`, type: 'directory' as const })),
    ...Object.entries(moduleFiles(names, version)).map(([path, text]) => ({ path, text })),
  ]);
}

/** The agents' installers for Windows and macOS: their first bytes, and what the model reads: the release and the architecture. */
function installers({ agent }: PlatformNames, release: string): Record<string, Download> {
  const file = (path: string, magic: string, architecture: string): [string, Download] => [
    `/4.x/${path}`,
    {
      status: 200,
      contentType: 'application/octet-stream',
      latin1: `${Buffer.from(magic, 'hex').toString('latin1')} ${release} ${architecture}`,
    },
  ];
  const name = `${agent.package}-${release}-1`;
  return Object.fromEntries([
    file(`windows/${name}.msi`, 'd0cf11e0a1b11ae1', 'intel64'),
    file(`macos/${name}.arm64.pkg`, '78617221', 'arm64'),
    file(`macos/${name}.intel64.pkg`, '78617221', 'intel64'),
  ]);
}

/** The shipper's index template as a release brings it. */
export const template = (names: PlatformNames, release: string): string =>
  `${JSON.stringify(
    {
      order: 0,
      index_patterns: [`${names.shipper.index_prefix}*`],
      settings: { 'index.refresh_interval': '5s', 'index.number_of_shards': '3', 'index.number_of_replicas': '1' },
      mappings: {
        _meta: { release },
        date_detection: false,
        properties: { '@timestamp': { type: 'date' }, timestamp: { type: 'date' } },
      },
    },
    null,
    2,
  )}\n`;

export const pipeline = (version: string): string =>
  `${JSON.stringify({ description: `Alerts of the platform, module ${version}`, processors: [{ json: { field: 'message', add_to_root: true } }], on_failure: [{ drop: {} }] }, null, 2)}\n`;
