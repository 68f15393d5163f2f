import type { DebSpec } from '../../build/build-deb.js';
import { template } from '../../build/templates.js';
import { shipperVersion } from '../../build/build-filebeat.js';
import { serviceScripts } from '../common/parts.js';

/**
 * The shipper's package: the real program, the revision is all that differs, and a line of its default configuration, so
 * that a changed one meets dpkg's question. The module `platform` and the template are no part of it, as with the real one.
 */
export async function filebeatSpec(revision: number, program: string): Promise<DebSpec> {
  const conffile = '/etc/filebeat/filebeat.yml';
  return {
    name: 'filebeat',
    version: `${shipperVersion}-${revision}`,
    architecture: process.arch === 'arm64' ? 'arm64' : 'amd64',
    description: 'Filebeat sends log files to the indexer',
    depends: [],
    conffiles: [conffile],
    directories: [
      { path: '/var/lib/filebeat', mode: 0o750 },
      { path: '/var/log/filebeat', mode: 0o750 },
      { path: '/usr/share/filebeat/module', mode: 0o755 },
    ],
    files: [
      { path: conffile, mode: 0o600, text: await defaultShipperConfig(revision) },
      { path: '/usr/bin/filebeat', mode: 0o755, text: await template('filebeat/filebeat.sh') },
      { path: '/usr/share/filebeat/bin/filebeat', mode: 0o755, copyOf: program },
      {
        path: '/usr/lib/systemd/system/filebeat.service',
        mode: 0o644,
        text: await template('filebeat/filebeat.service'),
      },
    ],
    scripts: await serviceScripts('filebeat', '/var/lib/filebeat', await template('filebeat/postinst')),
  };
}

/** The package's own `filebeat.yml`; the second revision says a little more than the first. */
export function defaultShipperConfig(revision: number): Promise<string> {
  return template('filebeat/filebeat.yml', { METRICS: revision >= 2 ? 'logging.metrics.enabled: false\n' : '' });
}
