import { certificate as certificateFact, type CertificateFile } from '../../facts/certificate.js';
import { content, type FileContent } from '../../facts/file.js';
import { isSignedBy } from '../../lib/certificates.js';
import { blocked, type Verdict } from '../../terms/change.js';
import { need, type Needs } from '../../terms/fact.js';
import type { More } from '../../terms/module.js';
import { SAME_SET, type Authority } from './check.js';
import { pathOf, valuesIn } from './config-paths.js';
import type { Args } from './schema.js';

/** A host that the service may connect to, and where it has its certificate. */
export interface Server {
  readonly host: string;
  readonly path: string;
  /** What leads to it for certain: its name in the inventory, and what its own configuration says. */
  readonly names: readonly string[];
}

type Servers = NonNullable<Args['servers']>;

/** The configurations of the servers; none where the service connects to none. */
export const configNeeds = ({ servers }: Args): Needs =>
  servers === undefined || servers.certificate === ''
    ? {}
    : Object.fromEntries(servers.hosts.map((host) => [`config of ${host}`, need({ host }, content, servers.in)]));

/** The servers whose certificates are known by path: what is wrong with the configuration of another one is found on its own host. */
export function serversIn(servers: Servers, found: More): readonly Server[] {
  return servers.hosts.flatMap((host) => {
    const config = (found[`config of ${host}`] ?? null) as unknown as FileContent;
    const values = config === null ? undefined : valuesIn(config.text, 'yaml');
    if (typeof values !== 'function') return [];
    const named = values(servers.certificate).map((value) => pathOf(value, { relative_to: servers.relative_to }));
    return named
      .filter(({ wrong }) => wrong === undefined)
      .map(({ path }) => ({ host, path, names: [host, ...(servers.named_by ?? []).flatMap((key) => values(key))] }));
  });
}

export const certificateNeeds = (servers: readonly Server[]): Needs =>
  Object.fromEntries(
    servers.map(({ host, path }) => [`certificate of ${host}`, need({ host }, certificateFact, path)]),
  );

/** A service, as its configuration has it. */
export interface Client {
  readonly host: string;
  readonly config: string;
  readonly authorities: readonly Authority[];
}

/**
 * Whether the service can connect to the servers with what it trusts: with several addresses one is enough, and the others are warned
 * of. An address of which it is not known where it leads (a proxy, another name) may be that one.
 */
export function checkServers(
  { servers, format }: Args,
  client: Client,
  known: readonly Server[],
  found: More,
): { readonly wrong?: Verdict; readonly warnings: readonly string[] } {
  const values = valuesIn(client.config, format);
  if (servers === undefined || typeof values !== 'function') return { warnings: [] };
  if (servers.verification !== undefined && values(servers.verification).includes('none')) return { warnings: [] };
  const reasons = addressesIn(values(servers.addresses)).map((address) =>
    known
      .filter((server) => leadsTo(address, server, client))
      .map((server) => wrongServer(server, client, found))
      .find((reason) => reason !== undefined),
  );
  const warnings = [...new Set(reasons.filter((reason) => reason !== undefined))];
  const [first] = warnings;
  return first === undefined || reasons.includes(undefined)
    ? { warnings }
    : { wrong: blocked(first, SAME_SET), warnings };
}

/** The names or numbers in its addresses, without those that it does not connect to by TLS. */
const addressesIn = (addresses: readonly string[]): readonly string[] =>
  addresses.flatMap((address) => {
    const [, scheme, name] =
      /^(?:(\w+):\/\/)?(?:[^@/]*@)?\[?([^[\]/?#]*?)\]?(?::\d+)?(?:[/?#].*)?$/.exec(address) ?? [];
    return name === undefined || scheme === 'http' ? [] : [name];
  });

const leadsTo = (name: string, { host, names }: Server, client: Client): boolean =>
  names.includes(name) || (host === client.host && ['localhost', '127.0.0.1', '::1'].includes(name));

function wrongServer({ host, path }: Server, { authorities }: Client, found: More): string | undefined {
  const chain = (found[`certificate of ${host}`] as unknown as CertificateFile) ?? [];
  const trusted = authorities.flatMap(({ certificate }) => (certificate ?? []).map(({ der }) => der));
  const [own] = chain;
  if (own === undefined || trusted.length === 0 || trusted.includes(own.der)) return undefined;
  return isSignedBy(
    chain.map(({ der }) => der),
    trusted,
  )
    ? undefined
    : `${path} on ${host} (${own.subject}) is not signed by ${authorities.map((each) => each.path).join(', ')}`;
}
