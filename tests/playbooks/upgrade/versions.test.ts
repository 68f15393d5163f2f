import { describe, expect, test } from '@jest/globals';
import { textAt } from '../../../engine/simulator/files.js';
import { planView } from '../../../engine/report/plan/plan-view.js';
import { appendedIndexer, DAEMONS } from '../../../engine/platforms/security-monitoring/simulator/packages/manager.js';
import type { PlatformState } from '../../../engine/platforms/security-monitoring/simulator/state.js';
import type { Ran } from '../../run/bench-hosts.js';
import { platform } from '../platform-bench.js';
import { actedAtAll, actedOn, actsOf, edit, endOf, hostOf, versionsOf } from '../platform-looks.js';

const URLS = ['https://10.0.0.11:9200', 'https://10.0.0.12:9200', 'https://10.0.0.13:9200'];
const HOSTS = URLS.map((u) => `      <host>${u}</host>\n`).join('');
const LISTS = `    <list>etc/lists/security-eventchannel</list>\n`;
const MORE = ['md5', 'sha1', 'sha256'].map((l) => `    <list>etc/lists/malicious-ioc-${l}</list>\n`).join('');
const DETECTION = `
  <vulnerability-detection>
    <enabled>yes</enabled>
    <index-status>yes</index-status>
    <feed-update-interval>60m</feed-update-interval>
  </vulnerability-detection>
`;
const APPENDED = appendedIndexer('platform_config');
/** With the indexers, and the certificates of the shipper on the master. */
const SET = APPENDED.replace('      <host>https://0.0.0.0:9200</host>\n', HOSTS).replaceAll(
  'certs/filebeat',
  'certs/server-1',
);
const FRAGMENTS = 'Add vulnerability detection';
const ROUTE = /^uiSettings\.overrides\.defaultRoute: "?\/app\/platform-home"?$/m;
const UPGRADED = {
  'platform-indexer': ['4.14.7-1'],
  'platform-manager': ['4.14.7-1'],
  filebeat: ['7.10.2-2'],
  'platform-dashboard': ['4.14.7-1'],
  'platform-agent': ['4.14.7-1'],
};
const NOWHERE = '      <host>https://0.0.0.0:9200</host>\n';

const SERVERS = ['server-1', 'server-2'];
const BOTH = ['server-2', 'server-1'];
const textOf = (state: PlatformState, host: string, path: string): string => textAt(hostOf(state, host), path) ?? '';
const configOf = (state: PlatformState): string => textOf(state, 'server-1', state.names.manager.config);

/** What §9.5.3 and §9.5.4 make of a configuration of 4.7 that was not prepared: every other byte stays. */
const from47 = (config: string): string =>
  config
    .replace(/ {2}<vulnerability-detector>[\s\S]*?<\/vulnerability-detector>\n/, '')
    .replace(LISTS, LISTS + MORE)
    .replace(`  </cluster>\n`, `  </cluster>\n${DETECTION}`) + SET;

describe.each([
  { from: '4.7.5', ruleset: true, connector: true },
  { from: '4.8.0', ruleset: true, connector: false },
  { from: '4.11.2', ruleset: true, connector: false },
  { from: '4.12.9', ruleset: true, connector: false },
  { from: '4.13.1', ruleset: false, connector: false },
  { from: '4.14.6', ruleset: false, connector: false },
])('from $from', ({ from, ruleset, connector }) => {
  test('to 4.14.7: each fragment exactly when it is due, the rest as it was, and nothing to do the second time', async () => {
    const { run, state } = await platform({ from });
    const before = configOf(state);
    const first = await run('apply');
    expect(endOf(first)).toEqual(['done']);
    expect(versionsOf(state)).toEqual(UPGRADED);
    expect(actedOn(first, 'Add the ruleset fragment')).toEqual(ruleset ? BOTH : []);
    expect(actedOn(first, FRAGMENTS)).toEqual(connector ? BOTH : []);
    expect(actedOn(first, 'Set the indexer connector')).toEqual(connector ? BOTH : []);
    expect(configOf(state)).toBe(connector ? from47(before) : ruleset ? before.replace(LISTS, LISTS + MORE) : before);
    expect(textOf(state, 'dashboard-1', state.names.dashboard.config)).toMatch(ROUTE);
    const second = await run('apply', { name: 'second' });
    expect([...endOf(second), ...actedAtAll(second)]).toEqual(['done']);
  });
});

