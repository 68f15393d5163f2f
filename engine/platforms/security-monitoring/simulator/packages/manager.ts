import { putFile, textAt } from '../../../../simulator/files.js';
import type { PlatformNames } from '../names.js';
import { newerThan } from '../../../../simulator/versions.js';
import type { PackageDefinition } from '../../../../simulator/packages/definition.js';
import { connectorElement, managerConfig } from './manager-config.js';
import { isAtLeast, releaseOf, unitFile } from './release.js';

/** Daemons of a manager; the optional ones do not run, and `status` counts them all the same. */
export const DAEMONS = [
  'clusterd',
  'modulesd',
  'monitord',
  'logcollector',
  'remoted',
  'syscheckd',
  'analysisd',
  'execd',
  'db',
  'authd',
  'apid',
];
export const OPTIONAL_DAEMONS = ['maild', 'agentlessd', 'integratord', 'dbd', 'csyslogd'];

const IOC_LISTS = ['malicious-ioc-md5', 'malicious-ioc-sha1', 'malicious-ioc-sha256'];
const LISTS = ['audit-keys', 'amazon/aws-eventnames', 'security-eventchannel'];

/** The manager: its configuration is no conffile, and a changed one is kept byte for byte but for what its script appends. */
export function managerPackage(names: PlatformNames, version: string): PackageDefinition {
  const n = names.manager;
  const own = { owner: 'root', group: n.user, mode: '0660' };
  const lists = isAtLeast(version, '4.13') ? [...LISTS, ...IOC_LISTS] : LISTS;
  const shipped = `${n.install_dir}/packages_files/${n.config.slice(n.config.lastIndexOf('/') + 1)}`;
  return {
    service: n.service,
    sizeBytes: 320_000_000,
    files: {
      [`/usr/lib/systemd/system/${n.service}.service`]: {
        text: unitFile('Manager', 'forking\nRemainAfterExit=yes', `${n.control} start`),
      },
      ...Object.fromEntries(
        [n.control, n.keystore, n.agent_upgrade, n.analysisd].map((tool) => [
          tool,
          { text: '#!/bin/sh\n', mode: '0750', group: n.user },
        ]),
      ),
      ...Object.fromEntries(
        lists.map((l) => [`${n.install_dir}/etc/lists/${l}`, { text: `# ${l} of ${releaseOf(version)}\n`, ...own }]),
      ),
    },
    conffiles: {},
    scripts: `conf=${n.config}
if [ ! -e $conf ] || [ -e $conf.unchanged ]; then
  install -o root -g ${n.user} -m 0660 ${shipped} $conf
elif ! cmp -s ${shipped} $conf; then
  install -o root -g ${n.user} -m 0660 ${shipped} $conf.new
fi
grep -q '<indexer>' $conf || cat ${n.install_dir}/packages_files/indexer.xml >>$conf
`,
    configure(host, atMs) {
      const shippedBefore = textAt(host, shipped);
      const now = textAt(host, n.config);
      const next = managerConfig(names, version);
      putFile(host, shipped, { text: next }, atMs);
      if (now === undefined || now === shippedBefore) putFile(host, n.config, { text: next, ...own }, atMs);
      else if (now !== next) putFile(host, `${n.config}.new`, { text: next, ...own }, atMs);
      const text = textAt(host, n.config) ?? '';
      // As its `grep` does: one in a comment counts, and one that is written otherwise does not.
      if (!newerThan('4.8', releaseOf(version)) && !text.includes('<indexer>'))
        putFile(host, n.config, { text: text + appendedIndexer(n.root) }, atMs);
      if (textAt(host, n.client_keys) === undefined)
        putFile(host, n.client_keys, { text: '', ...own, mode: '0640' }, atMs);
    },
  };
}

/** The root of its own that the package's script appends to a configuration without a connector. */
export const appendedIndexer = (root: string): string =>
  `\n<${root}>\n${connectorElement(['https://0.0.0.0:9200'], 'filebeat')}</${root}>\n`;
