import { mkdtempSync, rmSync, existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeFileSync } from 'node:fs';
import { modules } from '../../engine/cli/platforms.js';
import { openJournal } from '../../engine/journal/journal.js';
import { loadTexts } from '../../engine/language/load.js';
import { createHostPool } from '../../engine/machines/host-pool.js';
import { createEndpoints } from '../../engine/machines/http/endpoint-reader.js';
import { createHttpClient } from '../../engine/machines/http/http-client.js';
import { createSecrets } from '../../engine/machines/secrets.js';
import type { SendLimits } from '../../engine/machines/shell/limits.js';
import { systemClock } from '../../engine/machines/system-clock.js';
import { createRun } from '../../engine/run/run.js';
import { runAll } from '../../engine/run/start.js';
import type { Event } from '../../engine/terms/event.js';
import { refKey, type Answer, type Need } from '../../engine/terms/fact.js';
import type { Endpoint, Host } from '../../engine/terms/inventory.js';
import type { Json } from '../../engine/terms/json.js';
import type { Reader } from '../../engine/terms/machine.js';
import { hostName, type Subject } from '../../engine/terms/subject.js';
import { createManualClock } from './manual-clock.js';

/** Small, so that each is reached at once; what happens there is the same with those of SEND_LIMITS. */
export const LIMITS = { unasked: 50_000, answer: 200_000, output: 50_000 } as const satisfies SendLimits;

const PLAYBOOK = `
playbook: P
plays:
  - play: One
    hosts: all
    steps:
      - step: Read
        record: { values: { it: "{{fact.it}}" } }
      - step: Write
        file: { path: "@/{{host.name}}", state: file, content: done }
`;
/** Long before a real limit of the client's own has passed, so that only those of the host count. */
const CONNECT_MS = 7_000;

export interface Ended {
  /** What host `bad` came to: why it failed, or what was read of it. */
  readonly bad: { readonly reason: string } | { readonly it: Json };
  readonly isGoodDone: boolean;
}

/**
 * A run of two steps on `good`, which is this machine, and on `bad`, which is reached by ssh; `fact.it` is what each says. The time
 * limits of `bad` pass once it has stalled, and not before.
 */
