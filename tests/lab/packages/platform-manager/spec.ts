import type { DebFile, DebSpec } from '../../build-deb.js';
import { template } from '../../templates.js';
import { controlled, program, serviceScripts } from '../common/parts.js';

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
export const hasIocLists = (release: string): boolean => !release.startsWith('4.12.');

/** The configuration that a release comes with, as `packages_files/platform.conf` of its package has it. */
export function defaultConf(release: string): Promise<string> {
  const more = hasIocLists(release) ? iocLists.map((list) => `    <list>${list}</list>\n`).join('') : '';
  return template('platform-manager/platform.conf', { IOC_LISTS: more });
}

/** The manager stand-in of a release such as `4.12.0`, with the agent's package that it upgrades agents with. */
export async function managerSpec(release: string, agentDeb: string): Promise<DebSpec> {
  const programs = await Promise.all(
    Object.entries(daemons).map(([name, source]) => program(name, `platform-manager/${source}`)),
  );
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
    { path: '/var/platform/bin/platform-keystore', mode: 0o750, text: await template('platform-manager/keystore.sh') },
    { path: '/var/platform/packages_files/platform.conf', mode: 0o640, text: await defaultConf(release) },
    { path: `/var/platform/var/upgrade/platform-agent_${release}-1_all.deb`, mode: 0o640, copyOf: agentDeb },
    ...[...lists, ...(hasIocLists(release) ? iocLists : [])].map((path) => ({
      path: `/var/platform/${path}`,
      mode: 0o660,
      text: `# ${path}\n`,
    })),
  ];
  const append = release.startsWith('4.14.') ? await template('platform-manager/append-indexer.sh') : '';
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
