import type { Project } from '../../engine/language/project.js';
import type { Host, Inventory } from '../../engine/terms/inventory.js';

/** Hosts by name, each with its roles: `{ 'one': 'indexer server master' }`. */
export type Shape = Readonly<Record<string, string>>;

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
