import { beforeAll, describe, expect, test } from '@jest/globals';
import { readFileSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { copyFile, mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hintText } from '../../engine/terms/hint.js';
import { fetchArtifact } from '../lab/build/maven.js';
import { certsDir, issueExpired } from '../lab/certificates.js';
import { rootOf } from '../lab/disk.js';
import { ask, green } from '../lab/indexer-client.js';
import { inventoryFile } from '../lab/inventory.js';
import { powerOff, powerOn } from '../lab/power.js';
import { run } from '../lab/shell.js';
import { onHost } from '../lab/ssh.js';
import { inRun } from '../lab/state.js';
import { hostNamed, hostsOf, type LabHost } from '../lab/topology.js';
import { packZip } from '../lib/pack-zip.js';
import { freshLab } from '../system/support/lab.js';
import { everywhere, packagesOn, startsOn, wanted } from '../system/support/platform.js';
import { isInTransaction } from '../system/support/power.js';
import { report } from '../system/support/report.js';
import { eventsOf, runbook, start, tellOf, type Ran, type Running } from '../system/support/runbook.js';

const PLAYBOOK = 'upgrade-4.14.yaml';
const inventory = (): string[] => ['-i', inventoryFile()];
const outcome = (ran: Ran, exit = 0): string => `${ran.exit} ${ran.exit === exit ? '' : tellOf(ran)}`;
const actedOn = (ran: Ran): readonly string[] => eventsOf(ran, 'intent').map(({ name }) => name);

/** What stops it, with what it says to do. */
const reasons = (ran: Ran): string =>
  eventsOf(ran, 'settled')
    .flatMap((e) =>
      e.as === 'blocked' || e.as === 'failed' ? [`${e.name}: ${e.reason ?? ''} → ${hintText(e.hint ?? '')}`] : [],
    )
    .join('\n');

const CERTS = '/etc/platform-indexer/certs';
const PLUGIN = 'opensearch-job-scheduler';
const NEW_ENGINE = '2.19.4';
const PLUGIN_TOOL =
  'runuser -u platform-indexer -- env OPENSEARCH_PATH_CONF=/etc/platform-indexer /usr/share/platform-indexer/bin/opensearch-plugin';

/** The vendor's own plug-in for the new engine, which no package of the lab has. */
const archive = (): Promise<string> => fetchArtifact(`org.opensearch.plugin:${PLUGIN}:${NEW_ENGINE}.0:zip`);

/** The same as if it were built for the engine of 4.13.1: the vendor's own is not to be had. */
async function oldArchive(): Promise<Buffer> {
  const folder = await mkdtemp(inRun('old-plugin-'));
  await run('unzip', ['-q', await archive(), '-d', folder]);
  const files = readdirSync(folder).map((name) => [name, readFileSync(join(folder, name))] as const);
  return packZip({ ...Object.fromEntries(files), [DESCRIPTOR]: old(readFileSync(join(folder, DESCRIPTOR), 'utf8')) });
}
const DESCRIPTOR = 'plugin-descriptor.properties';
const old = (descriptor: string): string => descriptor.replaceAll(NEW_ENGINE, '2.19.3');

/** With the node's own tool, beside the running node, which goes on without it until its next start. */
async function installOldPlugin(host: LabHost): Promise<void> {
  await writeFile(join(rootOf(host), 'var/tmp/old-plugin.zip'), await oldArchive(), { mode: 0o644 });
  await onHost(host, `cd /\n${PLUGIN_TOOL} install --batch file:///var/tmp/old-plugin.zip\n`);
}

/** The lab's inventory, with lines of `vars`. */
function inventoryWith(name: string, vars: string, change = (text: string): string => text): string[] {
  const file = inRun(`inventory-${name}.yaml`);
  const text = readFileSync(inventoryFile(), 'utf8').replace(/^vars:\n/m, `vars:\n${vars}`);
  writeFileSync(file, change(text), { mode: 0o600 });
  return ['-i', file];
}

interface Hidden {
  readonly what: string;
  readonly why: RegExp;
  readonly with?: () => string[];
  readonly hide: () => Promise<unknown>;
  readonly restore: () => Promise<unknown>;
}

const placeCertificate = async (host: LabHost, file: string): Promise<void> => {
  await copyFile(file, join(rootOf(host), 'var/tmp/indexer.pem'));
  await onHost(host, `cat /var/tmp/indexer.pem >${CERTS}/indexer.pem\nrm /var/tmp/indexer.pem\n`);
};

const KEYSTORE = '/var/lib/filebeat/filebeat.keystore';

/** What a running service does not notice before its next start: on hosts of both families. */
const hidden: readonly Hidden[] = [
  {
    what: 'a certificate of an indexer that expired',
    why: /Certificate is valid.*: \/etc\/platform-indexer\/certs\/indexer\.pem expired on 2025-10-01 .*CN=indexer-2/,
    hide: async () => placeCertificate(hostNamed('indexer-2'), await issueExpired('indexer-2')),
    restore: () => placeCertificate(hostNamed('indexer-2'), join(certsDir(), 'indexer-2.pem')),
  },
  {
    what: "a password in a shipper's keystore that the indexer does not know",
    why: /server-2: the shipper, started now, would not reach its output: 401 Unauthorized/,
    hide: () =>
      onHost(
        hostNamed('server-2'),
        `cd /\ncp -a ${KEYSTORE} ${KEYSTORE}.kept\nprintf Former.1x | filebeat keystore add password --stdin --force\n`,
      ),
    restore: () => onHost(hostNamed('server-2'), `mv ${KEYSTORE}.kept ${KEYSTORE}\n`),
  },
  {
    what: "a password of the indexer's administrator in the inventory that the indexer does not know",
    why: /does not accept user "admin" with its password \(401\)/,
    with: () => {
      writeFileSync(inRun('secrets', 'former'), 'Former.1x\n', { mode: 0o600 });
      return inventoryWith('former', '', (text) =>
        text.replace(inRun('secrets', 'indexer'), inRun('secrets', 'former')),
      );
    },
    hide: () => Promise.resolve(),
    restore: () => Promise.resolve(),
  },
  {
    what: 'a plug-in in an indexer that no package brought',
    why: /plug-in opensearch-job-scheduler \(for 2\.19\.3\) came with no package.* → name it.*indexer_plugins/,
    hide: () => installOldPlugin(hostNamed('indexer-3')),
    restore: () => onHost(hostNamed('indexer-3'), `cd /\n${PLUGIN_TOOL} remove ${PLUGIN}\n`),
  },
  {
    what: 'a directory of certificates that the indexer may not enter',
    why: /platform-indexer may not enter \/etc\/platform-indexer\/certs, so it cannot read \S+\.pem/,
    hide: () => onHost(hostNamed('indexer-3'), `chown root:root ${CERTS}\nchmod 0744 ${CERTS}\n`),
    restore: () =>
      onHost(hostNamed('indexer-3'), `chown platform-indexer:platform-indexer ${CERTS}\nchmod 0500 ${CERTS}\n`),
  },
];

/** The indexer that dies. Of one server's shipper it is the first, which the shipper's own test begins with, of the other's the second. */
const DEAD = 'indexer-2';
const SWAPPED = `sed -i 's/10.231.77.11:9200/first/; s/10.231.77.12:9200/10.231.77.11:9200/; s/first/10.231.77.12:9200/' /etc/filebeat/filebeat.yml\n`;

beforeAll(async () => {
  await freshLab('4.13.1');
  await onHost(hostNamed('server-2'), SWAPPED);
});

describe('a prepared lab from 4.13.1, and what its services would meet at their next start', () => {
  beforeAll(async () => {
    expect(outcome(await runbook(['apply', 'prepare.yaml', '-y', '--json', ...inventory()]))).toBe('0 ');
  });

  test.each(hidden)('$what: plan and apply are refused, and nothing was stopped', async (one) => {
    const starts = await everywhere(startsOn);
    await one.hide();
    try {
      const where = one.with?.() ?? inventory();
      for (const verb of [['plan'], ['apply', '-y']]) {
        const ran = await runbook([...verb, PLAYBOOK, '--json', ...where]);
        expect(outcome(ran, 3)).toBe('3 ');
        expect(reasons(ran)).toMatch(one.why);
        expect(actedOn(ran)).toEqual([]);
        report(`${verb[0] ?? ''}: exit ${ran.exit} after ${Math.round(ran.tookMs / 1000)} s`, reasons(ran).split('\n'));
      }
      expect(await everywhere(startsOn)).toEqual(starts);
    } finally {
      await one.restore();
    }
  });

  test('with all of it restored the plan is ready', async () => {
    expect(outcome(await runbook(['plan', PLAYBOOK, '--json', ...inventory()]))).toBe('0 ');
  });
});

/** As when an operator takes a user's rights away on one host, and gives them back. */
const sudoers = (host: LabHost): string => join(rootOf(host), 'etc/sudoers.d/ops');
const takenSudoers = (host: LabHost): string => join(rootOf(host), 'root/sudoers-ops');

describe('the repair at night, with a dead indexer and an agent without sudo', () => {
  const dead = DEAD;
  const denied = 'linux-1';
  const REASON = 'its disk is gone, the others must go on';
  let where: string[];
  let documents: unknown;

  beforeAll(async () => {
    await Promise.all(hostsOf(['indexer']).map(installOldPlugin));
    const plugin = `indexer_plugins: [{ name: ${PLUGIN}, from: ${await archive()} }]`;
    where = inventoryWith('plugins', `  target_engine: ${NEW_ENGINE}\n  ${plugin}\n`);
    documents = await count();
  });

  test('an indexer dies inside its package transaction: the run says so, and ends', async () => {
    let fell: Promise<void> | undefined;
    const running: Running = start(['apply', PLAYBOOK, '-y', '--json', ...where], {
      onEvent: ({ event }) => {
        if (event.e === 'waiting' && event.for.startsWith(`${dead} cannot be reached`)) running.interrupt();
        if (event.e !== 'intent' || event.name !== 'Upgrade the package' || fell !== undefined) return;
        if (!('host' in event.task.on) || event.task.on.host !== dead) return;
        fell = isInTransaction(hostNamed(dead)).then(() => powerOff(hostNamed(dead)));
      },
    });
    const ran = await running.done;
    await fell;
    report(`apply: exit ${ran.exit} after ${Math.round(ran.tookMs / 1000)} s`, tellOf(ran).split('\n'));
    expect([4, 130]).toContain(ran.exit);
  });

  test('without it the run is refused, and names the waiver', async () => {
    renameSync(sudoers(hostNamed(denied)), takenSudoers(hostNamed(denied)));
    const refused = await runbook(['resume', '--without', dead, '-y', ...where]);
    report(`resume: exit ${refused.exit}`, refused.stderr.split('\n'));
    expect([refused.exit, refused.stderr]).toEqual([3, expect.stringContaining('--waive same_version --reason TEXT')]);
  });

  test('with the waiver all else is upgraded', async () => {
    const args = ['resume', '--without', dead, '--waive', 'same_version', '--reason', REASON, '-y', '--json'];
    const ran = await runbook([...args, '-e', 'accept_unassigned_replicas=true', ...where]);
    report(`resume: exit ${ran.exit} after ${Math.round(ran.tookMs / 1000)} s`, tellOf(ran).split('\n'));
    expect([ran.exit, ran.stderr]).toEqual([1, expect.stringContaining(`Warning: waived: §7: the upgrade of ${dead}`)]);
    const {
      [dead]: _dead,
      [denied]: _denied,
      ...others
    } = await everywhere((host) => (host.name === dead ? Promise.resolve({}) : packagesOn(host)));
    const found = Object.values(others).flatMap((packages) => Object.entries(packages));
    expect(found).toHaveLength(8);
    expect(found.filter(([name, state]) => wanted[name] !== state)).toEqual([]);
  });

  test('allocation is `all`, no document is missing, and the two nodes run the plug-in for the new engine', async () => {
    const settings = (await ask('GET', '/_cluster/settings?flat_settings=true')) as Record<string, object>;
    expect(settings['persistent']).toMatchObject({ 'cluster.routing.allocation.enable': 'all' });
    expect(await count()).toEqual(documents);
    const plugins = (await ask('GET', `/_cat/plugins?format=json&h=name,component,version&s=name`)) as object[];
    expect(plugins.filter((one) => JSON.stringify(one).includes(PLUGIN))).toEqual(
      ['indexer-1', 'indexer-3'].map((name) => ({ name, component: PLUGIN, version: `${NEW_ENGINE}.0` })),
    );
  });

  test('the report names the waiver, its reason, and both hosts', async () => {
    const { stdout } = await runbook(['report', '--format', 'md', ...where]);
    const told = stdout.replaceAll('\\', '');
    for (const text of [`waives same_version: ${REASON}`, `${dead}: left out`, denied]) expect(told).toContain(text);
    report(
      'report',
      stdout.split('\n').filter((line) => /waive|indexer-2|linux-1/i.test(line)),
    );
  });

  test('in the morning, with both back, the same run goes to its end', async () => {
    await powerOn(hostNamed(dead));
    renameSync(takenSudoers(hostNamed(denied)), sudoers(hostNamed(denied)));
    const ran = await runbook(['resume', '-y', '--json', ...where]);
    report(`resume: exit ${ran.exit} after ${Math.round(ran.tookMs / 1000)} s`, tellOf(ran).split('\n'));
    expect(outcome(ran)).toBe('0 ');
    expect(await green(60_000)).toMatchObject({ number_of_nodes: 3, unassigned_shards: 0 });
    expect(await count()).toEqual(documents);
    const found = Object.values(await everywhere(packagesOn)).flatMap((packages) => Object.entries(packages));
    expect(found.filter(([name, state]) => wanted[name] !== state)).toEqual([]);
  });
});

/** The documents that `lab up` wrote: alerts of days that are over. */
const count = async (): Promise<unknown> =>
  ((await ask('GET', '/platform-alerts-4.x-*/_count?q=_exists_:day')) as { count: number }).count;
