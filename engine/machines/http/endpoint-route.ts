import type { Endpoint, Inventory } from '../../terms/inventory.js';
import type { Target } from './dial.js';

export interface Address {
  /** The inventory host that serves it. */
  readonly host?: string | undefined;
  readonly url: string;
  readonly target: Target;
  /** What every path of it begins with; often nothing. */
  readonly base: string;
}

/** Addresses to try in order, and inventory hosts that were left out because they are being worked on. */
export interface Route {
  readonly addresses: readonly Address[];
  readonly skipped: readonly string[];
}

/**
 * Where to ask. A node that is named is asked alone, at the endpoint's address for it or, where none is written, at its own with
 * the first one's port. Otherwise every address in order, without hosts in hand; only when all are in hand are they asked.
 */
export function routeTo(
  endpoint: Endpoint,
  node: string | undefined,
  inventory: Inventory,
  inHand: readonly string[],
): Route {
  if (node !== undefined) return { addresses: toNode(endpoint, node, inventory, inHand), skipped: [] };
  const free = endpoint.urls.filter(({ host }) => host === undefined || !inHand.includes(host));
  const chosen = free.length > 0 ? free : endpoint.urls;
  const skipped = endpoint.urls
    .filter((one) => !chosen.includes(one))
    .flatMap(({ host }) => (host === undefined ? [] : [host]));
  return { addresses: chosen.map((one) => addressOf(endpoint, one.url, one.host, inventory, inHand)), skipped };
}

function toNode(endpoint: Endpoint, node: string, inventory: Inventory, inHand: readonly string[]): readonly Address[] {
  const written = endpoint.urls.filter(({ host }) => host === node);
  if (written.length > 0) return written.map(({ url }) => addressOf(endpoint, url, node, inventory, inHand));
  const host = inventory.hosts.find(({ name }) => name === node);
  const [first] = endpoint.urls;
  if (host === undefined || first === undefined) return [];
  const url = new URL(first.url);
  url.hostname = host.address.includes(':') ? `[${host.address}]` : host.address;
  return [addressOf(endpoint, url.href, node, inventory, inHand)];
}

function addressOf(
  endpoint: Endpoint,
  written: string,
  host: string | undefined,
  inventory: Inventory,
  inHand: readonly string[],
): Address {
  const url = new URL(written);
  const tls = url.protocol === 'https:';
  const through = throughOf(endpoint, host, inventory, inHand);
  return {
    host,
    url: url.origin,
    base: url.pathname.replace(/\/+$/, ''),
    target: {
      host: url.hostname.replace(/^\[|\]$/g, ''),
      port: url.port === '' ? (tls ? 443 : 80) : Number(url.port),
      tls,
      ...(through === undefined ? {} : { through }),
      trust: {
        setting: `endpoints.${endpoint.name}`,
        verify: endpoint.verify,
        ...(endpoint.ca === undefined ? {} : { ca: endpoint.ca }),
        ...(endpoint.servername === undefined ? {} : { servername: endpoint.servername }),
        ...(endpoint.fingerprint === undefined ? {} : { fingerprint: endpoint.fingerprint }),
      },
    },
  };
}

/** The address's own host first, for it sees its own service surely; then the others of the role, never the one being worked on. */
function throughOf(
  { via }: Endpoint,
  own: string | undefined,
  inventory: Inventory,
  inHand: readonly string[],
): readonly string[] | undefined {
  if (via === undefined) return undefined;
  if ('host' in via) return [via.host];
  const names = inventory.hosts.filter((host) => host.roles.includes(via.role)).map(({ name }) => name);
  const free = names.filter((name) => name === own || !inHand.includes(name));
  return (free.length > 0 ? free : names).toSorted((a, b) => Number(b === own) - Number(a === own));
}
