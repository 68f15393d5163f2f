import type { Project } from '../../../engine/language/project.js';
import type { ModelSeed } from '../../../engine/platforms/security-monitoring/simulator/create.js';
import { putFile } from '../../../engine/simulator/files.js';
import { stopService } from '../../../engine/platforms/security-monitoring/simulator/platform.js';
import type { PlatformState } from '../../../engine/platforms/security-monitoring/simulator/state.js';
import { actsLike, deepEqual, done, equal, hostOf, hostsOf, match, doesNotMatch, refused } from '../look.js';
import { DISTURBING, edit, running, twice, twoDashboards } from '../ours.js';
import { about, scenario, type Scenario } from '../scenario.js';
import type { Options, Stage, Told } from '../stage.js';
import { stoppedAt } from './killed.js';

interface Case {
  readonly seed?: Partial<ModelSeed>;
  readonly alter?: (state: PlatformState) => unknown;
  readonly change?: (project: Project) => Project;
  readonly options?: Options;
  readonly playbook?: string;
}

async function tried(stage: Stage, { seed, alter, change, options, playbook = 'prepare.yaml' }: Case): Promise<Told> {
  const p = await stage.platform(seed, change);
  alter?.(p.state);
  return p.run(playbook, { answer: 'no', ...options });
}

const refusing = (name: string, why: RegExp, ...cases: readonly Case[]): Scenario =>
  scenario(`${name}: refused before the first change`, async (stage) => {
    for (const one of cases) refused(await tried(stage, one), why);
  });

const to =
  (target: string) =>
  (project: Project): Project => ({
    ...project,
    inventory: { ...project.inventory, platform: { ...project.inventory.platform, target } },
  });
/** The inventory without this variable: the default of the platform counts. */
const withoutVariable =
  (name: string) =>
  (project: Project): Project => {
    const without = <V>(vars: Readonly<Record<string, V>>): Record<string, V> =>
      Object.fromEntries(Object.entries(vars).filter(([one]) => one !== name));
    const hosts = project.inventory.hosts.map((host) => ({ ...host, vars: without(host.vars) }));
    return { ...project, inventory: { ...project.inventory, vars: without(project.inventory.vars), hosts } };
  };
const lose =
  (host: string, name: string) =>
  (state: PlatformState): void => {
    Reflect.deleteProperty(hostOf(state, host).packages, name);
  };
const shipper = (state: PlatformState): void => {
  const entry = hostOf(state, 'server-2').packages['filebeat'];
  if (entry !== undefined) entry.version = '7.10.1-1';
};
const shippersDone = (state: PlatformState): void => {
  for (const { packages } of hostsOf(state, 'server'))
    Object.assign(packages['filebeat'] ?? {}, { version: '7.10.2-2', changedAtMs: 1 });
};
const noPlaceForTheRoute = (state: PlatformState): void => {
  edit(state, 'dashboard-1', '/etc/platform-dashboard/dashboard.yml', (text) =>
    text.replace(/^uiSettings.*\n/m, '').concat('uiSettings: ours\n'),
  );
};
const unassigned = (state: PlatformState): void => {
  state.cluster.persistent['cluster.routing.allocation.enable'] = 'primaries';
  for (const index of Object.values(state.cluster.indices))
    for (const shard of index.shards)
      for (const copy of shard.copies.slice(1)) Object.assign(copy, { host: null, state: 'UNASSIGNED' });
};
const leave = (state: PlatformState, host: string, gigabytes: number): void => {
  Object.assign(hostOf(state, host).disk, { totalBytes: 20e9, usedBytes: (20 - gigabytes) * 1e9 });
};
const renamed = (state: PlatformState): void => {
  Object.assign(state.cluster.nodes['indexer-2'] ?? {}, { name: 'node-2' });
};
const shards = (state: PlatformState, limit: (open: number) => number): void => {
  const open = Object.values(state.cluster.indices).flatMap((i) => i.shards.flatMap((s) => s.copies)).length;
  state.cluster.persistent['cluster.max_shards_per_node'] = String(limit(open));
};
const enable =
  (host: string) =>
  (state: PlatformState): void => {
    const deb = hostOf(state, host).family === 'deb';
    edit(state, host, deb ? '/etc/apt/sources.list.d/platform.list' : '/etc/yum.repos.d/platform.repo', (text) =>
      deb ? text.replace('#deb', 'deb') : text.replace('enabled=0', 'enabled = 1'),
    );
  };
