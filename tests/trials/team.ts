import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { localHarness, openHarness, type Harness } from '../cli/cli-harness.js';
import { storeEnv } from '../lab/nats.js';
import type { Sshd } from '../system/sshd.js';
import type { Trial } from './trial.js';

export type Running = ReturnType<Harness['start']>;

/** A process with the times of its output. In an object: a process is a promise, which would be waited for. */
export interface Watched {
  readonly running: Running;
  /** The longest time without output so far, its start and its end included. */
  readonly longestMs: () => number;
  readonly text: () => string;
  readonly hasEnded: () => boolean;
}

/** Two machines of a team are two folders of this one, each with its own copy of the project; the host is a third folder. */
export interface Team {
  readonly host: Harness;
  readonly a: Harness;
  readonly b: Harness;
  readonly env: ReturnType<typeof storeEnv>;
  readonly run: (at: Harness, args: readonly string[]) => ReturnType<Harness['run']>;
  readonly start: (at: Harness, args: readonly string[], more?: Readonly<Record<string, string>>) => Watched;
  /** The steps that were done on the host, once for each time. */
  readonly made: () => readonly string[];
  /** Ends what is still running, and removes the folders. */
  readonly end: () => Promise<void>;
}

/** A step that counts how often it is done. What `first` waits for must end when the folder is removed. */
export const counted = (name: string, first = ''): string =>
  `      - step: ${name}
        command: { argv: [sh, -c, "${first}echo ${name} >>@/made; touch @/${name}"], creates: "@/${name}", changes: ["@/${name}"], timeout: 60s }\n`;
/** Counted, and ends when the file `go` is there. */
export const slow = (name: string): string =>
  counted(name, 'touch @/began; while test -d @/ && ! test -e @/go; do sleep 0.05; done; ');

export const ZONE_OF = (inventory: string): string =>
  inventory.replace('machine: local }', 'machine: local, zone: berlin }');

/** Its host has a lease, which a take-over replaces. */
const PLATFORM =
  'platform: Test\nroles: { node: { description: A node } }\nlease: { roles: [node], file: @/var/lease }\n';

/** The host is reached over SSH, in a zone or not. */
export const OVER_SSH =
  ({ port, keyFile, knownHosts }: Sshd, more = '') =>
  (): string =>
    [
      'platform: {}',
      'endpoints: {}',
      'secrets: {}',
      `ssh: { user: root, port: ${port}, key: ${keyFile}, known_hosts: ${knownHosts} }`,
      `hosts: { a: { address: 127.0.0.1, roles: [node]${more} } }\n`,
    ].join('\n');

let stores = 0;

export async function newTeam(
  trial: Trial,
  playbook: string,
  change = (inventory: string) => inventory,
): Promise<Team> {
  const host = localHarness(playbook);
  host.write('platform.yaml', PLATFORM);
  const files = Object.fromEntries(['platform.yaml', 'test.yaml', 'inventory.yaml'].map((f) => [f, host.read(f)]));
  files['inventory.yaml'] = change(files['inventory.yaml'] ?? '');
  const [a, b] = [openHarness(files), openHarness(files)];
  const env = storeEnv(trial.cluster, `trial${(stores += 1)}`);
  const started: Running[] = [];
  const end = trial.atEnd(async () => {
    for (const each of started) {
      each.kill('SIGKILL');
      await each;
    }
    for (const one of [host, a, b]) one.end();
  });
  const created = await a.run(['store', 'create'], { env });
  if (created.exitCode !== 0) throw new Error(`store create: ${created.stderr}`);
  return {
    host,
    a,
    b,
    env,
    run: (at, args) => at.run(args, { env }),
    start(at, args, more = {}) {
      const running = at.start(args, { env: { ...env, ...more } });
      started.push(running);
      return watched(running);
    },
    made: () => (existsSync(host.path('made')) ? readFileSync(host.path('made'), 'utf8').trim().split('\n') : []),
    end,
  };
}

function watched(running: Running): Watched {
  let [lastMs, longestMs, text, hasEnded] = [performance.now(), 0, '', false];
  const heard = (chunk: Buffer | string): void => {
    const nowMs = performance.now();
    [longestMs, lastMs] = [Math.max(longestMs, nowMs - lastMs), nowMs];
    text += chunk.toString();
  };
  for (const stream of [running.stdout, running.stderr]) stream.on('data', heard);
  void running.then(() => {
    heard('');
    hasEnded = true;
  });
  return { running, longestMs: () => longestMs, text: () => text, hasEnded: () => hasEnded };
}

const LOOK_MS = 5;

/** Waits for what the host shows; an ended process is an error. */
export async function until(is: () => boolean, of?: Watched): Promise<void> {
  while (!is()) {
    if (of?.hasEnded() === true) throw new Error(`it ended before: ${of.text()}`);
    await sleep(LOOK_MS);
  }
}

/** A worker of the zone, on the team's second machine, once it takes work. */
export async function startWorker(team: Team, more?: Readonly<Record<string, string>>): Promise<Watched> {
  const worker = team.start(team.b, ['worker', '--zone', 'berlin'], more);
  await until(() => /^worker of zone/m.test(worker.text()), worker);
  return worker;
}
