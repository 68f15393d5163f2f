import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { execa } from 'execa';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { tmpdir } from 'node:os';
import type { NatsConnection } from '@nats-io/transport-node';
import { openConnection } from '../../engine/store/nats/link.js';
import type { Recorded } from '../../engine/terms/event.js';
import { startProxy, type Proxy } from '../bench/proxy.js';
import { lineOf } from '../cli/cli-harness.js';
import { caFile } from '../lab/certificates.js';
import { rootOf } from '../lab/disk.js';
import { inventoryFile } from '../lab/inventory.js';
import { startCluster, storeEnv, type Cluster } from '../lab/nats.js';
import { agents, eventsFlow } from '../lab/platform-client.js';
import { attempt, run } from '../lab/shell.js';
import { onHost, secret } from '../lab/ssh.js';
import { gateway, hostNamed, hostsOf, type LabHost } from '../lab/topology.js';
import { createPeople, removePeople } from '../system/people.js';
import { freshLab } from '../system/support/lab.js';
import { everywhere, packagesOn, startsOn, wanted } from '../system/support/platform.js';
import { report } from '../system/support/report.js';
import { runbook, start, tellOf, type Ran, type Running } from '../system/support/runbook.js';
import { closeWorkplace, openWorkplace, type Workplace } from '../system/support/workplace.js';

// What starts programs for the other tests has set a shorter one.
jest.setTimeout(1_800_000);

/**
 * The lab with two zones: server-1, with the management API, in `berlin`, and the agents' hosts in `lisbon`. Real are the hosts, sshd, the servers of the store, and
 * the users: each controller and worker runs as a user of its own, with its own key, known hosts, secrets and login at the store, in a network namespace that
 * has routes to the hosts that it may reach, and to no others. The hosts reach each other. Not real: all of that is one machine and one bridge, so that
 * what keeps a controller from a zone is the missing route, not a firewall.
 */
const PEOPLE = ['lab-anna', 'lab-bert', 'lab-berlin', 'lab-lisbon'] as const;
type Name = (typeof PEOPLE)[number];
const USERS = PEOPLE.map((name) => ({ name, shell: '/bin/sh' }));
const ZONES = { berlin: ['server-1'], lisbon: ['linux-1', 'linux-2'] } as const;
const PLAYBOOK = 'upgrade-4.14.yaml';

let cluster: Cluster;
let folder: string;
let places: Record<Name, Workplace>;
const relays: Proxy[] = [];
const workers: ReturnType<typeof startProgram>[] = [];
let applying: Running | undefined;
/** What the worker of lisbon could read. */
let tap: { readonly connection: NatsConnection; messages: number; secrets: number };

const inZone = (zone: keyof typeof ZONES): readonly LabHost[] => ZONES[zone].map(hostNamed);
const outside = (): readonly LabHost[] =>
  hostsOf().filter((host) => ![...ZONES.berlin, ...ZONES.lisbon].some((name) => name === host.name));