const limit = (...hosts: readonly string[]): Case => ({ options: { options: { limit: new Set(hosts) } } });
const CENTRAL = ['indexer-1', 'indexer-2', 'indexer-3', 'server-1', 'server-2', 'dashboard-1'];
const without = (host: string): Case => limit(...CENTRAL.filter((name) => name !== host));
const packageOn = (hosts: readonly string[], file: string): Case => ({
  options: { vars: { agents_package_file: file } },
  alter: (s) => {
    for (const host of hosts) putFile(hostOf(s, host), file, { text: 'a package' }, 1);
  },
});
const OLD_AGENTS = [
  { name: 'old', version: '4.8.2' },
  { name: 'managed', version: '4.9.0' },
];
const MANAGER = '/var/platform/etc/platform.conf';
const connector = (more: string): string =>
  `  <indexer>\n    <enabled>yes</enabled>\n    <hosts>\n      <host>https://10.0.0.1:9200</host>\n    </hosts>${more}\n  </indexer>\n`;
const NOWHERE = '\n    <hosts>\n      <host>https://0.0.0.0:9200</host>\n    </hosts>';
const pluginFor =
  (engine: string) =>
  (s: PlatformState): void =>
    putFile(
      hostOf(s, 'indexer-2'),
      '/usr/share/platform-indexer/plugins/ours/plugin-descriptor.properties',
      { text: `name=ours\nopensearch.version=${engine}\n` },
      1,
    );
const plugin = pluginFor('2.19.1');
const beside =
  (files: Readonly<Record<string, string>>) =>
  (s: PlatformState): void => {
    for (const [path, text] of Object.entries(files)) {
      const [host = '', name = ''] = path.split('/');
      putFile(hostOf(s, host), `/etc/platform-indexer/security/${name}`, { text }, 1);
    }
  };
/** A security configuration on the first indexer that names these files, which are on these hosts. */
const named =
  (files: readonly string[], ...on: readonly (readonly [host: string, path: string, text: string])[]) =>
  (s: PlatformState): void => {
    const lines = files.map((file, i) => `  ${i === 0 ? 'pemtrustedcas_filepath' : 'metadata_file'}: ${file}\n`);
    beside({ 'indexer-1/config.yml': `config:\n# pemtrustedcas_filepath: /unused.pem\n${lines.join('')}` })(s);
    for (const [host, path, text] of on) putFile(hostOf(s, host), path, { text }, 1);
  };
const CA = '/etc/ssl/ldap-ca.pem';
const IDP = '/etc/platform-indexer/saml/idp.xml';
const SAML = { 'indexer-1/idp.xml': 'a', 'indexer-2/idp.xml': 'a', 'indexer-3/idp.xml': 'a' };
const dashboardPlugin =
  (engine: string) =>
  (s: PlatformState): void =>
    putFile(
      hostOf(s, 'dashboard-1'),
      '/usr/share/platform-dashboard/plugins/ours/opensearch_dashboards.json',
      { text: `{"id":"ours","opensearchDashboardsVersion":"${engine}"}\n` },
      1,
    );
/** Does the plan of an upgrade from these versions say that there is no rollback? */
const isNotBack = async (stage: Stage, at: Readonly<Record<string, string>>): Promise<boolean> => {
  const p = await stage.platform({ at }, twoDashboards);
  return /this upgrade cannot be rolled back/.test((await p.plan('upgrade-4.14.yaml')).warned);
};
const BACKUPS = '/var/backups/runbook/before-4.14';
const INDEXER = '/etc/platform-indexer/opensearch.yml';
const SHIPPER = '/etc/filebeat/filebeat.yml';
const SERVICES = ['dashboard', 'indexer HTTP', 'indexer transport', 'shipper'];

/** Agents below 4.9 are another scenario's. */
const accepting: Options = { vars: { unmanaged_agents: 'accept' } };

/** Everything at the target but this. */
const behind: readonly Case[] = [
  { seed: { from: '4.14.7', at: { 'indexer-2': '4.13.1' } }, alter: shippersDone },
  { seed: { from: '4.14.7', at: { 'server-2': '4.13.1' } }, alter: shippersDone },
  { seed: { from: '4.14.7', at: { 'dashboard-1': '4.13.1' } }, alter: shippersDone },
  {
    seed: { from: '4.14.7' },
    alter: (s) => Object.assign(hostOf(s, 'server-2').packages['filebeat'] ?? {}, { version: '7.10.2-1' }),
  },
  {
    seed: { from: '4.14.7' },
    alter: (s) => {
      shippersDone(s);
      Object.assign(hostOf(s, 'indexer-2').packages['platform-indexer'] ?? {}, { changedAtMs: s.nowMs });
    },
  },
];
const also = (alter: (state: PlatformState) => void) =>
  behind.map((one): Case => ({
    ...one,
    alter: (state) => {
      one.alter?.(state);
      alter(state);
    },
  }));