test('the credentials of the connector reach the keystore through standard input alone', async () => {
  const { run, state } = await platform({ from: '4.7.5' });
  const ran = await run('apply');
  const keystore = actsOf(ran).flatMap(({ name, host, change }) =>
    name === 'Store the indexer password' ? [{ host, ...change.actions[0] }] : [],
  );
  expect(keystore.map((k) => k.host)).toEqual(BOTH);
  for (const act of keystore)
    expect(act).toMatchObject({
      command: {
        argv: ['/var/platform/bin/platform-keystore', '-f', 'indexer', '-k', 'password'],
        stdin: { $secret: 'indexer' },
      },
    });
  for (const host of SERVERS)
    expect(
      ['username', 'password'].map((k) => textOf(state, host, `/var/platform/queue/keystore/indexer/${k}`)),
    ).toEqual(['admin', '{{secret.indexer}}']);
});

/** What became of the `indexer` elements of a 4.7 configuration that was prepared so. */
async function connectors(prepare: (config: string) => string, from = '4.7.5'): Promise<{ text: string; ran: Ran }> {
  const { run, state } = await platform({ from });
  edit(state, SERVERS, state.names.manager.config, prepare);
  const ran = await run('apply');
  expect(endOf(ran)).toEqual(['done']);
  return { text: configOf(state), ran };
}
const SSL = `    <ssl>\n      <certificate>/etc/ours/own.pem</certificate>\n    </ssl>\n`;
const own = (hosts: string): string =>
  `  <indexer>\n    <enabled>no</enabled>\n    <hosts>\n${hosts}    </hosts>\n${SSL}  </indexer>\n`;
const into = (block: string) => (config: string) => config.replace('  <ruleset>\n', `${block}\n  <ruleset>\n`);
const RIGHT = own(HOSTS)
  .replace('>no<', '>yes<')
  .replace(
    '/etc/ours/own.pem</certificate>\n',
    `/etc/filebeat/certs/server-1.pem</certificate>
      <certificate_authorities>
        <ca>/etc/filebeat/certs/root-ca.pem</ca>
      </certificate_authorities>
      <key>/etc/filebeat/certs/server-1-key.pem</key>\n`,
  );

describe('the indexer connector from 4.7', () => {
  test('one that is there is the operator’s, byte for byte', async () => {
    const theirs = own('      <host>https://10.9.9.9:9200</host>\n');
    const { text: config } = await connectors(into(theirs));
    expect(config).toContain(theirs);
    expect(config.match(/<indexer>/g)).toHaveLength(1);
  });

  test('one that leads to 0.0.0.0 is set, unless it is switched off', async () => {
    expect((await connectors(into(own(NOWHERE)))).text).toContain(own(NOWHERE));
    expect((await connectors(into(own(NOWHERE).replace('>no<', '>yes<')))).text).toContain(RIGHT);
  });

  test('of two the last, which counts', async () => {
    const { text: config } = await connectors((c) => into(own(NOWHERE))(c) + APPENDED);
    expect(config).toContain(SET);
  });

  test('one in a comment is none: it stays a comment, and a new one is added', async () => {
    const comment = `  <!--\n${own(NOWHERE)}  -->\n`;
    const { text: config } = await connectors(into(comment));
    expect(config).toContain(comment);
    expect(config.replace(comment, '')).toContain(`<hosts>\n${HOSTS.replaceAll('      <', '      <')}`);
    expect(config.replace(comment, '')).not.toContain('0.0.0.0');
  });
});

describe('the manager configuration is read as XML', () => {
  const COMMENT = '  <!-- until May: <host>https://0.0.0.0:9200</host>, and <vulnerability-detector> before that -->\n';

  test('a comment with the address of nowhere does not make the operator’s connector one that leads there', async () => {
    const { run, state } = await platform();
    const theirs = own('      <host>https://10.9.9.9:9200</host>\n');
    const withTheirs = (c: string): string => c.replace(/ {2}<indexer>[\s\S]*?<\/indexer>\n/, theirs);
    edit(state, SERVERS, state.names.manager.config, (c) => into(COMMENT)(withTheirs(c)));
    const before = configOf(state);
    expect(endOf(await run('apply'))).toEqual(['done']);
    expect(configOf(state)).toBe(before.replace(LISTS, LISTS + MORE));
  });

  test('a comment with the old detector brings no fragments of 4.7 to a manager that was upgraded by hand', async () => {
    const { run, state } = await platform({ at: { 'server-1': '4.14.7', 'server-2': '4.12.0' } });
    edit(state, ['server-1'], state.names.manager.config, into(COMMENT));
    const before = configOf(state);
    const ran = await run('apply');
    expect(endOf(ran)).toEqual(['done']);
    expect([actedOn(ran, FRAGMENTS), actedOn(ran, 'Store the indexer password')]).toEqual([[], []]);
    expect(configOf(state)).toBe(before);
  });

  test.each(['4.7.5', '4.12.0'])(
    'a "\\<" inside a value, from %s: it is text, and stays byte for byte',
    async (from) => {
      const value = "  <localfile>\n    <command>awk '$1 \\< 5 && /\\<root>/' x</command>\n  </localfile>\n";
      const { run, state } = await platform({ from });
      edit(state, SERVERS, state.names.manager.config, into(value));
      const before = configOf(state);
      expect(endOf(await run('apply'))).toEqual(['done']);
      expect(configOf(state)).toBe(from === '4.7.5' ? from47(before) : before.replace(LISTS, LISTS + MORE));
    },
  );
});

