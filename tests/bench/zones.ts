// `tsx tests/bench/zones.ts [--hosts N] [--ssh-hosts N] [--rounds N] [--only PATTERN]`: what a store and workers cost; of all measurements
// those whose name fits. Needs Go for the servers, and root on Debian.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { startCluster, storeEnv, type Cluster } from '../lab/nats.js';
import { startHosts } from './hosts.js';
import { writeInventory } from './inventory.js';
import { cost, inTurn, median } from './measure.js';
import { runbook, workFile } from './work.js';

type Env = Readonly<Record<string, string>>;

/** `workers` undefined: the controller reaches the hosts. */
interface Setting {
  readonly name: string;
  readonly hasStore: boolean;
  readonly workers?: number;
}

const SETTINGS: readonly Setting[] = [
  { name: 'embedded', hasStore: false },
  { name: 'embedded with a store', hasStore: true },
  { name: 'through 1 worker', hasStore: true, workers: 1 },
  { name: 'through 4 workers', hasStore: true, workers: 4 },
];

const PLAYBOOK = `playbook: Many hosts
plays:
  - play: Many hosts
    hosts: all
    steps:
      - step: A directory
        file: { path: /srv/app, state: directory, mode: "0755" }
      - step: A file
        file: { path: /srv/app/motd, state: file, content: "This host is watched.\\n", mode: "0644" }
      - step: A line
        file-edit: { path: /srv/app/app.conf, create: true, lines: [{ line: "listen = 9200" }] }
      - step: A second line
        file-edit: { path: /srv/app/app.conf, lines: [{ line: "workers = 4" }] }
      - step: A stat
        file: { path: /srv/app/motd, state: file }
`;
const MODEL = 'simulate: { hosts: { all: { files: { /etc/motd: "welcome\\n" } } } }\n';
const SOCKET = 'model.sock';

const { values } = parseArgs({
  options: {
    hosts: { type: 'string', default: '1000' },
    'ssh-hosts': { type: 'string', default: '50' },
    rounds: { type: 'string', default: '5' },
    only: { type: 'string', default: '' },
  },
});

/** A program that serves until it is stopped. */
interface Server {
  /** Largest memory so far, 10⁶ bytes, and processor time so far, seconds. */
  used(): { readonly peakMb: number; readonly cpuS: number };
  stop(): Promise<void>;
}

const TICKS_PER_S = 100;

/** Starts the program, and returns once it prints that it is ready. */
async function serve(cwd: string, args: readonly string[], ready: RegExp, env: Env = {}): Promise<Server> {
  const [node, ...argv] = runbook(...args);
  const child = spawn(node, argv, { cwd, env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'inherit'] });
  await new Promise<void>((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      if (ready.test(line)) resolve();
    });
    child.once('exit', () => reject(new Error(`runbook ${args.join(' ')} ended before it was ready`)));
  });
  const read = (name: string): string => readFileSync(`/proc/${child.pid ?? 0}/${name}`, 'utf8');
  return {
    used() {
      const peakKib = Number(/^VmHWM:\s+(\d+)/m.exec(read('status'))?.[1]);
      // The name of the program is in brackets and may have spaces.
      const fields = read('stat')
        .replace(/^.*\) /, '')
        .split(' ');
      return { peakMb: (peakKib * 1024) / 1e6, cpuS: (Number(fields[11]) + Number(fields[12])) / TICKS_PER_S };
    },
    async stop() {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    },
  };
}

const startWorker = (cwd: string, inventory: string, env: Env): Promise<Server> =>
  serve(cwd, ['worker', '--zone', 'bench', '-i', inventory], /^worker of zone/, env);

const envOf = (cluster: Cluster, store: string): Env => storeEnv(cluster, store);

function writeModelHosts(folder: string, count: number, hasZone: boolean): void {
  const zone = hasZone ? ', zone: bench' : '';
  const host = (n: number): string =>
    `  h${n}: { address: 10.${n >> 16}.${(n >> 8) & 255}.${n & 255}, machine: model${zone} }`;
  const lines = Array.from({ length: count }, (_, n) => host(n + 1));
  const head = ['platform: {}', `model: { socket: ${SOCKET} }`, 'endpoints: {}', 'secrets: {}', 'hosts:'];
  writeFileSync(join(folder, 'inventory.yaml'), [...head, ...lines, ''].join('\n'));
  writeFileSync(join(folder, 'many.yaml'), PLAYBOOK);
  writeFileSync(join(folder, 'model.yaml'), MODEL);
  cpSync(workFile('platform.yaml'), join(folder, 'platform.yaml'));
}

