import type { Project } from '../../engine/language/project.js';
import type { Host, Inventory } from '../../engine/terms/inventory.js';

/** Hosts by name, each with its roles: `{ 'one': 'indexer server master' }`. */
export type Shape = Readonly<Record<string, string>>;

export const SERVERS = { 'server-1': 'server master', 'server-2': 'server worker' };
export const THREE = { 'indexer-1': 'indexer', 'indexer-2': 'indexer', 'indexer-3': 'indexer' };
export const DASHBOARD = { 'dashboard-1': 'dashboard' };

/** Platforms of other shapes than the demo's. */
export const SHAPES: Readonly<Record<string, Shape>> = {
  'a single indexer': { 'indexer-1': 'indexer', ...SERVERS, ...DASHBOARD },
  'everything on one host': { one: 'indexer server master dashboard' },
  'indexer and dashboard on one host': { ...THREE, 'indexer-1': 'indexer dashboard', ...SERVERS },
  'three dashboards': { ...THREE, ...SERVERS, ...DASHBOARD, 'dashboard-2': 'dashboard', 'dashboard-3': 'dashboard' },
  'no worker': { ...THREE, 'server-1': 'server master', ...DASHBOARD },
  'no dashboard': { ...THREE, ...SERVERS },
  'two indexers': { 'indexer-1': 'indexer', 'indexer-2': 'indexer', ...SERVERS, ...DASHBOARD },
};

const URLS = { indexer: ['indexer', ':9200'], api: ['master', ':55000'], dashboard: ['dashboard', ''] } as const;

/** The project upon an inventory of another shape: its hosts, and the endpoints where the roles put them. */
export const shaped =
  (shape: Shape) =>
  (project: Project): Project => {
    const { inventory } = project;
    const hosts = Object.entries(shape).map(([name, roles], i): Host => ({
      name,
      address: `10.0.1.${i + 11}`,
      roles: roles.split(' '),
      groups: [],
      vars: inventory.hosts[0]?.vars ?? {},
      machine: 'model',
      ssh: {},
    }));
    const endpoints = Object.entries(URLS).map(([name, [role, port]]) => {
      const served = hosts.filter((h) => h.roles.includes(role));
      const urls = served.map((h) => ({ url: `https://${h.address}${port}`, host: h.name }));
      return [name, { ...inventory.endpoints[name], urls }] as const;
    });
    return {
      ...project,
      inventory: { ...inventory, hosts, endpoints: Object.fromEntries(endpoints) as Inventory['endpoints'] },
    };
  };
