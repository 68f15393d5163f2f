import { elementsAt, readLoose, type Element } from '../common/loose-xml.js';

/** What the manager reads out of its configuration. */
export interface ManagerConfig {
  lists: string[];
  indexerHosts: string[];
  indexerEnabled: boolean;
  indexerCa: string | undefined;
  indexerCertificate: string | undefined;
  indexerKey: string | undefined;
  nodeName: string;
  nodeType: 'master' | 'worker';
  clusterKey: string;
  masters: string[];
  clusterEnabled: boolean;
}

export interface Checked {
  config: ManagerConfig;
  errors: string[];
}

/**
 * Reads the configuration as the daemons do, the last of several elements winning: a second `ruleset` drops the lists of
 * the first. `exists` answers for a path relative to the installation directory.
 */
export function checkConfig(text: string, exists: (relative: string) => boolean): Checked {
  const { roots, problems } = readLoose(text);
  const errors = problems.map(
    ({ line, message }) => `(1226): Error reading XML file 'etc/platform.conf': ${message} (line ${String(line)}).`,
  );
  for (const root of roots) {
    if (root.name !== 'platform_config') errors.push(`(1230): Invalid element in the configuration: '${root.name}'.`);
  }
  const ruleset = elementsAt(roots, 'ruleset').at(-1);
  const lists = texts(ruleset, 'list');
  for (const list of lists) if (!exists(list)) errors.push(`(1103): Could not open file '${list}' of the ruleset.`);
  const indexer = elementsAt(roots, 'indexer').at(-1);
  const ssl = lastIn(indexer, 'ssl');
  const indexerHosts = texts(lastIn(indexer, 'hosts'), 'host');
  for (const host of indexerHosts)
    if (!URL.canParse(host)) errors.push(`(1235): Invalid value for element 'host': ${host}.`);
  const cluster = elementsAt(roots, 'cluster').at(-1);
  const nodeType = one(cluster, 'node_type') ?? 'master';
  if (nodeType !== 'master' && nodeType !== 'worker')
    errors.push(`(1235): Invalid value for element 'node_type': ${nodeType}.`);
  return {
    errors,
    config: {
      lists,
      indexerHosts,
      indexerEnabled: indexer !== undefined && one(indexer, 'enabled') !== 'no',
      indexerCa: one(lastIn(ssl, 'certificate_authorities'), 'ca'),
      indexerCertificate: one(ssl, 'certificate'),
      indexerKey: one(ssl, 'key'),
      nodeName: one(cluster, 'node_name') ?? 'node01',
      nodeType: nodeType === 'worker' ? 'worker' : 'master',
      clusterKey: one(cluster, 'key') ?? '',
      masters: elementsAt(roots, 'cluster/nodes/node').map(({ text: address }) => address.trim()),
      clusterEnabled: one(cluster, 'disabled') === 'no',
    },
  };
}

function texts(element: Element | undefined, name: string): string[] {
  return (element?.children ?? []).filter((child) => child.name === name).map((child) => child.text.trim());
}

/** Of several elements of a name the last counts, as a whole. */
function lastIn(element: Element | undefined, name: string): Element | undefined {
  return element?.children.filter((child) => child.name === name).at(-1);
}

function one(element: Element | undefined, name: string): string | undefined {
  return texts(element, name).at(-1);
}
