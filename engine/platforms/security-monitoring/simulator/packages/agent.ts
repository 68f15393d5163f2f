import { entryAt, putFile, textAt } from '../../../../simulator/files.js';
import type { PlatformNames } from '../names.js';
import type { PackageDefinition } from '../../../../simulator/packages/definition.js';
import { unitFile } from './release.js';

/** The agent; its configuration stays as it is. */
export function agentPackage(names: PlatformNames, version: string): PackageDefinition {
  const n = names.agent;
  return {
    service: n.service,
    sizeBytes: 12_000_000,
    files: {
      [`/usr/lib/systemd/system/${n.service}.service`]: { text: unitFile('Agent', 'forking', `${n.control} start`) },
      [n.control]: { text: '#!/bin/sh\n', mode: '0750' },
      [`${n.install_dir}/VERSION`]: { text: `${version}\n` },
    },
    conffiles: {},
    scripts: `[ -e ${n.config} ] || install -m 0660 ${n.install_dir}/packages_files/agent.conf ${n.config}\n`,
    configure(host, atMs) {
      if (textAt(host, n.config) === undefined)
        putFile(host, n.config, { text: agentConfig(names, 'MANAGER_IP'), mode: '0660' }, atMs);
      if (entryAt(host, n.client_keys) === undefined)
        putFile(host, n.client_keys, { text: '', group: n.user, mode: '0640' }, atMs);
      if (entryAt(host, n.counters) === undefined)
        putFile(host, n.counters, { type: 'directory', owner: n.user, group: n.user, mode: '0750' }, atMs);
    },
  };
}

export const agentConfig = (names: PlatformNames, manager: string): string => `<${names.manager.root}>
  <client>
    <server>
      <address>${manager}</address>
      <port>1514</port>
      <protocol>tcp</protocol>
    </server>
  </client>
</${names.manager.root}>
`;
