/** What an inventory of hosts that lack the platform begins with: its endpoints are closed, and its one secret is the variable `env`. */
export function withoutPlatform(ssh: string, env: string, vars = ''): string {
  const closed = 'https://127.0.0.1:1';
  return `platform: { target: 4.14.7, package_url: "https://packages.example.com" }
endpoints:
  api: { url: "${closed}", user: ops, password: "{{secret.any}}", auth: token }
  indexer: { url: "${closed}", user: admin, password: "{{secret.any}}" }
  dashboard: { url: "${closed}", user: admin, password: "{{secret.any}}" }
secrets: { any: { env: ${env} } }
ssh: { ${ssh} }
vars: { snapshot: none${vars} }
hosts:
`;
}
