import {
  certificate as certificateFact,
  type CertificateFile,
  type CertificateState,
} from '../../facts/certificate.js';
import { content, type FileContent } from '../../facts/file.js';
import { isNamed, isSignedBy, plainSubject } from '../../lib/certificates.js';
import { blocked, type Verdict } from '../../terms/change.js';
import { need, type Needs } from '../../terms/fact.js';
import type { More } from '../../terms/module.js';
import { notSigned, type Authority } from './check.js';
import { pathOf, valuesIn, type ConfigValues } from './config-paths.js';
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

/** Why a service cannot connect to a server, and what to do. */
interface Wrong {
  readonly reason: string;
  readonly hint: string;
}

/**
 * Whether the service can connect to the servers. Of several addresses one is enough, and the others are warned of; an address of which
 * it is not known where it leads (a proxy, another name) may be that one. Without addresses it connects to all of them.
 */
export function checkServers(
  args: Args,
  client: Client,
  known: readonly Server[],
  found: More,
): { readonly wrong?: Verdict; readonly warnings: readonly string[] } {
  const { servers } = args;
  const values = valuesIn(client.config, args.format);
  if (servers === undefined || typeof values !== 'function') return { warnings: [] };
  const { addresses = '', verification = '' } = servers;
  const mode = verification === '' ? 'certificate' : (values(verification)[0] ?? 'full');
  if (mode === 'none') return { warnings: [] };
  const wrongOf = (server: Server, name?: string): Wrong | undefined => {
    const chain = (found[`certificate of ${server.host}`] as unknown as CertificateFile) ?? [];
    return (
      wrongSigner(server, chain, client) ??
      (mode === 'certificate' ? undefined : wrongName(server, chain, name)) ??
      wrongSubject(server, chain, args, values)
    );
  };
  const reasons =
    addresses === ''
      ? known.filter(({ host }) => host !== client.host).map((server) => wrongOf(server))
      : namesIn(values(addresses)).map((name) => {
          const server = known.find((each) => leadsTo(name, each, client));
          return server === undefined ? undefined : wrongOf(server, name);
        });
  const wrong = reasons.filter((each) => each !== undefined);
  const [first] = wrong;
  return first === undefined || (addresses !== '' && reasons.includes(undefined))
    ? { warnings: wrong.map(({ reason }) => reason) }
    : { wrong: blocked(first.reason, first.hint), warnings: [] };
}

/** The host names and IP addresses in these addresses; empty for one that is connected to without TLS. */
const namesIn = (addresses: readonly string[]): readonly string[] =>
  addresses.map((address) => {
    const [, scheme, name = ''] =
      /^(?:(\w+):\/\/)?(?:[^@/]*@)?\[?([^[\]/?#]*?)\]?(?::\d+)?(?:[/?#].*)?$/.exec(address) ?? [];
    return scheme === 'http' ? '' : name;
  });

const leadsTo = (name: string, { host, names }: Server, client: Client): boolean =>
  names.includes(name) || (host === client.host && ['localhost', '127.0.0.1', '::1'].includes(name));

type Chain = readonly CertificateState[];

const called = ({ host, path }: Server, chain: Chain): string => `${path} on ${host} (${chain[0]?.subject ?? ''})`;

function wrongSigner(server: Server, chain: Chain, { authorities }: Client): Wrong | undefined {
  const trusted = authorities.flatMap(({ certificate }) => (certificate ?? []).map(({ der }) => der));
  const ders = chain.map(({ der }) => der);
  const isTrusted = ders.slice(0, 1).some((der) => trusted.includes(der)) || isSignedBy(ders, trusted);
  return chain.length === 0 || trusted.length === 0 || isTrusted
    ? undefined
    : notSigned(called(server, chain), authorities);
}

function wrongName(server: Server, chain: Chain, name = ''): Wrong | undefined {
  const [own] = chain;
  return own === undefined || isNamed(own.der, name)
    ? undefined
    : {
        reason: `${called(server, chain)} is not for ${name}, the address that is connected to`,
        hint: 'have a certificate made with this name, or connect to a name that it has',
      };
}

/** A list with a pattern is not judged. */
function wrongSubject(
  server: Server,
  chain: Chain,
  { in: file = '', servers }: Args,
  values: ConfigValues,
): Wrong | undefined {
  const { subjects: key = '', subjects_unless: unless = [] } = servers ?? {};
  const listed = values(key);
  const own = chain[0] === undefined ? undefined : plainSubject(chain[0].der);
  const isDecided = !unless.some((other) => values(other).some((value) => value !== 'false'));
  if (own === undefined || listed.length === 0 || !isDecided) return undefined;
  const isPattern = (text: string): boolean => /[*?]|^\/.*\/$/.test(text);
  const bare = (text: string): string => text.replaceAll(' ', '').toLowerCase();
  return listed.some((each) => isPattern(each) || bare(each) === bare(own))
    ? undefined
    : {
        reason: `${key} in ${file} does not list the subject of ${called(server, chain)}`,
        hint: `add it there as ${own}`,
      };
}
