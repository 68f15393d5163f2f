import { beforeAll, describe, expect, test } from '@jest/globals';
import { green } from '../lab/indexer-client.js';
import { eventsFlow } from '../lab/platform-client.js';
import { secret } from '../lab/ssh.js';
import { gateway, hostNamed, hostsOf } from '../lab/topology.js';
import { startWriter, stopWriter, verifyWritten } from '../lab/writer.js';
import { awayOf, requests, span, tellAway, type Asked } from '../system/support/away.js';
import { freshLab } from '../system/support/lab.js';
import { offlineInventory } from '../system/support/offline.js';
import { everywhere, MANAGER_CONFIG, packagesOn, readOn, startsOn, wanted } from '../system/support/platform.js';
import { comparedAndTold, report } from '../system/support/report.js';
import { eventsOf, runbook, tellOf, type Ran } from '../system/support/runbook.js';

const PLAYBOOK = 'upgrade-4.14.yaml';
const SERVERS = hostsOf(['server']);
let carried: string;
const inventory = (): string[] => ['-i', carried];
const outcome = (ran: Ran): string => `${ran.exit} ${ran.exit === 0 ? '' : tellOf(ran)}`;

/** Its agents are of 4.7.5, and there is no terminal to ask at. */
const ACCEPTING = ['-e', 'unmanaged_agents=accept'];

describe('the lab from 4.7.5, upgraded with packages that were carried to the controller', () => {
  let planned: Ran;
  let applied: Ran;

  let askedBefore: number;
  const askedInTheRun = (): readonly Asked[] => requests().slice(askedBefore);

  beforeAll(async () => {
    await freshLab('4.7.5');
    carried = offlineInventory();
    askedBefore = requests().length;
  });

  test('the plan warns that there is no rollback', async () => {
    planned = await runbook(['plan', PLAYBOOK, ...ACCEPTING, '--json', ...inventory()]);
    expect(outcome(planned)).toBe('0 ');
    expect(eventsOf(planned, 'warned').map(({ text }) => text)).toContainEqual(
      expect.stringMatching(/this upgrade cannot be rolled back: a downgrade to 4\.11 or earlier is impossible/),
    );
  });

  test('one apply goes to its end', async () => {
    await startWriter();
    try {
      applied = await runbook(['apply', PLAYBOOK, '-y', ...ACCEPTING, '--json', ...inventory()]);
    } finally {
      await stopWriter();
    }
    expect(outcome(applied)).toBe('0 ');
    const found = Object.values(await everywhere(packagesOn)).flatMap((packages) => Object.entries(packages));
    expect(found).toHaveLength(10);
    expect(found.filter(([name, state]) => wanted[name] !== state)).toEqual([]);
    expect(await green(1_000)).toMatchObject({ number_of_nodes: 3, unassigned_shards: 0 });
    expect((await verifyWritten()).missing).toEqual([]);
    await eventsFlow(30_000);
  });

  test('no host asked for anything, and nothing was fetched between the first stop and the last start', () => {
    const [from, until] = span(awayOf(applied));
    report(`${Math.round((until - from) / 1000)} s from the first stop to the last start`, tellAway(awayOf(applied)));
    expect([...awayOf(applied).keys()].sort()).toEqual(
      [
        ...hostsOf(['indexer']).map(({ name }) => `indexer of ${name}`),
        ...SERVERS.flatMap(({ name }) => [`manager of ${name}`, `shipper of ${name}`]),
        'dashboard of dashboard-1',
      ].sort(),
    );
    expect(askedInTheRun().filter(({ atMs }) => atMs > from && atMs < until)).toEqual([]);
    // The shippers' module and template, by the controller.
    expect(askedInTheRun().length).toBeGreaterThan(0);
    expect(askedInTheRun().filter((asked) => asked.from !== gateway || /\.(?:deb|rpm)$/.test(asked.path))).toEqual([]);
  });

  test('the plan was right byte by byte', () => {
    const { right, wrong } = comparedAndTold(planned, applied);
    expect(wrong).toEqual([]);
    expect(right.length).toBeGreaterThan(60);
  });

  test('the old detector went, and the connector leads to each indexer with the credentials of the keystore', async () => {
    for (const host of SERVERS) {
      const config = readOn(host, MANAGER_CONFIG).toString('utf8');
      expect(config).not.toContain('vulnerability-detector');
      expect(config).toContain('<feed-update-interval>60m</feed-update-interval>');
      expect(config.match(/<indexer>/g)).toHaveLength(1);
      expect([...config.matchAll(/<host>(.*)<\/host>/g)].map(([, url]) => url)).toEqual(
        hostsOf(['indexer']).map(({ address }) => `https://${address}:9200`),
      );
      const kept = ['username', 'password'].map((key) =>
        readOn(host, `/var/platform/queue/keystore/indexer/${key}`).toString('utf8'),
      );
      expect(kept).toEqual(['admin', await secret('indexer')]);
      const log = readOn(host, '/var/platform/logs/platform.log').toString('utf8');
      expect(log).toContain('IndexerConnector initialized successfully for index: platform-states-');
      expect(config).toContain(`<certificate>/etc/filebeat/certs/${host.name}.pem</certificate>`);
    }
  });

  test('the dashboard opens its page of today', () => {
    const config = readOn(hostNamed('dashboard-1'), '/etc/platform-dashboard/dashboard.yml').toString('utf8');
    expect(config.match(/defaultRoute.*$/gm)).toEqual(['defaultRoute: /app/platform-home']);
  });

  test('a second apply changes nothing, and a rollback is refused', async () => {
    const starts = await everywhere(startsOn);
    const again = await runbook(['apply', PLAYBOOK, '-y', ...ACCEPTING, '--json', ...inventory()]);
    expect(outcome(again)).toBe('0 ');
    expect(eventsOf(again, 'intent').map(({ name }) => name)).toEqual([]);
    expect(await everywhere(startsOn)).toEqual(starts);
    const back = await runbook(['rollback', '-y', '--json', ...inventory()]);
    expect(back.exit).toBe(3);
    expect(eventsOf(back, 'intent').map(({ name }) => name)).toEqual([]);
    expect(tellOf(back)).toMatch(/cannot roll back to 4\.7\.5/);
  });
});
