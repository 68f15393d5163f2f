import { agentConf, dashboardYml } from './build/build-standins.js';
import { disableRepository, installPackages, placeCertificate } from './install.js';
import { onHost, secret } from './ssh.js';
import { firstOf, hostsOf, type LabHost } from './topology.js';

/** Where the dashboard has its own sign-in at the management API. */
const API_CONFIG = '/usr/share/platform-dashboard/data/platform/config/platform.yml';

/** Installs, configures and starts the dashboard. */
export async function provisionDashboard(version: string): Promise<void> {
  for (const host of hostsOf(['dashboard'])) {
    const urls = hostsOf(['indexer']).map((each) => `https://${each.address}:9200`);
    const config = await dashboardYml(version, urls);
    const owner = 'platform-dashboard';
    const api = {
      url: `https://${firstOf('master').address}`,
      port: 55000,
      username: 'ops',
      password: await secret('api'),
      run_as: false,
    };
    await installPackages(host, [`platform-dashboard=${version}-1`]);
    await placeCertificate(host, { from: host.name, dir: '/etc/platform-dashboard/certs', as: 'dashboard', owner });
    await onHost(
      host,
      `cat >/etc/platform-dashboard/dashboard.yml <<'CONFIG'
${config}CONFIG
install -d -o ${owner} -g ${owner} -m 0750 ${API_CONFIG.slice(0, API_CONFIG.lastIndexOf('/'))}
install -o ${owner} -g ${owner} -m 0600 /dev/null ${API_CONFIG}
cat >${API_CONFIG} <<'CONFIG'
hosts:
  - default: ${JSON.stringify(api)}
CONFIG
systemctl daemon-reload
systemctl -q enable platform-dashboard
systemctl start platform-dashboard
`,
    );
    await disableRepository(host);
  }
}

/** Installs and starts the agents, the first with the master for its manager, the second with the worker; an RPM one is kept by a version lock. */
export async function provisionAgents(version: string): Promise<void> {
  const managers = hostsOf(['server']);
  await Promise.all(
    hostsOf(['agent']).map((host, index) => provisionAgent(host, version, managers[index % managers.length])),
  );
}

async function provisionAgent(host: LabHost, version: string, manager = firstOf('master')): Promise<void> {
  await installPackages(host, [`platform-agent=${version}-1`]);
  await onHost(
    host,
    `cat >/var/platform/etc/platform.conf <<'CONFIG'
${await agentConf({ manager: manager.address })}CONFIG
systemctl daemon-reload
systemctl -q enable platform-agent
systemctl start platform-agent
${host.family === 'rpm' ? 'dnf -q versionlock add platform-agent' : ''}
`,
  );
  await disableRepository(host);
}
