import type { DebSpec } from '../../build/build-deb.js';
import { template } from '../../build/templates.js';
import { controlled, program, serviceScripts } from '../common/parts.js';

/** The agent stand-in of a release such as `4.12.0`: keepalives to its manager, and upgrades that the manager orders. */
export async function agentSpec(release: string): Promise<DebSpec> {
  const name = 'platform-agent';
  return {
    name,
    version: `${release}-1`,
    architecture: 'all',
    description: 'Agent of the lab, a stand-in of real processes',
    depends: ['passwd'],
    conflicts: ['platform-manager'],
    conffiles: [],
    directories: ['logs', 'queue', 'queue/rids', 'etc', 'tmp', 'var/run', 'var/upgrade'].map((path) => ({
      path: `/var/platform/${path}`,
      mode: 0o770,
    })),
    files: [
      ...(await program('platform-agentd', 'platform-agent/agentd.ts')),
      ...(await controlled({ name, type: 'agent', release, daemons: ['platform-agentd'], optional: [] })),
      {
        path: '/var/platform/bin/agent-upgrade-helper',
        mode: 0o750,
        text: await template('platform-agent/upgrade-helper.sh'),
      },
      {
        path: '/var/platform/packages_files/platform.conf',
        mode: 0o640,
        text: await template('platform-agent/platform.conf'),
      },
    ],
    scripts: {
      ...(await serviceScripts(name, '/var/platform/tmp', await template('platform-agent/postinst'))),
      postrm: await template('platform-agent/postrm'),
    },
  };
}