describe('the indexer connector from 4.8 on', () => {
  test('is no fragment to add; one that the package appended is pointed to the indexers', async () => {
    const { text: config, ran } = await connectors(
      (c) => c.replace(/\n {2}<indexer>[\s\S]*?<\/indexer>\n/, ''),
      '4.9.2',
    );
    expect(config).toContain(SET);
    expect(actedOn(ran, 'Store the indexer password')).toEqual(BOTH);
  });

  test('an operator’s own, elsewhere or switched off, is his', async () => {
    const block = own('      <host>https://10.9.9.9:9200</host>\n');
    const { text: config } = await connectors((c) => c.replace(/ {2}<indexer>[\s\S]*?<\/indexer>\n/, block), '4.9.2');
    expect(config).toContain(block);
  });
});

test('a run that lost its folder goes by what the file holds: the old detector is there, so the fragment is due', async () => {
  const { run, state } = await platform({ from: '4.7.5' });
  const before = configOf(state);
  let upgraded = false;
  await run('apply', {
    stopping: () => upgraded,
    on: ({ event }) => {
      upgraded ||= event.e === 'settled' && event.name === 'Upgrade the manager';
    },
  });
  const again = await run('apply', { name: 'second' });
  expect(endOf(again)).toEqual(['done']);
  expect(configOf(state)).toBe(from47(before));
  expect(actedOn(again, 'Store the indexer password')).toEqual(BOTH);
});

describe('on the way of the manager', () => {
  test('a list that is not on disk stops before the start and is named; once it is there a resume goes on', async () => {
    const { run, state } = await platform();
    const path = '/var/platform/etc/lists/malicious-ioc-sha1';
    let gone: (typeof state.hosts)[string]['files'][string] | undefined;
    const first = await run('apply', {
      on: ({ event }) => {
        if (event.e !== 'settled' || event.name !== 'Add the ruleset fragment' || gone !== undefined) return;
        gone = hostOf(state, 'server-2').files[path];
        Reflect.deleteProperty(hostOf(state, 'server-2').files, path);
      },
    });
    expect(endOf(first)).toEqual(['failed', expect.stringMatching(/^Ruleset lists exist: .*malicious-ioc-sha1/s)]);
    expect(hostOf(state, 'server-2').services['platform-manager']?.active).toBe('inactive');
    if (gone !== undefined) hostOf(state, 'server-2').files[path] = gone;
    expect(endOf(await run('resume', { past: first.recorded }))[0]).toBe('done');
  });

  test('one daemon that does not run is found and named, though the unit is active and others run', async () => {
    const { run, state } = await platform();
    const stdout = DAEMONS.map((d) => `platform-${d} ${d === 'remoted' ? 'not running' : 'is running'}...\n`).join('');
    let started = false;
    const ran = await run('apply', {
      on: ({ event }) => {
        if (event.e !== 'settled' || event.name !== 'Start the manager' || started) return;
        started = true;
        state.faults.push({ fault: 'program', host: 'server-2', program: 'platform-control', exit: 1, stdout });
      },
    });
    expect(endOf(ran)).toEqual([
      'failed',
      expect.stringMatching(/^Wait until all manager daemons are running: .*server-2.*remoted/s),
    ]);
  });

  test('a template of one’s own is shown line by line before it is replaced, and kept', async () => {
    const { run, state } = await platform();
    const { template } = state.names.shipper;
    edit(state, ['server-2'], template, (t) => t.replace('"order": 0', '"order": 7'));
    const before = textOf(state, 'server-2', template);
    const told = (await run('plan')).events.flatMap((e) =>
      e.e === 'checked' && e.name === 'Install the index template' && e.change?.diff?.includes('"order": 7') === true
        ? [e.task.on]
        : [],
    );
    expect(told).toEqual([{ host: 'server-2' }]);
    const ran = await run('apply');
    expect(endOf(ran)).toEqual(['done']);
    const [warned, stopped] = [
      ran.events.findIndex((e) => e.e === 'warned' && /template\.json was customised: order 0 → 7/.test(e.text)),
      ran.events.findIndex((e) => e.e === 'intent' && e.name === 'Stop the shipper'),
    ];
    expect([warned > 0, warned < stopped]).toEqual([true, true]);
    expect([textOf(state, 'server-2', `${template}.bak`), textOf(state, 'server-2', template)]).toEqual([
      before,
      expect.stringContaining('"order": 0'),
    ]);
  });
});

