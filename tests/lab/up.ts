import { mkdir } from 'node:fs/promises';
import { buildBase, installPrerequisites } from './base.js';
import { buildIndexer } from './build/build-indexer.js';
import { buildDownloads, buildStandins } from './build/build-standins.js';
import { cacheRoot } from './build/cache.js';
import { issue, makeAuthority } from './certificates.js';
import { makeDisk } from './disk.js';
import { down } from './down.js';
import { issueHostCertificates } from './host-certificates.js';
import { boot, reachable } from './hosts.js';
import { inventoryFile, target, writeInventory } from './inventory.js';
import { raiseNetwork } from './network.js';
import { agentsActive, dashboardReady, eventsFlow } from './platform-client.js';
import { provisionIndexers, settle } from './provision-indexer.js';
import { provisionAgents, provisionDashboard } from './provision-others.js';
import { provisionServers } from './provision-servers.js';
import { buildRepository, startServer } from './build/repository.js';
import { buildRpmRepository } from './build/repository-rpm.js';
import { say, timed } from './shell.js';
import { makeKeys, secret } from './ssh.js';
import { inRun, readState, saveState, type LabState } from './state.js';
import { gateway, hostsOf, takeShape, type LabHost, type Role, type Shape } from './topology.js';

export interface UpOptions {
  /** The release that the platform is installed in, as `4.12.0`. */
  from: string;
  /** Only the hosts of these roles; empty for all. */
  only: readonly Role[];
  shape: Shape;
}

/** Brings the lab up: hosts booted, the platform installed in release `from` and running, an inventory written. */
export async function up({ from, only, shape }: UpOptions): Promise<void> {
  await installPrerequisites();
  const { base, trees } = await timed('built or found in the cache', () => prepare(from));
  if (await readState()) say('a lab is there already, or what is left of one: taking it down');
  await timed('what was left of an earlier lab removed', down);
  takeShape(shape);
  const state: LabState = { from, shape, startedAt: new Date().toISOString(), hosts: {} };
  const hosts = hostsOf(only);
  await saveState(state);
  await timed('keys and certificates', makeSecrets);
  await timed('hosts booted', () => bootAll(hosts, base, state));
  state.server = await startServer(trees);
  await saveState(state);
  await writeInventory(hosts);
  await provision(from, hosts);
  say(`up: inventory ${inventoryFile()}`);
}

/** Installs the platform on the hosts there are, in the order in which its parts need each other. */
async function provision(from: string, hosts: readonly LabHost[]): Promise<void> {
  const have = (role: Role): boolean => hosts.some((host) => host.roles.includes(role));
  if (have('indexer')) await timed('indexer cluster', () => provisionIndexers(from));
  const parts: Promise<void>[] = [];
  if (have('server')) parts.push(timed('servers', () => provisionServers(from)));
  if (have('dashboard')) parts.push(timed('dashboard', () => provisionDashboard(from)));
  await Promise.all(parts);
  if (have('agent')) await timed('agents', () => provisionAgents(from));
  if (have('dashboard') && have('indexer')) await timed('dashboard ready', () => dashboardReady());
  if (have('agent') && have('master')) await timed('agents active', () => agentsActive());
  if (have('server') && have('indexer')) await timed('events flow', () => eventsFlow());
  if (have('indexer')) await settle();
}

/** What does not depend on a running lab, all of it cached: the base system and the trees of the download server. */
async function prepare(from: string): Promise<{ base: string; trees: string[] }> {
  const [base, indexer, standins, downloads] = await Promise.all([
    buildBase(),
    buildIndexer([from, target]),
    buildStandins(cacheRoot(), [from, target]),
    buildDownloads(),
  ]);
  const debs = await buildRepository([...indexer.debs, ...standins.debs]);
  const rpms = await buildRpmRepository([...indexer.rpms, ...standins.rpms]);
  return { base, trees: [debs, rpms, downloads] };
}

async function makeSecrets(): Promise<void> {
  await Promise.all([
    makeAuthority(),
    makeKeys(),
    secret('indexer'),
    secret('api'),
    secret('opspw'),
    secret('cluster-key'),
  ]);
  await mkdir(inRun('snapshots'), { recursive: true });
  await Promise.all([
    issueHostCertificates(),
    issue({ file: 'packages', commonName: 'packages', altNames: [`IP:${gateway}`] }),
  ]);
}

async function bootAll(hosts: readonly LabHost[], base: string, state: LabState): Promise<void> {
  await raiseNetwork(hosts);
  await Promise.all(
    hosts.map(async (host) => {
      await makeDisk(host, base);
      const owned = await boot(host);
      state.hosts[host.name] = owned;
      await saveState(state);
      await reachable(host, owned);
    }),
  );
}