const journalsOf = (folder: string): readonly string[] =>
  readdirSync(join(folder, '.runbook', 'runs')).map((run) => join(folder, '.runbook', 'runs', run, 'journal.ndjson'));

/** One apply on fresh hosts of one model process, which serves the controller or all workers. */
async function manyHosts(place: string, count: number, cluster: Cluster, { name, hasStore, workers }: Setting) {
  const folder = join(place, name.replaceAll(/\W+/g, '-'));
  mkdirSync(folder);
  writeModelHosts(folder, count, workers !== undefined);
  const env = hasStore ? envOf(cluster, `many-${workers ?? 0}`) : {};
  const servers: Server[] = [];
  try {
    const model = await serve(folder, ['model', 'many.yaml', '-e', '@model.yaml'], /listens on/);
    servers.push(model);
    if (hasStore) await cost({ argv: runbook('store', 'create'), env, cwd: folder });
    while (servers.length <= (workers ?? 0)) servers.push(await startWorker(folder, 'inventory.yaml', env));
    const { wallMs, cpuMs, peakMb } = await cost({ argv: runbook('apply', 'many.yaml', '-y'), env, cwd: folder });
    const events = journalsOf(folder).reduce((sum, file) => sum + readFileSync(file, 'utf8').split('\n').length - 1, 0);
    const [served, ...works] = servers.map((server) => server.used());
    const shown = (of: { peakMb: number; cpuS: number } | undefined): string =>
      of === undefined ? '' : `${of.peakMb.toFixed(0)} MB, ${of.cpuS.toFixed(1)} s of CPU`;
    console.log(
      [
        `${name}: ${(wallMs / 1000).toFixed(1)} s, ${events} events, ${(events / (wallMs / 1000)).toFixed(0)} a second`,
        `  controller ${shown({ peakMb, cpuS: cpuMs / 1000 })}`,
        `  model ${shown(served)}`,
        ...works.map((worker) => `  worker ${shown(worker)}`),
      ].join('\n'),
    );
  } finally {
    for (const server of servers.toReversed()) await server.stop();
  }
}

/** The second apply of ten steps on real hosts, which finds nothing to do. */
async function overhead(count: number, rounds: number, cluster: Cluster): Promise<void> {
  const hosts = await startHosts(count);
  let worker: Server | undefined;
  try {
    const direct = writeInventory(hosts, 'direct');
    const zoned = join(hosts.folder, 'zoned.yaml');
    writeFileSync(zoned, readFileSync(direct, 'utf8').replaceAll(/(address: [\d.]+) \}/g, '$1, zone: bench }'));
    cpSync(workFile('platform.yaml'), join(hosts.folder, 'platform.yaml'));
    const env = envOf(cluster, 'overhead');
    await cost({ argv: runbook('store', 'create', '-i', direct), env });
    worker = await startWorker(hosts.folder, zoned, env);
    const apply = (inventory: string, more: Env): (() => Promise<number>) => {
      const argv = runbook('apply', '-y', '-i', inventory, workFile('ten-steps.yaml'));
      return async () => (await cost({ argv, env: more })).wallMs;
    };
    await apply(direct, {})();
    const walls = await inTurn(rounds, [apply(direct, {}), apply(direct, env), apply(zoned, env)]);
    const [without = NaN, store = NaN, zone = NaN] = walls.map(median);
    const row = (name: string, ms: number): string =>
      `  ${name}: ${(ms / 1000).toFixed(2)} s, × ${(ms / without).toFixed(2)}`;
    console.log(`The second apply of ten steps on ${count} hosts, median of ${rounds}:`);
    console.log([row('without a store', without), row('with a store', store), row('with a zone', zone)].join('\n'));
  } finally {
    await worker?.stop();
    await hosts.stop();
  }
}

const isWanted = (name: string): boolean => new RegExp(values.only).test(name);
const load = (): string => loadavg()[0]?.toFixed(1) ?? '?';

async function main(): Promise<void> {
  const count = Number(values.hosts);
  console.log(`Node ${process.versions.node}, ${cpus().length} cores shared by all processes, load ${load()}`);
  console.log(`${count} hosts of one model process, 5 steps of which 4 change the host:`);
  const place = mkdtempSync(join(tmpdir(), 'runbook-zones-'));
  const cluster = await startCluster();
  try {
    for (const setting of SETTINGS) if (isWanted(setting.name)) await manyHosts(place, count, cluster, setting);
    if (isWanted('overhead')) await overhead(Number(values['ssh-hosts']), Number(values.rounds), cluster);
  } finally {
    await cluster.stop();
    rmSync(place, { recursive: true });
    console.log(`load ${load()}`);
  }
}

await main();