test('a template that is its release’s own, or of a release that no repository has any more, is replaced without a word', async () => {
  const { run, state } = await platform();
  const former = '/tags/v4.12.0/platform-template.json';
  const customised = async (): Promise<readonly string[]> =>
    (await run('plan')).events.flatMap((e) => (e.e === 'warned' && /was customised/.test(e.text) ? [e.text] : []));
  expect(await customised()).toEqual([]);
  edit(state, ['server-2'], state.names.shipper.template, (t) => t.replace('"order": 0', '"order": 7'));
  expect(await customised()).toHaveLength(1);
  Reflect.deleteProperty(state.downloads, former);
  expect(await customised()).toEqual([]);
});

describe('the shipper', () => {
  const at = (state: PlatformState, version: string): void => {
    const shipper = hostOf(state, 'server-2').packages['filebeat'];
    if (shipper !== undefined) shipper.version = version;
  };
  test.each(['7.10.1-1', '7.12.0-1'])('at %s is refused before the first change', async (version) => {
    const { run, state } = await platform();
    at(state, version);
    const ran = await run('apply');
    expect(endOf(ran)).toEqual(['refused', expect.stringContaining('indexer and server depend on shipper 7.10.2')]);
    expect(actedAtAll(ran)).toEqual([]);
  });

  test.each(['7.10.1-1', '7.12.0-1'])(
    'at %s is brought to 7.10.2 where `shipper: install` says so',
    async (version) => {
      const { run, state } = await platform({}, (p) => ({ ...p, extraVars: { shipper: 'install' } }));
      at(state, version);
      expect(endOf(await run('apply'))).toEqual(['done']);
      expect(versionsOf(state)).toEqual(UPGRADED);
    },
  );
});

describe('the dashboard’s default route', () => {
  const flat = /^uiSettings\.overrides\.defaultRoute:.*$/m;
  const spelled = {
    flat: 'uiSettings.overrides.defaultRoute: /app/platform',
    quoted: '"uiSettings.overrides.defaultRoute": "/app/platform"',
    nested: 'uiSettings:\n  overrides:\n    # ours\n    defaultRoute: /app/platform',
    'half nested': 'uiSettings.overrides:\n  defaultRoute: /app/platform',
    absent: '',
  };
  test.each(Object.entries(spelled))('%s, from 4.7, is replaced where it stands', async (_, written) => {
    const { run, state } = await platform({ from: '4.7.5' });
    const { config } = state.names.dashboard;
    edit(state, ['dashboard-1'], config, (t) => t.replace(flat, written));
    const before = textOf(state, 'dashboard-1', config);
    expect(endOf(await run('apply'))).toEqual(['done']);
    // Beside the key that the new package's script appends.
    expect(textOf(state, 'dashboard-1', config).replace('opensearch_security.cookie.secure: true\n', '')).toBe(
      written === ''
        ? `${before}uiSettings.overrides.defaultRoute: /app/platform-home\n`
        : before.replace('/app/platform', '/app/platform-home'),
    );
  });

  test('from 4.8 on it is the operator’s', async () => {
    const { run, state } = await platform({ from: '4.8.0' });
    edit(state, ['dashboard-1'], state.names.dashboard.config, (t) =>
      t.replace(flat, 'uiSettings.overrides.defaultRoute: /app/ours'),
    );
    expect(endOf(await run('apply'))).toEqual(['done']);
    expect(textOf(state, 'dashboard-1', state.names.dashboard.config)).toContain('defaultRoute: /app/ours\n');
  });
});

describe('hosts that start from different versions', () => {
  const at = { 'indexer-2': '4.12.1', 'server-2': '4.13.1', 'linux-1': '4.9.2' };

  test('are each listed in the plan and brought together, each with the fragments of its own version', async () => {
    const { run, state } = await platform({ at });
    const planned = await run('plan');
    const plan = planView(planned.recorded, { color: false, width: 120, diff: false, verbose: false });
    expect(plan).toContain('from 4.12.0, 4.12.1, 4.13.1, 4.9.2 to 4.14.7');
    for (const version of ['indexer 4.12.0', 'indexer 4.12.1', 'manager 4.12.0', 'manager 4.13.1', 'agent 4.9.2'])
      expect(plan).toContain(`platform-${version}-1 → 4.14.7-1`);
    const ran = await run('apply');
    expect([endOf(ran), versionsOf(state)]).toEqual([['done'], UPGRADED]);
    expect(actedOn(ran, 'Add the ruleset fragment')).toEqual(['server-1']);
  });

  test('that would end at different ones are refused', async () => {
    const { run } = await platform({ at });
    const ran = await run('apply', { options: { limit: new Set(['server-1', 'server-2', 'dashboard-1']) } });
    expect(endOf(ran)).toEqual(['refused', expect.stringContaining('would end at different versions')]);
    expect(actedAtAll(ran)).toEqual([]);
  });
});
