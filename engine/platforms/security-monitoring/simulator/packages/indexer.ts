import { entryAt, putFile, textAt, type NewFile } from '../../../../simulator/files.js';
import type { HostState } from '../../../../simulator/state.js';
import type { PlatformNames } from '../names.js';
import type { PackageDefinition } from '../../../../simulator/packages/definition.js';
import { mergeNewKeys, mergeScript, mergesNewKeys } from './merge-new-keys.js';
import { engineOf, isAtLeast, unitFile } from './release.js';

/** Files of the security configuration that the package brings and the tool backs up. */
export const SECURITY_FILES = [
  'action_groups',
  'allowlist',
  'audit',
  'config',
  'internal_users',
  'nodes_dn',
  'roles',
  'roles_mapping',
  'tenants',
  'whitelist',
];

/** The indexer: options of the Java machine, its configuration, the security configuration and the tool for it. */
export function indexerPackage(names: PlatformNames, version: string): PackageDefinition {
  const n = names.indexer;
  const own = { owner: n.user, group: n.user, mode: '0660' };
  return {
    service: n.service,
    sizeBytes: 870_000_000,
    files: {
      [`/usr/lib/systemd/system/${n.service}.service`]: {
        text: unitFile('Indexer', 'notify', `${n.home}/bin/systemd-entrypoint`),
      },
      [n.security_init]: { text: '#!/bin/bash\n', mode: '0750', owner: n.user, group: n.user },
      [n.node_tool]: { text: '#!/bin/bash\n', mode: '0750', owner: n.user, group: n.user },
      [n.plugin_tool]: { text: '#!/bin/bash\n', mode: '0750', owner: n.user, group: n.user },
      [`${n.home}/VERSION`]: { text: `${version}\n` },
      [`${n.home}/lib/opensearch-${engineOf(version)}.jar`]: { text: '' },
      [`${n.plugin_dir}/opensearch-security/plugin-descriptor.properties`]: {
        text: `name=opensearch-security\nopensearch.version=${engineOf(version)}\n`,
      },
    },
    conffiles: {
      [n.jvm_options]: {
        text: isAtLeast(version, '4.9') ? jvmOptions(version) : withAnalyzer(jvmOptions(version)),
        ...own,
      },
      [n.config]: { text: CONFIG, ...own },
      ...Object.fromEntries(
        SECURITY_FILES.map((f) => [`${n.security_dir}/${f}.yml`, { text: securityFile(f), ...own }]),
      ),
    },
    replaced: { [environmentFile(names)]: { text: environment(version) } },
    scripts: `case "$1" in
  configure)
    mkdir -p ${n.data_dir} ${n.config_dir}/jvm.options.d
    chown -R ${n.user}:${n.user} ${n.config_dir} ${n.data_dir} ${n.home}
    chmod 750 ${n.config_dir} ${n.data_dir}
${isAtLeast(version, '4.9') ? analyzerScript(n.jvm_options) : ''}${mergesNewKeys(version) ? mergeScript(n.home) : ''}    ;;
esac
`,
    configure(host, atMs) {
      if (mergesNewKeys(version)) mergeNewKeys(host, n.config, atMs);
      if (isAtLeast(version, '4.9')) addAnalyzer(host, n.jvm_options, atMs);
      const dirs: Record<string, string> = {
        [n.config_dir]: '0750',
        [n.data_dir]: '0750',
        [`${n.config_dir}/jvm.options.d`]: '0750',
      };
      for (const [path, mode] of Object.entries(dirs))
        putFile(host, path, directory(n.user, mode), entryAt(host, path)?.changedAtMs ?? atMs);
    },
  };
}

const ANALYZER = [
  '## OpenSearch Performance Analyzer',
  '-Dclk.tck=100',
  '-Djdk.attach.allowAttachSelf=true',
  '-Djava.security.policy=file:///etc/platform-indexer/opensearch-performance-analyzer/opensearch_security.policy',
  '--add-opens=jdk.attach/sun.tools.attach=ALL-UNNAMED',
];

/** Options of the Performance Analyzer below their marker, which the package's file has up to 4.8. From 4.9 on its script appends them. */
export const withAnalyzer = (options: string): string => `${options}\n${ANALYZER.join('\n')}\n`;

const analyzerScript = (path: string): string =>
  `    if ! grep -q '${ANALYZER[0] ?? ''}' ${path}; then\n      printf '%s\\n' '' ${ANALYZER.map((line) => `'${line}'`).join(' ')} >>${path}\n    fi\n`;

/** What that script does: the marker decides, not the options below it. */
function addAnalyzer(host: HostState, path: string, atMs: number): void {
  const [entry, text] = [entryAt(host, path), textAt(host, path)];
  if (entry === undefined || text === undefined || text.includes(ANALYZER[0] ?? '')) return;
  putFile(host, path, { ...entry, text: withAnalyzer(text) }, atMs);
}

/** What its unit reads besides: the one file that an RPM replaces. */
export const environmentFile = (names: PlatformNames): string => `/etc/default/${names.indexer.service}`;

export const environment = (version: string): string =>
  `# Limits of the service\nMAX_OPEN_FILES=65536\n${isAtLeast(version, '4.14') ? '# Options of the virtual machine belong into jvm.options.\n' : ''}`;

const directory = (user: string, mode: string): NewFile => ({ type: 'directory', owner: user, group: user, mode });

/** The default options of a release: version prefixes, commented sizes, and from 4.14 on what is new. */
export function jvmOptions(version: string): string {
  const newer = isAtLeast(version, '4.14');
  return `## JVM configuration

################################################################
## IMPORTANT: JVM heap size
################################################################
##
## You should always set the min and max JVM heap
## size to the same value. For example, to set
## the heap to 4 GB, set:
##
## -Xms4g
## -Xmx4g
##
################################################################

# Xms represents the initial size of total heap space
# Xmx represents the maximum size of total heap space

-Xms1g
-Xmx1g

################################################################
## Expert settings
################################################################

## GC configuration
8-10:-XX:+UseConcMarkSweepGC
8-10:-XX:CMSInitiatingOccupancyFraction=75
8-10:-XX:+UseCMSInitiatingOccupancyOnly

## G1GC Configuration
11-:-XX:+UseG1GC
11-:-XX:G1ReservePercent=25
11-:-XX:InitiatingHeapOccupancyPercent=${newer ? '45' : '30'}

## JVM temporary directory
-Djava.io.tmpdir=\${OPENSEARCH_TMPDIR}

## heap dumps
-XX:+HeapDumpOnOutOfMemoryError
-XX:HeapDumpPath=data

# JDK 8 GC logging
8:-XX:+PrintGCDetails
9-:-Xlog:gc*,gc+age=trace,safepoint:file=logs/gc.log:utctime,pid,tags:filecount=32,filesize=64m

18-:-Djava.security.manager=allow
${newer ? '\n## Vector operations of newer engines\n20-:--add-modules=jdk.incubator.vector\n' : ''}`;
}

const CONFIG = `network.host: "0.0.0.0"
node.name: "node-1"
cluster.name: "platform-cluster"
path.data: /var/lib/platform-indexer
path.logs: /var/log/platform-indexer
compatibility.override_main_response_version: true
`;

/** The default text of one file of the security configuration. */
export const securityFile = (name: string): string =>
  `---\n_meta:\n  type: "${name.replaceAll('_', '')}"\n  config_version: 2\n`;
