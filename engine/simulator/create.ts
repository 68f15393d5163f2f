import { putFile, removeEntry } from './files.js';
import { configure, unpack } from './packages/install.js';
import type { Simulation } from './rules.js';
import type { HostState, SimulatedState } from './state.js';

/** Virtual time begins here, where nothing else is wanted. */
export const START_MS = Date.UTC(2026, 10, 21, 22, 0, 0);
const DAY_MS = 86_400_000;
/** Since when everything that is there runs. */
export const sinceMs = ({ nowMs }: Pick<SimulatedState, 'nowMs'>): number => nowMs - 90 * DAY_MS;

/** A state without hosts: nothing is offered, nothing goes wrong. */
export const newState = () => ({
  nowMs: START_MS,
  packageUrl: 'https://packages.example.com',
  repositoryPath: '',
  repositoryFile: { deb: '/etc/apt/sources.list.d/packages.list', rpm: '/etc/yum.repos.d/packages.repo' },
  hosts: {},
  repository: {},
  downloads: {},
  asked: [],
  timers: [],
  faults: [],
  effects: 0,
  serial: 0,
});

interface NewHost {
  readonly name: string;
  readonly address: string;
  readonly roles: readonly string[];
}

/** A host with its system's own files; `enabled`: its package repository is switched on. */
export function newHost(
  state: SimulatedState,
  { name, address, roles }: NewHost,
  { family = 'deb', enabled = true }: { readonly family?: HostState['family']; readonly enabled?: boolean } = {},
): HostState {
  const host: HostState = {
    name,
    address,
    roles,
    bootId: `boot-${name}`,
    files: {},
    packages: {},
    services: {},
    jobs: {},
    family,
    packageIndex: {},
    lockedUntilMs: 0,
    disk: { totalBytes: 100_000_000_000, usedBytes: 20_000_000_000 },
  };
  const atMs = sinceMs(state);
  for (const [path, text] of Object.entries({ ...SYSTEM[family], ...repositoryOf(state, family, enabled) }))
    putFile(host, path, { text }, atMs);
  const mounts = '/dev/vda / ext4 rw,relatime 0 0\ntmpfs /tmp tmpfs rw,nosuid,nodev 0 0\n';
  putFile(host, '/proc/mounts', { text: mounts }, atMs);
  putFile(host, '/etc/hostname', { text: `${name}\n` }, atMs);
  for (const dir of ['/tmp', '/var/tmp', '/var/lib', '/var/backups', '/root', '/usr/bin', INDEX[family]])
    putFile(host, dir, { type: 'directory' }, atMs);
  return host;
}

/** Where the package manager keeps what it knows of its repositories. */
const INDEX: Readonly<Record<HostState['family'], string>> = { deb: '/var/lib/apt/lists', rpm: '/var/cache/dnf' };

/** What tells a host's package family. */
const SYSTEM: Readonly<Record<HostState['family'], Readonly<Record<string, string>>>> = {
  deb: { '/etc/os-release': 'NAME="Debian GNU/Linux"\nID=debian\nVERSION_ID="12"\n' },
  rpm: {
    '/etc/os-release': 'NAME="AlmaLinux"\nID="almalinux"\nID_LIKE="rhel centos fedora"\nVERSION_ID="9.4"\n',
    '/usr/bin/dnf': '',
  },
};

function repositoryOf(
  { packageUrl, repositoryPath, repositoryFile }: SimulatedState,
  family: HostState['family'],
  enabled: boolean,
): Readonly<Record<string, string>> {
  const url = `${packageUrl}${repositoryPath}`;
  return family === 'deb'
    ? {
        [repositoryFile.deb]: `${enabled ? '' : '#'}deb [signed-by=/usr/share/keyrings/platform.gpg] ${url}/apt/ stable main\n`,
      }
    : {
        [repositoryFile.rpm]: `[platform]\nname=Platform\nbaseurl=${url}/yum/\nenabled=${enabled ? 1 : 0}\ngpgcheck=1\n`,
      };
}

/** A package, installed; its unit enabled and running since then. */
export function install({ state, rules }: Simulation, host: HostState, name: string, version: string): void {
  const definition = rules.packageOf(state, name, version);
  if (definition === undefined) return;
  const atMs = sinceMs(state);
  unpack(host, { name, version, definition }, atMs);
  configure(host, { name, version, definition }, 'keep', atMs);
  // What dpkg would leave beside a changed file is on no host of RPMs.
  if (host.family === 'rpm')
    for (const path of Object.keys(definition.conffiles)) removeEntry(host, `${path}.dpkg-dist`);
  const service = host.services[definition.service];
  if (service !== undefined)
    Object.assign(service, {
      active: 'active',
      enabled: true,
      startedAtMs: atMs + 60_000,
      starts: 1,
      processes: 2,
      readyAtMs: atMs + 60_000,
      runs: version,
    });
}
