import { startAt } from '../../engine/cli/run/choice.js';
import type { Project } from '../../engine/language/project.js';
import type { ModelSeed } from '../../engine/platforms/security-monitoring/simulator/create.js';
import { copyEntry, putFile } from '../../engine/simulator/files.js';
import type { PlatformState, ServiceEntry } from '../../engine/platforms/security-monitoring/simulator/state.js';
import { done, hostOf, hostsOf, ok } from './look.js';
import type { Options, Platform, Stage } from './stage.js';

/** As an inventory that wants what disturbs to be paused. */
export const pausing: Platform['change'] = (project) => ({
  ...project,
  extraVars: { ...project.extraVars, disturbing_units: 'pause' },
});

/** A platform as an operator has it: both package families, two tenants, something of everything that an upgrade must keep. */
export async function ours(stage: Stage, seed: Partial<ModelSeed> = {}): Promise<Platform> {
  const p = await stage.platform({ rpmHosts: ['indexer-3', 'server-2', 'linux-2'], ...seed }, pausing);
  const { state } = p;
  for (const host of Object.values(state.hosts)) for (const unit of Object.values(host.services)) unit.enabled = false;
  for (const unit of DISTURBING) hostOf(state, 'server-1').services[unit] = { ...running };
  state.cluster.mlCommons = { models: [{ id: 'm1', name: 'ours' }], agents: [{ id: 'a1', name: 'night helper' }] };
  for (const host of hostsOf(state, 'server'))
    for (const path of ['/var/platform/queue/keystore/db', '/var/lib/filebeat/filebeat.keystore'])
      putFile(host, path, { text: 'ours', mode: '0600' }, 1);
  const held = hostOf(state, 'server-1').packages['filebeat'];
  if (held !== undefined) held.held = true;
  edit(state, 'dashboard-1', '/etc/platform-dashboard/dashboard.yml', (text) =>
    text.replace('multitenancy.enabled: false', 'multitenancy.enabled: true'),
  );
  state.savedObjects.push({ type: 'dashboard', id: 'root', attributes: '{"title":"root"}', tenant: 'admin_tenant' });
  return p;
}

/** A fault that is there once something is about to be done: once on each platform, for a judge runs a scenario many times. */
export const once = (like: RegExp, then: (state: PlatformState) => void): Options => {
  const happened = new WeakSet<PlatformState>();
  return {
    before: (act, state) => {
      if (happened.has(state) || !like.test(act)) return;
      happened.add(state);
      then(state);
    },
  };
};

/** The shipper's test of its output fails once on server-2. */
export const outputRefusedOnce = (from = /^server-2: .*test output/): Options =>
  once(
    from,
    ({ faults }) =>
      void faults.push({ fault: 'program', host: 'server-2', program: 'filebeat', exit: 1, stdout: 'no', times: 1 }),
  );

/** The shipper's test of its output fails on this host from then on. */
export const refusesOutput = (host: string): Options =>
  once(
    new RegExp(`^${host}: .*test output`),
    ({ faults }) => void faults.push({ fault: 'program', host, program: 'filebeat', exit: 1, stdout: 'no' }),
  );

/** The project from this step on, as `--start-at-step` leaves it. */
export const from =
  (step: string) =>
  (project: Project): Project =>
    startAt(project, step);

export const twoDashboards = (project: Project): Project => {
  const { inventory } = project;
  const hosts = inventory.hosts.flatMap((host) =>
    host.name === 'dashboard-1' ? [host, { ...host, name: 'dashboard-2', address: '10.0.0.32' }] : [host],
  );
  return { ...project, inventory: { ...inventory, hosts } };
};

/** What upgrades packages, or starts what is stopped, by itself. */
export const DISTURBING = [
  ...['apt-daily.timer', 'apt-daily-upgrade.timer', 'unattended-upgrades', 'dnf-automatic.timer'],
  ...['dnf-automatic-install.timer', 'puppet', 'salt-minion', 'chef-client', 'monit'],
];

export const running: ServiceEntry = {
  ...{ active: 'active', enabled: true, startedAtMs: 1, needsReload: false, starts: 1, processes: 1, readyAtMs: 1 },
  ...{ runs: '', journal: [] },
};

export function edit(state: PlatformState, host: string, path: string, by: (text: string) => string): void {
  const file = hostOf(state, host).files[path];
  if (file === undefined) throw new Error(`${host} has no ${path}`);
  file.text = by(file.text);
}

export const pathsOf = (state: PlatformState, host: string, like: RegExp): readonly string[] =>
  Object.keys(hostOf(state, host).files).filter((path) => like.test(path));

