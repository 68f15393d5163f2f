import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { certificate } from './example-certificate.js';
import { addressOf, bootExample, type ExampleHosts } from './example-hosts.js';

/** The servers `web-1` to `web-3` and the load balancer, by the last part of the address. */
export const servers = [11, 12, 13];
export const balancer = 10;
/** Of the statistics page. */
export const password = 'Statistics.7a.of.the.lab';

/** `slow` takes 6 s: longer than the 5 s that Debian's nginx.service gives its requests when it stops. */
const site = `server {
  listen 80;
  root /var/www/html;
  add_header X-Served-By $hostname;
  location /slow { limit_rate 10k; }
}
`;
const files = {
  'etc/nginx/sites-available/default': site,
  'var/www/html/healthz': 'ok\n',
  'var/www/html/index.html': 'hello\n',
  'var/www/html/slow': 'x'.repeat(60_000),
};

/** Three web servers, and HAProxy with the configuration of the example. */
export async function bootWeb(version: string): Promise<ExampleHosts> {
  const pem = certificate([addressOf(balancer)]);
  const example = readFileSync(join(import.meta.dirname, '../../../docs/examples/nginx/haproxy.cfg'), 'utf8');
  const config = example.replaceAll('10.0.1.', '10.231.78.').replace('PASSWORD', password);
  const hosts = await bootExample('nginx', [
    ...servers.map((number) => ({ name: `web-${number - 10}`, number, files, units: ['nginx'] })),
    {
      name: 'lb-1',
      number: balancer,
      files: { 'etc/haproxy/haproxy.cfg': config, 'etc/haproxy/statistics.pem': pem },
      units: ['haproxy'],
    },
  ]);
  writeFileSync(join(hosts.folder, 'ca.pem'), pem);
  writeFileSync(join(hosts.folder, 'password'), password, { mode: 0o600 });
  writeFileSync(
    join(hosts.folder, 'inventory.yaml'),
    `endpoints:
  haproxy: { url: "https://${addressOf(balancer)}:8404", user: runbook, password: "{{secret.haproxy}}", ca: ca.pem }
secrets: { haproxy: { file: password } }
ssh: { user: ops, key: key, known_hosts: known_hosts, become: sudo }
vars: { package_version: ${version} }
hosts: { "web-[1:3]": { address: "10.231.78.1{{n}}", roles: [web] } }
`,
  );
  return hosts;
}
