import { extname } from 'node:path';
import type { DebFile, DebSpec } from '../../build/build-deb.js';
import { isFrom } from '../../build/releases.js';
import { template } from '../../build/templates.js';
import { controlled, program, serviceScripts } from '../common/parts.js';
import { packageOf } from './agent-package.js';

const daemons = {
  'platform-clusterd': 'clusterd.ts',
  'platform-modulesd': 'modulesd.ts',
  'platform-analysisd': 'analysisd.ts',
  'platform-remoted': 'remoted.ts',
  'platform-apid': 'api.ts',
};
/** Never on here, and counted by `platform-control status` all the same. */
const optional = ['platform-maild', 'platform-agentlessd', 'platform-integratord', 'platform-dbd', 'platform-csyslogd'];

const iocLists = ['etc/lists/malicious-ioc-md5', 'etc/lists/malicious-ioc-sha1', 'etc/lists/malicious-ioc-sha256'];
const lists = ['etc/lists/audit-keys', 'etc/lists/amazon/aws-eventnames', 'etc/lists/security-eventchannel'];

/** From 4.13 on the default ruleset names the lists of malicious files (§2.7, §9.5.3). */
export const hasIocLists = (release: string): boolean => isFrom(release, '4.13');

/** From 4.8 on there is the connector to the indexer, with its keystore; the detector before it is another element (§9.5.4). */
export const hasConnector = (release: string): boolean => isFrom(release, '4.8');

/** The configuration that a release comes with, as `packages_files/platform.conf` of its package has it. */
export async function defaultConf(release: string): Promise<string> {
  const more = hasIocLists(release) ? iocLists.map((list) => `    <list>${list}</list>\n`).join('') : '';
  const connector = hasConnector(release) ? 'connector' : 'old-detector';
  return template('platform-manager/platform.conf', {
    IOC_LISTS: more,
    CONNECTOR: await template(`platform-manager/${connector}.xml`),
  });
}

/** The manager stand-in of a release such as `4.12.0`, with the agent's packages, .deb and .rpm, that it upgrades agents with. */
export async function managerSpec(release: string, agents: readonly string[]): Promise<DebSpec> {
  const programs = await Promise.all(
    Object.entries(daemons).map(([name, source]) => program(name, `platform-manager/${source}`)),
  );
  const keystore = {
    path: '/var/platform/bin/platform-keystore',
    mode: 0o750,
    text: await template('platform-manager/keystore.sh'),
  };
  const files: DebFile[] = [
    ...programs.flat(),
    ...(await program('agent_upgrade', 'platform-manager/agent-upgrade.ts')),
    ...(await controlled({
      name: 'platform-manager',
      type: 'server',
      release,
      daemons: Object.keys(daemons),
      optional,
    })),
    ...(hasConnector(release) ? [keystore] : []),
    { path: '/var/platform/packages_files/platform.conf', mode: 0o640, text: await defaultConf(release) },
    ...agents.map((file) => ({
      path: `/var/platform/${packageOf(release, extname(file).slice(1))}`,
      mode: 0o640,
      copyOf: file,
    })),
    ...[...lists, ...(hasIocLists(release) ? iocLists : [])].map((path) => ({
      path: `/var/platform/${path}`,
      mode: 0o660,
      text: `# ${path}\n`,
    })),
  ];
  const append = isFrom(release, '4.14') ? await template('platform-manager/append-indexer.sh') : '';
  const postinst = await template('platform-manager/postinst', { APPEND_INDEXER: append });
  return {
    name: 'platform-manager',
    version: `${release}-1`,
    architecture: 'all',
    description: 'Manager of the lab, a stand-in of real processes',
    depends: ['openssl', 'passwd'],
    conflicts: ['platform-agent'],
    conffiles: [],
    directories: [
      ...['logs/alerts', 'queue/agents', 'queue/orders', 'api/ssl', 'api/configuration', 'tmp', 'var/run'].map(
        (path) => ({ path: `/var/platform/${path}`, mode: 0o770 }),
      ),
      { path: '/var/platform/queue/keystore', mode: 0o700 },
    ],
    files,
    scripts: {
      ...(await serviceScripts('platform-manager', '/var/platform/tmp', postinst)),
      preinst: await template('platform-manager/preinst'),
      postrm: await template('platform-manager/postrm'),
    },
  };
}
