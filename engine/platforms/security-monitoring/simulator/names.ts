/** Everything the model calls by a name of the platform's; a branded distribution gives its own. */
export const defaultNames = {
  indexer: {
    package: 'platform-indexer',
    service: 'platform-indexer',
    user: 'platform-indexer',
    home: '/usr/share/platform-indexer',
    config_dir: '/etc/platform-indexer',
    config: '/etc/platform-indexer/opensearch.yml',
    jvm_options: '/etc/platform-indexer/jvm.options',
    security_dir: '/etc/platform-indexer/security',
    security_init: '/usr/share/platform-indexer/bin/indexer-security-init.sh',
    node_tool: '/usr/share/platform-indexer/bin/opensearch-node',
    plugin_tool: '/usr/share/platform-indexer/bin/opensearch-plugin',
    plugin_dir: '/usr/share/platform-indexer/plugins',
    data_dir: '/var/lib/platform-indexer',
    log: '/var/log/platform-indexer/platform-indexer.log',
  },
  manager: {
    package: 'platform-manager',
    service: 'platform-manager',
    user: 'platform',
    install_dir: '/var/platform',
    config: '/var/platform/etc/platform.conf',
    root: 'platform_config',
    log: '/var/platform/logs/platform.log',
    control: '/var/platform/bin/platform-control',
    keystore: '/var/platform/bin/platform-keystore',
    agent_upgrade: '/var/platform/bin/agent_upgrade',
    analysisd: '/var/platform/bin/platform-analysisd',
    alerts: '/var/platform/logs/alerts/alerts.json',
    client_keys: '/var/platform/etc/client.keys',
    test_events: '/var/platform/queue/test-events',
  },
  shipper: {
    package: 'filebeat',
    service: 'filebeat',
    version: '7.10.2',
    binary: '/usr/bin/filebeat',
    config: '/etc/filebeat/filebeat.yml',
    module_dir: '/usr/share/filebeat/module',
    module: 'platform',
    /** Below the download address, the module's version left out. */
    module_url: '/4.x/filebeat/platform-filebeat-{{version}}.tar.gz',
    template_url: '/tags/v{{platform.target}}/platform-template.json',
    template: '/etc/filebeat/platform-template.json',
    template_name: 'platform',
    index_prefix: 'platform-alerts-4.x-',
    pipeline: 'filebeat-7.10.2-platform-alerts-pipeline',
  },
  dashboard: {
    package: 'platform-dashboard',
    service: 'platform-dashboard',
    user: 'platform-dashboard',
    config: '/etc/platform-dashboard/dashboard.yml',
    plugin_tool: '/usr/share/platform-dashboard/bin/opensearch-dashboards-plugin',
    plugin_dir: '/usr/share/platform-dashboard/plugins',
  },
  agent: {
    package: 'platform-agent',
    service: 'platform-agent',
    install_dir: '/var/platform',
    config: '/var/platform/etc/platform.conf',
    control: '/var/platform/bin/platform-control',
    user: 'platform',
    client_keys: '/var/platform/etc/client.keys',
    counters: '/var/platform/queue/rids',
  },
  repository: { deb: '/etc/apt/sources.list.d/platform.list', rpm: '/etc/yum.repos.d/platform.repo' },
};

export type PlatformNames = typeof defaultNames;
type Given = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/**
 * The defaults with what a distribution calls otherwise laid over them. A given text may mention other names as `{{group.key}}`.
 * Names that the model has no use for are passed over.
 */
export function resolveNames(given: Given = {}): PlatformNames {
  const names = structuredClone(defaultNames) as Record<string, Record<string, string>>;
  for (const [group, values] of Object.entries(given)) {
    const own = inOwnWords(group, values);
    const known = names[group];
    for (const [key, value] of Object.entries(own))
      if (known !== undefined && key in known && typeof value === 'string') known[key] = value;
    followInstallDir(names, group, own);
  }
  const look = (path: string): string => {
    const [group = '', key = ''] = path.split('.');
    const other = given[group]?.[key];
    return names[group]?.[key] ?? (typeof other === 'string' ? resolved(other) : '');
  };
  // What hangs on the release is filled in where it is used.
  const resolved = (text: string): string =>
    text.replace(/\{\{\s*([\w.]+)\s*\}\}/g, (all, path: string) =>
      path === 'platform.target' || path === 'version' ? all : resolved(look(path)),
    );
  for (const values of Object.values(names)) {
    for (const [key, value] of Object.entries(values)) {
      values[key] = resolved(value);
    }
  }
  return names as PlatformNames;
}

/** What the platform's own names are called here. */
function inOwnWords(group: string, values: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { root_element: root, config_check: analysisd, index_pattern: pattern } = values;
  if (group === 'manager')
    return { ...values, ...(root === undefined ? {} : { root }), ...(analysisd === undefined ? {} : { analysisd }) };
  if (group === 'shipper' && typeof pattern === 'string')
    return { ...values, index_prefix: pattern.replace(/\*$/, '') };
  return values;
}

/** Paths below a directory that was given another name move with it, unless they were named themselves. */
function followInstallDir(
  names: Record<string, Record<string, string>>,
  group: string,
  values: Readonly<Record<string, unknown>>,
): void {
  const defaults = (defaultNames as Record<string, Record<string, string>>)[group];
  for (const dir of ['install_dir', 'config_dir', 'home']) {
    const [before, after] = [defaults?.[dir], values[dir]];
    if (before === undefined || typeof after !== 'string') continue;
    for (const [key, value] of Object.entries(names[group] ?? {})) {
      if (!(key in values) && value.startsWith(`${before}/`))
        (names[group] ?? {})[key] = after + value.slice(before.length);
    }
  }
}