export async function runBeside(asked: {
  /** The platform's fact; `@` is a folder. */
  readonly fact: string;
  readonly vars: Readonly<Record<'good' | 'bad', string>>;
  /** Its ssh server; absent: it is this machine, too. */
  readonly bad?: { readonly port: number; readonly known: string };
  /** `bad` is reached by way of itself. */
  readonly byJump?: true;
  readonly endpoint?: Endpoint;
  readonly stalled: Promise<void>;
}): Promise<Ended> {
  const folder = mkdtempSync(join(tmpdir(), 'runbook-hostile-'));
  const fill = (text: string): string => text.replaceAll('@', folder);
  const hosts = (['bad', 'good'] as const)
    .map(
      (h, i) =>
        `  ${h}: { address: 127.0.0.${i + 1}, roles: [test], vars: { answer: ${JSON.stringify(fill(asked.vars[h]))} } }\n`,
    )
    .join('');
  const endpoints = asked.endpoint === undefined ? '{}' : `{ e: { url: "https://127.0.0.1:1", auth: none } }`;
  const loaded = await loadTexts({
    playbook: [
      { file: join(folder, 'test.yaml'), text: fill(PLAYBOOK) },
      {
        file: join(folder, 'platform.yaml'),
        text: `platform: Test\nnames: {}\nroles: { test: { description: Test } }\nfacts: { it: { description: It, ${fill(asked.fact)} } }\ninvariants: []\nvars: { answer: { type: string, default: "" } }\ncomponents: []\n`,
      },
    ],
    inventory: [
      {
        file: join(folder, 'inventory.yaml'),
        text: `platform: {}\nendpoints: ${endpoints}\nsecrets: {}\nhosts:\n${hosts}`,
      },
    ],
    cwd: folder,
    env: {},
  });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.diagnostics));
  const knownHosts = join(folder, 'known_hosts');
  writeFileSync(knownHosts, asked.bad?.known ?? '');
  const noTerminal = (): Promise<string> => Promise.reject(new Error('no terminal'));
  const secrets = createSecrets({ sources: {}, env: {}, ask: noTerminal });
  const ssh = { user: 'ops', password: 'any', knownHosts, connectTimeoutMs: CONNECT_MS, become: 'none' } as const;
  const inventory = {
    ...loaded.value.inventory,
    endpoints: asked.endpoint === undefined ? {} : { e: asked.endpoint },
    hosts: loaded.value.inventory.hosts.map((host): Host =>
      host.name === 'bad' && asked.bad !== undefined
        ? {
            ...host,
            machine: 'ssh',
            ssh: {
              ...ssh,
              port: asked.bad.port,
              jump: asked.byJump === true ? [`ops@127.0.0.1:${asked.bad.port}`] : [],
            },
          }
        : { ...host, machine: 'local', ssh: {} },
    ),
  };
  const clock = createManualClock();
  const poolOf = (time: typeof systemClock) =>
    createHostPool({
      ...{ inventory, secrets, clock: time, ask: noTerminal, env: {}, hostFacts: [], askBecomePassword: false },
      limits: LIMITS,
    });
  const pools = { good: poolOf(systemClock), bad: poolOf(clock) };
  const httpOf = (time: typeof systemClock) =>
    createEndpoints({
      ...{ inventory, secrets, clock: time, cacheDir: join(folder, 'cache'), facts: new Map() },
      client: createHttpClient({ clock: time, largestBodyBytes: LIMITS.answer }),
    });
  const http = { good: httpOf(systemClock), bad: httpOf(clock) };
  const sideOf = (on: Subject) => (('endpoint' in on ? on.node : hostName(on)) === 'bad' ? 'bad' : 'good');
  const machineOf = (host: string) => pools[sideOf({ host })].machineOf(host);
  const askOne = async (need: Need): Promise<ReadonlyMap<string, Answer>> =>
    'host' in need.of
      ? ((await machineOf(need.of.host)?.ask([need])) ?? new Map<string, Answer>())
      : new Map([[refKey(need), await http[sideOf(need.of)].ask(need)]]);
  const reader: Reader = {
    ask: async (needs) => new Map((await Promise.all(needs.map(askOne))).flatMap((answers) => [...answers])),
  };
  const events: Event[] = [];
  const journal = openJournal({ nowMs: () => 0 });
  journal.subscribe(({ event }) => events.push(event));
  const machineAt = (on: Parameters<typeof hostName>[0]) => {
    const machine = machineOf(hostName(on));
    if (machine === undefined) throw new Error(`no machine for ${hostName(on)}`);
    return machine;
  };
  const run = createRun(
    loaded.value,
    modules,
    {
      reader,
      clock: createManualClock(),
      journal,
      actor: {
        perform: (on, action, context) => machineAt(on).perform(on, action, context),
        job: (on, id) => machineAt(on).job(on, id),
        forgetJob: (on, id) => machineAt(on).forgetJob(on, id),
      },
    },
    { forks: 5 },
  );
  let isOver = false;
  const passing = asked.stalled.then(async () => {
    while (!isOver) {
      clock.pass(600_000);
      await new Promise(setImmediate);
    }
  });
  try {
    await runAll(run, { run: 'test', verb: 'apply', hash: 'h', inventory: '' });
    const isGoodDone = existsSync(join(folder, 'good'));
    return { bad: badOf(events), isGoodDone };
  } finally {
    await Promise.all([pools.good, pools.bad, http.good, http.bad].map((one) => one.close()));
    isOver = true;
    void passing;
    rmSync(folder, { recursive: true });
  }
}

function badOf(events: readonly Event[]): Ended['bad'] {
  const ends = events.flatMap((e) => (e.e === 'settled' && 'host' in e.task.on && e.task.on.host === 'bad' ? [e] : []));
  const read = ends.find(({ name }) => name === 'Read');
  const failed = ends.find(({ as }) => as !== 'done' && as !== 'ok');
  if (failed !== undefined) return { reason: failed.reason ?? '' };
  return read !== undefined && 'value' in read
    ? { it: (read.value as { readonly it: Json }).it }
    : { reason: JSON.stringify(events.slice(-2)) };
}
