import type { DebSpec } from '../../build/build-deb.js';
import { bundle } from '../../build/bundle.js';
import { isFrom, releasesOf } from '../../build/releases.js';
import { template } from '../../build/templates.js';
import { serviceScripts } from '../common/parts.js';

const name = 'platform-dashboard';

/** The dashboard stand-in of a release such as `4.12.0`. The default of 4.14 differs, so a changed one meets dpkg's question. */
export async function dashboardSpec(release: string): Promise<DebSpec> {
  const config = '/etc/platform-dashboard/dashboard.yml';
  const engine = releasesOf([release])[0]?.engine;
  return {
    name,
    version: `${release}-1`,
    architecture: 'all',
    description: 'Dashboard of the lab, a stand-in',
    depends: ['passwd'],
    conffiles: [config],
    directories: [
      { path: '/var/lib/platform-dashboard', mode: 0o750 },
      { path: '/var/log/platform-dashboard', mode: 0o750 },
    ],
    files: [
      { path: config, mode: 0o640, text: await defaultDashboardConfig(release) },
      { path: `/usr/share/${name}/bin/${name}`, mode: 0o755, text: await template('platform-dashboard/server.sh') },
      {
        path: `/usr/share/${name}/lib/dashboard.mjs`,
        mode: 0o644,
        text: await bundle('platform-dashboard/dashboard.ts'),
      },
      { path: `/usr/share/${name}/VERSION.json`, mode: 0o644, text: `${JSON.stringify({ version: release })}\n` },
      { path: `/usr/share/${name}/package.json`, mode: 0o644, text: `${JSON.stringify({ version: engine })}\n` },
      {
        path: `/usr/share/${name}/plugins/securityDashboards/opensearch_dashboards.json`,
        mode: 0o644,
        text: `${JSON.stringify({ id: 'securityDashboards', opensearchDashboardsVersion: engine })}\n`,
      },
      ...(isFrom(release, '4.14') ? [await mergeProgram(config)] : []),
      {
        path: `/usr/lib/systemd/system/${name}.service`,
        mode: 0o644,
        text: await template('platform-dashboard/platform-dashboard.service'),
      },
    ],
    scripts: await serviceScripts(name, '/var/lib/platform-dashboard', await template('platform-dashboard/postinst')),
  };
}

/** What the package's script calls in the releases that merge new keys into a configuration that was kept. */
const mergeProgram = async (file: string): Promise<DebSpec['files'][number]> => ({
  path: `/usr/share/${name}/bin/merge-new-keys.sh`,
  mode: 0o755,
  text: await template('common/merge-new-keys.sh', { FILE: file }),
});

/** The package's own configuration: what 4.14 adds, and the page that opens first, which has another address from 4.8 on (§9.6.4). */
export function defaultDashboardConfig(release: string): Promise<string> {
  return template('platform-dashboard/dashboard.yml', {
    COOKIE: isFrom(release, '4.14') ? '# Sessions end after an hour.\nopensearch_security.cookie.ttl: 3600000\n' : '',
    ROUTE: isFrom(release, '4.8') ? '/app/platform-home' : '/app/platform',
  });
}