/** The lab's, with zones: the same file for all, and paths that are each one's own. */
function inventoryOf(): string {
  const text = readFileSync(inventoryFile(), 'utf8')
    .replaceAll(caFile(), join(folder, 'ca.pem'))
    .replace(/^ {2}(api|indexer): \{ file: .*$/gm, '  $1: { file: secrets/$1 }')
    .replace(/^secrets:$/m, '$&\n  branch: { file: secrets/branch }')
    .replace(/^ssh:.*$/m, 'ssh: { user: ops, key: ssh/key, known_hosts: ssh/known_hosts, become: sudo }');
  return `${text}groups:
  servers: { hosts: [server-1], zone: berlin }
  branch: { hosts: ["linux-*"], zone: lisbon, ssh: { user: opspw, become_password: "{{secret.branch}}" } }
`;
}

/** For users who cannot read this clone. */
async function installProgram(): Promise<string> {
  const archive = join(folder, 'runbook.tar.gz');
  expect(await runbook(['bundle', '--with-node', '-o', archive])).toMatchObject({ exit: 0 });
  await run('tar', ['-xzf', archive, '-C', folder]);
  return join(folder, readdirSync(folder).find((name) => /^runbook-/.test(name)) ?? '', 'bin', 'runbook');
}

async function openPlaces(): Promise<void> {
  const inventory = inventoryOf();
  const program = await installProgram();
  const controllers = { hosts: outside(), secrets: { indexer: await secret('indexer') }, login: cluster.member };
  const people = {
    'lab-anna': controllers,
    'lab-bert': controllers,
    'lab-berlin': { hosts: inZone('berlin'), secrets: { api: await secret('api') }, login: cluster.berlin },
    'lab-lisbon': { hosts: inZone('lisbon'), secrets: { branch: await secret('opspw') }, login: cluster.lisbon },
  };
  const opened = PEOPLE.map(async (user, n) => {
    const address = `${gateway.replace(/\d+$/, '')}${61 + n}`;
    return [
      user,
      await openWorkplace({ user, folder, address, inventory, cluster, program, ...people[user] }),
    ] as const;
  });
  places = Object.fromEntries(await Promise.all(opened)) as typeof places;
}

function startProgram({ project, options }: Workplace, args: readonly string[]) {
  const [file = '', ...rest] = [...(options.through ?? []), ...args];
  return execa(file, rest, { cwd: project, stdin: 'ignore', reject: false });
}
async function startWorker(zone: keyof typeof ZONES): Promise<void> {
  const worker = startProgram(places[`lab-${zone}`], ['worker', '--zone', zone]);
  workers.push(worker);
  await lineOf(worker.stdout, /^worker of zone/).catch(async () => {
    throw new Error(`it ended before: ${(await worker).stderr}`);
  });
}

const linkOf = (login: Cluster['user']) =>
  openConnection({ servers: cluster.servers, store: 'team', caFile: cluster.caFile, login });
const secretsOfBerlin = async (): Promise<readonly string[]> => {
  const value = await secret('api');
  return [value, Buffer.from(`ops:${value}`).toString('base64')];
};
async function listen(): Promise<typeof tap> {
  const { connection } = await linkOf(cluster.lisbon);
  const forms = await secretsOfBerlin();
  const heard = { connection, messages: 0, secrets: 0 };
  connection.subscribe('team.zone.lisbon.>', {
    callback: (_error, message) => {
      heard.messages += 1;
      if (forms.some((form) => message.string().includes(form))) heard.secrets += 1;
    },
  });
  return heard;
}

beforeAll(async () => {
  await freshLab();
  cluster = await startCluster();
  expect(await runbook(['store', 'create'], { env: storeEnv(cluster, 'team') })).toMatchObject({ exit: 0 });
  for (const server of cluster.servers) {
    const port = Number(server.split(':').at(-1));
    relays.push(await startProxy({ to: { address: '127.0.0.1', port }, delayMs: 0, address: gateway, port }));
  }
  folder = mkdtempSync(join(tmpdir(), 'runbook-zone-lab-'));
  createPeople(USERS, folder);
  copyFileSync(caFile(), join(folder, 'ca.pem'));
  chmodSync(join(folder, 'ca.pem'), 0o644);
  await openPlaces();
  await startWorker('berlin');
  await startWorker('lisbon');
  tap = await listen();
});

// Each also where one before it failed.
afterAll(async () => {
  applying?.kill();
  await applying?.done;
  for (const worker of workers) {
    worker.kill('SIGKILL');
    await worker;
  }
});
afterAll(() => tap.connection.close());
afterAll(async () => {
  for (const relay of relays) await relay.close();
});
afterAll(() => cluster.stop());
afterAll(async () => {
  for (const name of PEOPLE) await closeWorkplace(name);
  removePeople(USERS);
  rmSync(folder, { recursive: true, force: true });
});

/** Prints each host with the outcome of a connection to its sshd. */
const PROBE = `
for (const [name, address] of Object.entries(JSON.parse(process.argv[1]))) {
  const socket = require('node:net').connect(22, address);
  socket.once('data', (text) => { console.log(name, String(text).slice(0, 4)); socket.destroy(); });
  socket.once('error', ({ code }) => console.log(name, code));
}`;
async function probe(name: Name): Promise<Record<string, string>> {
  const addresses = Object.fromEntries(hostsOf().map((host) => [host.name, host.address]));
  const [file = '', ...args] = places[name].as([process.execPath, '-e', PROBE, JSON.stringify(addresses)]);
  const lines = (await run(file, args)).trim().split('\n');
  return Object.fromEntries(lines.map((line) => line.split(' ') as [string, string]));
}
const reached = (hosts: readonly LabHost[]): Record<string, string> =>
  Object.fromEntries(hostsOf().map((host) => [host.name, hosts.includes(host) ? 'SSH-' : 'ENETUNREACH']));

function journalOf(name: Name): readonly Recorded[] {
  const runs = join(places[name].project, '.runbook', 'runs');
  const [id = ''] = readdirSync(runs).sort().slice(-1);
  const lines = readFileSync(join(runs, id, 'journal.ndjson'), 'utf8')
    .trimEnd()
    .split('\n');
  return lines.map((line) => JSON.parse(line) as Recorded);
}
/** What a run recorded of the master's package. */
const ofMaster = (journal: readonly Recorded[]): readonly string[] =>
  journal.flatMap(({ event }) =>
    'task' in event && 'host' in event.task.on && event.task.on.host === 'server-1' && event.task.step.endsWith(STEP)
      ? [event.e]
      : [],
  );
const STEP = '/Upgrade the manager';

/** Makes dpkg on the master wait, so that the controller is killed in the middle of its job. */
const onMaster = (path: string): string => join(rootOf(hostNamed('server-1')), path);
const DPKG_HOOK = '/etc/dpkg/dpkg.cfg.d/in-the-middle';
const [BEGAN, GO] = ['/var/tmp/dpkg-began', '/var/tmp/dpkg-go'];
const HOLD = `touch ${BEGAN}; until test -e ${GO}; do sleep 0.1; done`;

/** Each time that a package of the platform was upgraded on a host, in the words of its package manager. */
async function upgradesOn(host: LabHost): Promise<readonly string[]> {
  const log =
    host.family === 'deb'
      ? `awk '$3 == "upgrade" { sub(":.*", "", $4); print $4, $6 }' /var/log/dpkg.log`
      : `sed -nE 's/.* Upgrade: ([a-z-]+)-([0-9].*)\\.[a-z0-9_]+$/\\1 \\2/p' /var/log/dnf.rpm.log`;
  const lines = (await onHost(host, log)).trim().split('\n');
  return lines.filter((line) => (line.split(' ')[0] ?? '') in wanted).sort();
}

describe('a platform with two zones, upgraded from 4.12.0', () => {
  let killed: Ran;
  let resumed: Ran;

  test('each controller has a route to the hosts outside the zones alone, and each worker to those of its zone', async () => {
    for (const name of ['lab-anna', 'lab-bert'] as const) expect(await probe(name)).toEqual(reached(outside()));
    for (const zone of ['berlin', 'lisbon'] as const) expect(await probe(`lab-${zone}`)).toEqual(reached(inZone(zone)));
    for (const host of inZone('lisbon'))
      await onHost(host, `timeout 5 bash -c '</dev/tcp/${hostNamed('server-1').address}/22'`);
  });

  test('is examined by a doctor that needs no secret of a zone', async () => {
    const ran = await runbook(['doctor', PLAYBOOK], places['lab-anna'].options);
    expect([ran.exit, ran.stdout]).toEqual([0, expect.stringMatching(/✓ Endpoints +5 checks[^]*No problems found/)]);
  });

  test('an apply whose controller is killed while the worker of its zone upgrades the master', async () => {
    writeFileSync(onMaster(DPKG_HOOK), `pre-invoke=${HOLD}\n`);
    const [berlin] = workers;
    if (berlin === undefined) throw new Error('no worker');
    applying = start(['apply', PLAYBOOK, '-y', '--json'], places['lab-anna'].options);
    const ended = applying.done.then((ran) => Promise.reject(new Error(tellOf(ran))));
    await Promise.race([lineOf(berlin.stdout, /server-1 .*\/Upgrade the manager@/), ended]);
    // The worker says that it begins before it asks whether it may: then the job is started, which is recorded.
    while (!existsSync(onMaster(BEGAN)) || !ofMaster(journalOf('lab-anna')).includes('effect'))
      await Promise.race([new Promise(setImmediate), ended]);
    applying.kill();
    killed = await applying.done;
    writeFileSync(onMaster(GO), '');
    rmSync(onMaster(DPKG_HOOK));
    expect(killed.exit).toBe(-1);
    expect(ofMaster(journalOf('lab-anna'))).toEqual(['intent', 'effect']);
  });

  test('is resumed from another folder by another user, to its end', async () => {
    const runs = await runbook(['runs'], places['lab-bert'].options);
    expect([runs.exit, runs.stdout]).toEqual([0, expect.stringContaining('(unfinished)')]);
    resumed = await runbook(['resume', '-y'], places['lab-bert'].options);
    expect(`${resumed.exit} ${resumed.exit === 0 ? '' : tellOf(resumed)}`).toBe('0 ');
    report('a whole upgrade with two zones, its controller killed', [
      `${Math.round(killed.tookMs / 1000)} s until it was killed, ${Math.round(resumed.tookMs / 1000)} s from the resume to the end`,
      `${tap.messages} messages of the zone lisbon`,
    ]);
    // The job that the first one started was waited for, and not started again.
    expect(ofMaster(journalOf('lab-bert'))).toEqual(['intent', 'effect', 'settled']);
  });

  test('has each host at the target version, every service active, and the agents connected', async () => {
    const found = Object.values(await everywhere(packagesOn)).flatMap((packages) => Object.entries(packages));
    expect(found).toHaveLength(10);
    expect(found.filter(([name, state]) => wanted[name] !== state)).toEqual([]);
    const units = Object.values(await everywhere(startsOn)).flatMap((starts) => Object.entries(starts));
    expect(units.filter(([, state]) => !state.startsWith('active '))).toEqual([]);
    const known = (await agents()).map(({ name, version, status }) => `${name} ${version} ${status}`);
    expect(known.sort()).toEqual(ZONES.lisbon.map((name) => expect.stringMatching(`^${name} .*v4\\.14\\.7 active$`)));
    await eventsFlow(30_000);
  });

  test('has upgraded each package once', async () => {
    for (const host of hostsOf()) {
      const there = Object.entries(await packagesOn(host)).map(([name, state]) => `${name} ${state.slice(3)}`);
      expect([host.name, await upgradesOn(host)]).toEqual([host.name, there.sort()]);
    }
  });

  test('is one run, in both folders', async () => {
    for (const name of ['lab-anna', 'lab-bert'] as const) {
      const shown = await runbook(['show'], places[name].options);
      expect([shown.exit, shown.stdout]).toEqual([0, expect.stringContaining('lab-bert')]);
      const listed = await runbook(['runs'], places[name].options);
      expect([listed.exit, listed.stdout]).toEqual([0, expect.not.stringContaining('unfinished')]);
    }
    expect(journalOf('lab-anna')).toEqual(journalOf('lab-bert'));
  });

  test('refuses a worker what is of the other zone: its subjects, and its secrets', async () => {
    const refused = await new Promise<string>((resolve) => {
      const callback = (error: Error | null): void => resolve(error?.name ?? 'none');
      tap.connection.subscribe('team.zone.berlin.>', { callback });
    });
    expect(refused).toBe('PermissionViolationError');
    const other = await startProgram(places['lab-lisbon'], ['worker', '--zone', 'berlin']);
    expect([other.exitCode, other.stderr]).toEqual([4, expect.stringContaining('take no work of zone berlin')]);
    const [file = '', ...args] = places['lab-lisbon'].as(['cat', join(places['lab-berlin'].project, 'secrets/api')]);
    expect(await attempt(file, args)).toMatchObject({ exit: 1, stderr: expect.stringContaining('Permission denied') });
    const environment = readFileSync(`/proc/${workers[1]?.pid ?? ''}/environ`, 'utf8');
    expect((await secretsOfBerlin()).filter((form) => environment.includes(form))).toEqual([]);
    expect(tap.messages).toBeGreaterThan(100);
    expect(tap.secrets).toBe(0);
  });

  test('keeps the secrets of its zones out of the store, and of what the controllers keep', async () => {
    const kept = [
      dirname(cluster.caFile),
      ...(['lab-anna', 'lab-bert'] as const).map((name) => join(places[name].project, '.runbook')),
    ];
    const find = (place: string, values: readonly string[]) =>
      attempt('grep', ['-rlaF', '-f', '-', place], { input: values.join('\n') });
    for (const place of kept) {
      expect((await find(place, ['lab-bert'])).stdout).not.toBe('');
      const found = await find(place, [...(await secretsOfBerlin()), await secret('opspw')]);
      expect(found).toMatchObject({ exit: 1, stdout: '' });
    }
  });
});