export const refusals: readonly Scenario[] = [
  refusing(
    'a target of 4.11 or earlier',
    /downgrade to 4\.11 or earlier is impossible/,
    { change: to('4.11.2') },
    { change: to('4.7.5') },
  ),
  refusing(
    'a target of another release line',
    /not of release line 4\.14/,
    { change: to('4.15.0') },
    { change: to('4.12.9') },
    { change: to('4.13.9'), seed: { from: '4.12.0' } },
  ),
  refusing(
    'a newer indexer',
    /indexer-2: a component cannot be brought to .*installed\.indexer/,
    { seed: { at: { 'indexer-2': '4.14.9' } } },
    { alter: lose('indexer-2', 'platform-indexer') },
  ),
  refusing(
    'a newer manager',
    /server-2: a component cannot be brought to .*installed\.manager/,
    { seed: { at: { 'server-2': '4.14.9' } } },
    { alter: lose('server-2', 'platform-manager') },
  ),
  refusing(
    'a newer dashboard',
    /dashboard-1: a component cannot be brought to .*installed\.dashboard/,
    { seed: { at: { 'dashboard-1': '4.14.9' } } },
    { alter: lose('dashboard-1', 'platform-dashboard') },
  ),
  refusing('a newer agent', /linux-1: a component cannot be brought to .*installed\.agent/, {
    seed: { at: { 'linux-1': '4.14.9' } },
  }),
  refusing('a newer agent that only the API knows', /laptop/, {
    seed: { remoteAgents: [{ name: 'laptop', version: '4.14.9' }] },
  }),
  refusing('a shipper of another version', /server-2: indexer and server depend on shipper 7\.10\.2/, {
    alter: shipper,
  }),
  scenario('a shipper of another version may be brought to its own', async (stage) => {
    for (const version of ['7.10.1-1', '7.17.9-1']) {
      const p = await stage.platform();
      Object.assign(hostOf(p.state, 'server-2').packages['filebeat'] ?? {}, { version });
      done(await p.run('upgrade-4.14.yaml', { vars: { shipper: 'install' } }));
      equal(hostOf(p.state, 'server-2').packages['filebeat']?.version, '7.10.2-2');
    }
  }),
  scenario('a shipper that is not installed has no package for a rollback', async (stage) => {
    const p = await stage.platform();
    lose('server-2', 'filebeat')(p.state);
    done(await p.run('prepare.yaml', { vars: { shipper: 'install' } }));
  }),
  {
    about: ['requires'],
    ...refusing(
      'a central host that is left out',
      /central components would end at different versions/,
      without('indexer-2'),
      without('server-2'),
      without('dashboard-1'),
      ...['indexer-1', 'server-1', 'dashboard-1', 'linux-1'].map((host) => limit(host)),
    ),
  },
  refusing(
    'an agent that is chosen and unknown',
    /no agent has the id or name/,
    { options: { vars: { agents_ids: ['999'] } } },
    { options: { vars: { agents_names: ['nobody'] } } },
  ),
  refusing(
    'a package for the agents that is not on each manager, or where no manager sends it from',
    /agent\.deb is not on every server, below \/var\/platform/,
    packageOn(['server-1'], '/var/platform/var/upgrade/agent.deb'),
    packageOn(['server-1', 'server-2'], '/var/platform2/agent.deb'),
  ),

  refusing('an indexer that does not run', /an indexer does not run/, {
    alter: (s) => void stopService(s, hostOf(s, 'indexer-2'), 'platform-indexer'),
  }),
  refusing(
    'a node of another name, whatever is still to be upgraded',
    /has another name in the cluster/,
    ...also(renamed),
  ),
  refusing('a node that the cluster does not have', /does not have the nodes that the inventory names/, {
    alter: (s) => Object.assign(s.cluster.nodes['indexer-3'] ?? {}, { joined: false }),
  }),
  refusing('a node that does not answer for itself', /does not answer at its own address/, {
    alter: (s) => void s.faults.push({ fault: 'untrusted', host: 'indexer-2' }),
  }),
  refusing('a node of another name', /has another name in the cluster/, {
    alter: renamed,
  }),
  refusing('a cluster that is not green', /the indexer cluster is yellow/, { alter: unassigned }),
  refusing(
    'an allocation that was set by hand',
    /allocation\.enable is "(none|all)"/,
    { alter: (s) => (s.cluster.persistent['cluster.routing.allocation.enable'] = 'none') },
    { alter: (s) => (s.cluster.transient['cluster.routing.allocation.enable'] = 'all') },
  ),
  refusing('a dashboard configuration in which the default route has no place', /would stand below it/, {
    seed: { from: '4.7.5' },
    options: accepting,
    alter: noPlaceForTheRoute,
  }),
  refusing(
    'a repository that is enabled',
    /is enabled already on a central host/,
    ...['indexer-2', 'server-2', 'dashboard-1'].flatMap((host) => [
      { alter: enable(host) },
      { seed: { rpmHosts: [host] }, alter: enable(host) },
    ]),
  ),
  scenario('a repository that is enabled on an agent does not matter', async (stage) => {
    const ran = await tried(stage, { alter: enable('linux-1') });
    doesNotMatch(ran.asked, /is enabled already/);
  }),

  refusing(
    'a full disk',
    /GB are free where \/ is/,
    ...['indexer-2', 'server-2', 'dashboard-1'].map((host): Case => ({
      alter: (s) => leave(s, host, 2.5),
      options: { vars: { data_refuse_below: '1GB' } },
    })),
  ),
  refusing(
    'a full disk, whatever is still to be upgraded',
    /GB are free where \/ is/,
    ...also((s) => (hostOf(s, 'server-1').disk.usedBytes = 97_500_000_000)),
  ),
  refusing(
    'a full disk below the root',
    /GB are free where \/var/,
    ...['/var', BACKUPS].map((path): Case => ({
      alter: (s) => (hostOf(s, 'server-2').mounted = { [path]: { totalBytes: 20e9, usedBytes: 18e9 } }),
    })),
  ),
  scenario("many shards are reported at the inventory's limit", async (stage) => {
    const ran = await tried(stage, {
      alter: (s) => shards(s, (open) => Math.ceil(open / 3 / 0.5)),
      options: { vars: { shards_warn: 40 } },
    });
    match(ran.warned, /shards are in use/);
  }),
  refusing('too little room for the data', /GB are free where \S*\/var\/lib\/platform-indexer/, {
    alter: (s) => leave(s, 'indexer-2', 1.5),
    options: { vars: { disk_refuse_below: '1GB' } },
  }),
  refusing(
    'a flooded disk',
    /flood-stage watermark/,
    { alter: (s) => (hostOf(s, 'indexer-3').disk.usedBytes = 95_500_000_000) },
    ...also((s) => (hostOf(s, 'indexer-3').disk.usedBytes = 95_500_000_000)),
  ),
  refusing('too many shards', /shards are in use: 98 % are too many/, {
    alter: (s) => shards(s, (open) => Math.floor(open / 3)),
  }),
  refusing("too many shards by the inventory's limit", /shards are in use: 40 % are too many/, {
    alter: (s) => shards(s, (open) => Math.ceil(open / 3 / 0.5)),
    options: { vars: { shards_refuse: 40 } },
  }),
  refusing(
    'a clock far off',
    /ahead of the controller's/,
    { alter: (s) => (hostOf(s, 'server-2').clockSkewMs = 125_000) },
    { alter: (s) => (hostOf(s, 'dashboard-1').clockSkewMs = 125_000) },
  ),
  refusing('a plug-in that is not known', /plug-in ours/, { alter: plugin }),
  refusing('a plug-in for another engine than the installed one, though it is allowed', /built for another engine/, {
    alter: pluginFor('2.18.0'),
    options: { vars: { plugins_allowed: ['ours'] } },
  }),
  refusing("a dashboard's plug-in that is not known", /plug-in ours .*platform-dashboard/, {
    alter: dashboardPlugin('2.19.1'),
  }),
  refusing("a dashboard's plug-in for another engine, though it is allowed", /the dashboard does not start with it/, {
    alter: dashboardPlugin('2.18.0'),
    options: { vars: { plugins_allowed: ['ours'] } },
  }),
  ...(
    [
      ['indexer-2', '/etc/platform-indexer/certs/indexer.pem'],
      ['server-2', '/etc/filebeat/certs/server-2.pem'],
      ['server-2', '/etc/filebeat/certs/server-2-key.pem'],
      ['dashboard-1', '/etc/platform-dashboard/certs/dashboard.pem'],
      ['dashboard-1', '/etc/platform-dashboard/certs/dashboard-key.pem'],
    ] as const
  ).map(([host, path]) =>
    refusing(`no ${path}`, /there is no (certificate|key)/, {
      alter: (s) => Reflect.deleteProperty(hostOf(s, host).files, path),
    }),
  ),
  scenario('certificates are held to the limits of the inventory, each of them', async (stage) => {
    const lifetime = '36500d';
    // The first that is too short ends the host's checks.
    const http = (s: PlatformState): void =>
      edit(s, 'indexer-2', INDEXER, (t) => t.replace(/^plugins\.security\.ssl\.http.*\n/gm, ''));
    const short = await tried(stage, { alter: http, options: { vars: { certificate_valid_for: lifetime } } });
    equal(short.end, 'refused');
    const refusing = short.events.flatMap((e) => (e.e === 'settled' && e.as === 'blocked' ? [e.name] : []));
    deepEqual(
      [...new Set(refusing)].sort(),
      SERVICES.map((name) => `Certificate is valid [${name}]`),
    );
    const ran = await tried(stage, { options: { vars: { certificate_warn_below: lifetime } } });
    // A path has the whole element of the list.
    const warning = ran.events.flatMap((e) =>
      e.e === 'warned' ? (/Certificate is valid \[.*"name":"([^"]+)"/.exec(e.task?.step ?? '')?.[1] ?? []) : [],
    );
    deepEqual([...new Set(warning)].sort(), [...SERVICES, 'indexer connector'].sort());
  }),
  about(
    ['certificate_valid_for', 'certificate_warn_below'],
    'a certificate that ends within a month is warned of, and one that ends tomorrow is refused',
    async (stage) => {
      for (const [before, warns, refuses] of [
        ['2119-12-31T00:00:00Z', false, true],
        ['2119-12-12T00:00:00Z', true, false],
        ['2119-11-21T00:00:00Z', false, false],
      ] as const) {
        const p = await stage.platform({ startMs: Date.parse(before) });
        const { warned, why } = await p.plan('prepare.yaml');
        deepEqual(
          [/\.pem expires in/.test(warned), /\.pem is valid until .* 2 days are asked for/.test(why)],
          [warns, refuses],
        );
      }
    },
  ),
  refusing(
    'a file of LDAP or SAML that is not the same on each indexer',
    /indexer-2 and indexer-1 have different files in \/etc\/platform-indexer\/security .*[0-9a-f]{12} {2}\S*\/idp\.xml/,
    { alter: beside({ 'indexer-1/idp.xml': 'a', 'indexer-3/idp.xml': 'a' }) },
    { alter: beside({ 'indexer-2/idp.xml': 'a' }) },
    { alter: beside({ ...SAML, 'indexer-2/idp.xml': 'b' }) },
  ),
  scenario('files of LDAP and SAML that each indexer has, and leftovers of an editor or a package', async (stage) => {
    const leftovers = { 'indexer-2/config.yml.dpkg-dist': '', 'indexer-3/idp.xml.bak': '', 'indexer-3/idp.xml~': '' };
    for (const [files, options, said] of [
      [{ ...SAML, ...leftovers }, {}, false],
      [{ ...SAML, 'indexer-2/own.pem': '' }, { vars: { security_extras: 'warning' } }, true],
    ] as const) {
      const ran = await tried(stage, { alter: beside(files), options });
      done(ran);
      equal(/indexer-2 and indexer-1 have different files/.test(ran.warned), said);
    }
  }),
  refusing(
    'a file outside that the security configuration names, and that is not the same on each indexer',
    /(ldap-ca\.pem|saml\/idp\.xml), which the security configuration names, is not the same on each indexer/,
    { alter: named([CA], ['indexer-1', CA, 'a'], ['indexer-3', CA, 'a']) },
    { alter: named([`"${CA}"`], ['indexer-1', CA, 'a'], ['indexer-2', CA, 'b'], ['indexer-3', CA, 'a']) },
    { alter: named([CA, 'saml/idp.xml'], ['indexer-1', IDP, 'a'], ['indexer-2', IDP, 'a']) },
  ),
  scenario('a file outside that the security configuration names, and that each indexer has', async (stage) => {
    const all = ['indexer-1', 'indexer-2', 'indexer-3'].flatMap((host) => [
      [host, CA, 'a'] as const,
      [host, IDP, 'a'] as const,
    ]);
    const alter = (s: PlatformState): void => {
      named([CA, 'saml/idp.xml'], ...all, ['indexer-2', '/unused.pem', 'a'])(s);
      // The push replaces what this node has.
      beside({ 'indexer-2/config.yml': `pemtrustedcas_filepath: /unused.pem\nmetadata_file: security/config.yml\n` })(
        s,
      );
    };
    equal((await tried(stage, { alter })).why, '');
    const onOne = named([CA, 'saml/idp.xml'], ['indexer-1', CA, 'a'], ['indexer-1', IDP, 'a']);
    const { warned } = await tried(stage, { alter: onOne, options: { vars: { security_extras: 'warning' } } });
    deepEqual(warned.match(/\S+(?=, which the security configuration names, is not the same)/g), [CA, IDP]);
  }),
  refusing('a certificate for other nodes that is not there', /there is no certificate at \S*node\.pem/, {
    alter: (s) =>
      edit(s, 'indexer-2', INDEXER, (t) =>
        t.replace('transport.pemcert_filepath: certs/indexer', 'transport.pemcert_filepath: certs/node'),
      ),
  }),
  scenario(
    'a configuration that names no certificates is asked for none; a relative name is looked for beside it',
    async (stage) => {
      const none = (s: PlatformState): void => {
        edit(s, 'indexer-2', INDEXER, (t) => t.replace(/^plugins\.security\.ssl.*\n/gm, ''));
        edit(s, 'server-2', SHIPPER, (t) => t.replace(/^ *ssl\.(certificate|key): .*\n/gm, ''));
        edit(s, 'server-1', SHIPPER, (t) => t.replace(/(ssl\.(?:certificate|key): "?)\/etc\/filebeat\//g, '$1'));
      };
      done(await tried(stage, { alter: none }));
    },
  ),
  refusing('a key that the dashboard cannot read', /read/, {
    alter: (s) =>
      Object.assign(hostOf(s, 'dashboard-1').files['/etc/platform-dashboard/certs/dashboard-key.pem'] ?? {}, {
        owner: 'root',
        mode: '0400',
      }),
  }),
  scenario('new defaults that an earlier upgrade left are not taken before the upgrade', async (stage) => {
    const left = '/etc/platform-indexer/jvm.options.dpkg-dist';
    const ran = await tried(stage, {
      alter: (s) => putFile(hostOf(s, 'indexer-2'), left, { text: '-Xms1g\n-Dnew=1\n' }, 1),
    });
    done(ran);
    deepEqual(actsLike(ran, /jvm\.options$/), []);
  }),
  refusing('Java options that cannot be kept', /jvm\.options/, {
    alter: (s) => Reflect.deleteProperty(hostOf(s, 'indexer-2').files, '/etc/platform-indexer/jvm.options'),
  }),
  refusing(
    'a manager configuration that is no XML',
    /platform\.conf|platform-analysisd/,
    ...['4.12.0', '4.13.1'].map((from): Case => ({
      seed: { from },
      alter: (s) => edit(s, 'server-2', MANAGER, (t) => t.replace('<ruleset>', '<ruleset')),
    })),
  ),
  refusing(
    'a connector to nowhere with hosts in two places',
    /<hosts> stands 2 times/,
    ...['4.9.2', '4.12.0', '4.13.1'].map((from): Case => ({
      seed: { from },
      alter: (s) =>
        edit(s, 'server-2', MANAGER, (t) =>
          t
            .replace(/ *<indexer>[\s\S]*<\/indexer>\n/, '')
            .replace('</platform_config>', `${connector(NOWHERE)}</platform_config>`),
        ),
    })),
  ),
  refusing(
    'a manager configuration with two rulesets',
    /<ruleset> stands 2 times/,
    ...['4.7.5', '4.12.0'].map((from): Case => ({ seed: { from }, alter: twice('ruleset'), options: accepting })),
  ),
  refusing('a manager configuration of 4.7 with two of what is added', /<vulnerability-detection> stands 2 times/, {
    seed: { from: '4.7.5' },
    alter: twice('vulnerability-detection'),
    options: accepting,
  }),
  scenario('what is of no concern any more is not refused', async (stage) => {
    const cases: readonly Case[] = [
      { seed: { from: '4.13.1' }, alter: twice('ruleset') },
      { seed: { from: '4.8.2' }, alter: twice('vulnerability-detection'), options: accepting },
      {
        // Of several connectors the last one counts.
        seed: { from: '4.7.5' },
        alter: (s) =>
          edit(s, 'server-2', MANAGER, (t) =>
            t.replace('</platform_config>', `${connector('')}${connector('')}</platform_config>`),
          ),
        options: accepting,
      },
      {
        // A connector that leads to an indexer is not changed.
        seed: { from: '4.9.2' },
        alter: (s) =>
          edit(s, 'server-2', MANAGER, (t) =>
            t.replace('</platform_config>', `${connector('\n    <hosts></hosts>')}</platform_config>`),
          ),
        options: accepting,
      },
      { alter: plugin, options: { vars: { plugins_allowed: ['ours'] } } },
      // Room for an indexer's data is asked of indexers.
      { alter: (s) => leave(s, 'server-2', 1.5), options: { vars: { disk_refuse_below: '1GB' } } },
      {
        seed: { from: '4.8.2' },
        options: accepting,
        alter: noPlaceForTheRoute,
      },
      {
        seed: { from: '4.14.7', at: { 'indexer-2': '4.13.1' } },
        alter: (s) => edit(s, 'server-2', '/var/platform/etc/platform.conf', (t) => t.replace('<ruleset>', '<ruleset')),
      },
      {
        seed: { from: '4.14.7', at: { 'server-2': '4.13.1' } },
        alter: (s) => Reflect.deleteProperty(hostOf(s, 'indexer-2').files, '/etc/platform-indexer/jvm.options'),
      },
    ];
    for (const one of cases) done(await tried(stage, one));
  }),
  refusing('a manager configuration that fails its own test', /platform-analysisd/, {
    alter: (s) =>
      void s.faults.push({
        fault: 'program',
        host: 'server-2',
        program: 'platform-analysisd',
        exit: 1,
        stdout: 'ERROR',
      }),
  }),
  scenario('units that disturb are named and left alone, unless the inventory says otherwise', async (stage) => {
    const p = await stage.platform();
    doesNotMatch((await p.plan('prepare.yaml')).warned, /may upgrade packages or start services/);
    for (const host of ['indexer-2', 'server-2', 'dashboard-1'])
      for (const unit of DISTURBING) hostOf(p.state, host).services[unit] = { ...running };
    for (const vars of [{}, { disturbing_units: 'warning' }]) {
      const ran = await p.clone().run('prepare.yaml', { vars });
      done(ran);
      equal(actsLike(ran, /systemctl stop/).length, 0);
      for (const host of ['indexer-2', 'server-2', 'dashboard-1'])
        match(ran.warned, new RegExp(`${host}: apt-daily\\.timer, .*monit\\.service may upgrade packages`));
    }
    const pausing = await p.clone().run('prepare.yaml', { vars: { disturbing_units: 'pause' } });
    doesNotMatch(pausing.warned, /may upgrade packages/);
    deepEqual(
      actsLike(pausing, /systemctl stop monit/).map((act) => act.split(':')[0]),
      ['indexer-2', 'server-2', 'dashboard-1'],
    );
  }),
  refusing('units that disturb, where that is asked for', /server-1: puppet\.service may upgrade packages/, {
    alter: (s) => (hostOf(s, 'server-1').services['puppet'] = { ...running }),
    options: { vars: { disturbing_units: 'error' } },
  }),
  refusing(
    'no repository for the snapshot',
    /no snapshot repository is named/,
    {
      change: withoutVariable('snapshot_repository'),
    },
    ...also(() => undefined).map((one): Case => ({ ...one, options: { vars: { snapshot_repository: '' } } })),
  ),

  refusing(
    'a snapshot repository that is not registered, and no location to register it',
    /there is no snapshot repository/,
    {
      change: withoutVariable('snapshot_location'),
    },
  ),
  refusing(
    'agents that a 4.14 server does not manage, without a yes',
    /answered "no"/,
    { seed: { remoteAgents: OLD_AGENTS } },
    { seed: { at: { 'linux-2': '4.8.2' } } },
    { seed: { remoteAgents: OLD_AGENTS, at: { 'server-2': '4.14.0', 'indexer-1': '4.14.0' } } },
    // Enter alone is no yes.
    { seed: { remoteAgents: OLD_AGENTS }, options: { answer: '' } },
    { seed: { at: { 'linux-2': '4.8.2' } }, options: { answer: '' } },
  ),
  scenario(
    'agents that a 4.14 server does not manage are named, and no question is asked about others',
    async (stage) => {
      const asked = async (one: Case): Promise<string> => (await tried(stage, one)).asked;
      const questions = (await asked({ seed: { remoteAgents: OLD_AGENTS } })).split('\n');
      equal(questions.length, 1);
      match(questions[0] ?? '', /1 of 2 agents are below 4\.9: 003 old \(v4\.8\.2\)/);
      const inventory = await tried(stage, { seed: { at: { 'linux-2': '4.8.2' } } });
      equal(inventory.asked.match(/Agents of the inventory are below 4\.9/g)?.length, 1);
      equal(inventory.warned.match(/agent \S+ is below 4\.9: a 4\.14 server does not manage it/g)?.length, 1);
      for (const seed of [
        { remoteAgents: OLD_AGENTS.slice(1) },
        { from: '4.14.1', remoteAgents: OLD_AGENTS, at: { 'linux-2': '4.8.2' } },
      ]) {
        const ran = await tried(stage, { seed });
        deepEqual([ran.asked, ran.end, /below 4\.9/.test(ran.warned)], ['', 'done', false]);
      }
      const accepted = { vars: { unmanaged_agents: 'accept' } };
      const both = { remoteAgents: OLD_AGENTS, at: { 'linux-2': '4.8.2' } };
      deepEqual([await asked({ seed: both, options: accepted })], ['']);
    },
  ),
  scenario('an interrupted upgrade asks no API that does not run about old agents', async (stage) => {
    const p = await stage.platform({ remoteAgents: OLD_AGENTS });
    await stoppedAt(p, 'upgrade-4.14.yaml', /server-1: systemctl stop platform-manager/, { answer: 'yes' });
    done(await p.run('upgrade-4.14.yaml', { answer: 'yes', name: 'next' }));
  }),

  scenario('a platform in order is warned of nothing that is not so', async (stage) => {
    const p = await stage.platform();
    hostOf(p.state, 'server-2').clockSkewMs = 15_000;
    const ran = await p.plan('prepare.yaml');
    equal(ran.why, '');
    doesNotMatch(
      ran.warned,
      /only .*free|clock|shards are in use|noexec|polic|snapshot|rollback to it is impossible|cannot be rolled back|expires/,
    );
  }),
  ...(
    [
      [
        'a disk with little room',
        (s) => (hostOf(s, 'server-1').disk.usedBytes = 91_000_000_000),
        /only .* free where \/ is/,
      ],
      [
        'little room for the data',
        (s) => (hostOf(s, 'indexer-2').disk.usedBytes = 91_000_000_000),
        /free where \S*\/var\/lib\/platform-indexer/,
      ],
      ['many shards', (s) => shards(s, (open) => Math.ceil(open / 3 / 0.9)), /shards are in use/],
      ['a clock that is off', (s) => (hostOf(s, 'server-2').clockSkewMs = -60_000), /behind/],
      [
        '/tmp without execution',
        (s) => edit(s, 'dashboard-1', '/proc/mounts', () => 'tmpfs /tmp tmpfs rw,nosuid,noexec,relatime 0 0\n'),
        /noexec/,
      ],
      ['index policies', (s) => s.cluster.policies.push('rollover'), /policies manage indices/],
      [
        'a snapshot under way',
        (s) =>
          (s.cluster.repositories['nightly'] = {
            type: 'fs',
            location: '/x',
            snapshots: [
              { name: 'n', indices: [], shards: 1, failedShards: 0, startMs: s.nowMs, endMs: s.nowMs + 3_600_000 },
            ],
          }),
        /a snapshot is being made/,
      ],
    ] as readonly (readonly [string, (state: PlatformState) => unknown, RegExp])[]
  ).map(([name, alter, why]) =>
    scenario(`${name} is a warning, and no refusal`, async (stage) => {
      const p = await stage.platform();
      alter(p.state);
      const ran = await p.plan('prepare.yaml');
      equal(ran.why, '');
      equal(ran.warned.split('\n').filter((line) => why.test(line)).length, 1);
    }),
  ),
  scenario('without a snapshot the plan says what that means', async (stage) => {
    const ran = await (
      await stage.platform()
    ).plan('prepare.yaml', { vars: { snapshot: 'none', snapshot_repository: '' } });
    equal(ran.why, '');
    match(ran.warned, /no snapshot is taken.*loses all data/);
  }),
  scenario('an upgrade from 4.11 or earlier cannot be rolled back, which its plan reports', async (stage) => {
    for (const [hosts, told] of [
      [['indexer-1', 'indexer-2', 'indexer-3'], true],
      [['server-1', 'server-2'], true],
      [['dashboard-1'], true],
      [['linux-1'], false],
    ] as const)
      deepEqual(
        [hosts, await isNotBack(stage, Object.fromEntries(hosts.map((host) => [host, '4.11.2'])))],
        [hosts, told],
      );
  }),
  scenario('nor can one whose hosts had several versions, unless they were at the target', async (stage) => {
    for (const host of ['indexer-2', 'server-2', 'dashboard-2']) {
      equal(await isNotBack(stage, { [host]: '4.13.1' }), true, host);
      equal(await isNotBack(stage, { [host]: '4.14.7' }), false, host);
    }
  }),
  scenario('an engine of unknown version is not recorded', async (stage) => {
    const p = await stage.platform();
    const { files } = hostOf(p.state, 'indexer-2');
    for (const path of Object.keys(files))
      if (path.startsWith('/usr/share/platform-indexer/lib')) Reflect.deleteProperty(files, path);
    const told = (await p.plan('upgrade-4.14.yaml')).events.flatMap((e) =>
      e.e === 'checked' && e.name === "Record the engine's version" && 'host' in e.task.on ? [e.task.on.host] : [],
    );
    deepEqual([...new Set(told)].sort(), ['indexer-1', 'indexer-3']);
  }),
  scenario('a platform at the target is prepared for nothing', async (stage) => {
    const p = await stage.platform({ from: '4.14.7' });
    for (const { name } of hostsOf(p.state, 'server'))
      Object.assign(hostOf(p.state, name).packages['filebeat'] ?? {}, { version: '7.10.2-2', changedAtMs: 1 });
    for (const { name } of Object.values(p.state.hosts)) hostOf(p.state, name).disk.usedBytes = 97_500_000_000;
    renamed(p.state);
    p.state.cluster.transient['cluster.routing.allocation.enable'] = 'all';
    const ran = await p.run('prepare.yaml', { vars: { snapshot_repository: '' } });
    done(ran);
    deepEqual([ran.acts, ran.asked, ran.warned], [[], '', '']);
  }),
];