/** Removes the files of a host that fit; there must be some. */
export function remove(state: PlatformState, host: string, like: RegExp): void {
  const paths = pathsOf(state, host, like);
  ok(paths.length > 0, `${host} has nothing like ${String(like)}`);
  for (const path of paths) Reflect.deleteProperty(hostOf(state, host).files, path);
}

/** Keeps what is at or below a path, as prepare.yaml does, as the backup of this version. */
export function backUp(state: PlatformState, host: string, path: string, version: string): void {
  const to = `/var/backups/runbook/before-4.14/${version}`;
  if (hostOf(state, host).files[to] === undefined)
    putFile(hostOf(state, host), to, { type: 'directory', mode: '0700' }, state.nowMs);
  copyEntry(hostOf(state, host), path, `${to}${path}`, state.nowMs);
}

/** A snapshot of everything, as prepare.yaml takes one. */
export function takeSnapshot({ cluster, nowMs }: PlatformState): void {
  const whole = { name: 'runbook-before', indices: [], shards: 5, failedShards: 0, startMs: nowMs, endMs: nowMs };
  cluster.repositories['before-upgrades'] = { type: 'fs', location: '/mnt/snapshots', snapshots: [whole] };
}

/** Enables the platform's repository on a DEB host and updates its package index. */
export function enableRepository(state: PlatformState, host: string): void {
  edit(state, host, '/etc/apt/sources.list.d/platform.list', (text) => text.replace('#deb', 'deb'));
  hostOf(state, host).packageIndex = structuredClone(state.repository);
}

/** Puts an element into the manager's configuration of server-2 so that it is there twice. */
export const twice =
  (element: string) =>
  (state: PlatformState): void =>
    edit(state, 'server-2', '/var/platform/etc/platform.conf', (text) => {
      const some = `  <${element}>\n    <list>etc/lists/audit-keys</list>\n  </${element}>\n`;
      const more = text.includes(`<${element}>`) ? some : some + some;
      return text.replace('</platform_config>', `${more}</platform_config>`);
    });

/** As an earlier playbook leaves it; each goes on from the one before, as an operator may run them one by one. */
const ORDER = ['prepare', 'indexer', 'server', 'dashboard', 'saved-objects', 'agents', 'verify'] as const;
type Part = (typeof ORDER)[number];

export function after(part: Part, stage: Stage): Promise<Platform> {
  const parts = ORDER.slice(0, ORDER.indexOf(part) + 1).map((each) => `${each}.yaml`);
  return stage.after(parts, part, async () => {
    const before = ORDER[ORDER.indexOf(part) - 1];
    const p = before === undefined ? await ours(stage) : await after(before, stage);
    done(await p.run(`${part}.yaml`, { name: part }));
    return p;
  });
}

/** A whole upgrade of which no agent was a part: what a rollback finds. */
export function upgraded(stage: Stage, seed: Partial<ModelSeed> = {}): Promise<Platform> {
  return stage.after(['upgrade-4.14.yaml'], `upgraded ${JSON.stringify(seed)}`, async () => {
    const p = (await withAgents(stage, seed)).clone();
    for (const host of hostsOf(p.state, 'agent')) {
      Reflect.deleteProperty(host.files, '/var/backups/runbook/before-4.14/previous-version-of-agent');
      for (const agent of Object.values(host.packages)) agent.version = '4.12.0-1';
    }
    const agents = p.state.management.agents.map((a) => (a.id === '000' ? a : { ...a, version: '4.12.0' }));
    p.state.management = { ...p.state.management, agents };
    return p;
  });
}

/** A whole upgrade, its agents with it. */
export function withAgents(stage: Stage, seed: Partial<ModelSeed> = {}): Promise<Platform> {
  return stage.after(['upgrade-4.14.yaml'], `with agents ${JSON.stringify(seed)}`, async () => {
    const p = await stage.platform(seed);
    done(await p.run('upgrade-4.14.yaml'));
    return p;
  });
}

/** An upgrade that stopped once so many indexers were done. */
export function stoppedAfter(stage: Stage, indexers: number): Promise<Platform> {
  return stage.after(['upgrade-4.14.yaml'], `stopped after ${indexers}`, async () => {
    const p = await stage.platform();
    let left = 0;
    const stopping = (): boolean => left > indexers;
    await p.run('upgrade-4.14.yaml', {
      stopping,
      before: (act) => {
        if (/: systemctl stop platform-indexer$/.test(act)) left += 1;
      },
    });
    return p;
  });
}
