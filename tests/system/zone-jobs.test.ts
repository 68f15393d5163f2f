import { afterAll, afterEach, beforeAll, expect, jest, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { reached } from '../../engine/machines/machine.js';
import { createSecrets } from '../../engine/machines/secrets.js';
import { ShMachine } from '../../engine/machines/shell/machine.js';
import { systemClock } from '../../engine/machines/system-clock.js';
import { openConnection } from '../../engine/store/nats/link.js';
import type { NatsOptions } from '../../engine/store/nats/options.js';
import type { Action } from '../../engine/terms/action.js';
import type { JobState } from '../../engine/terms/machine.js';
import { identityOf } from '../../engine/zones/messages.js';
import { openWorker } from '../../engine/zones/open-worker.js';
import { openZone } from '../../engine/zones/zone-client.js';
import { startCluster, type Cluster } from '../lab/nats.js';
import { fleetOf } from '../machines/local-host.js';
import { bootSystemdHost, type SystemdHost } from './systemd-host.js';

/** Workers that are cut off in the middle of a package's transaction, on a host with systemd and dpkg. */
jest.setTimeout(300_000);
const on = { host: 'h' };
const identities = new Map([['h', identityOf({ name: 'h', address: '10.0.0.1', machine: 'ssh' })]]);
let host: SystemdHost;
let cluster: Cluster;
const ends: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  [host, cluster] = await Promise.all([bootSystemdHost({ name: 'zone-jobs' }), startCluster()]);
}, 900_000);
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});
afterAll(async () => {
  await cluster.stop();
  await host.stop();
});

const optionsOf = (user: 'member' | 'berlin'): NatsOptions => ({
  ...{ servers: cluster.servers, store: 'team', caFile: cluster.caFile, login: cluster[user] },
});

/** Its machine stays as it is when its connection to the servers is closed. */
async function startWorker() {
  const machine = new ShMachine({
    clock: systemClock,
    connect: () => Promise.resolve(reached(host.enter())),
    become: () => Promise.resolve(reached(undefined)),
  });
  const fleet = fleetOf(machine);
  const folder = mkdtempSync(join(tmpdir(), 'runbook-worker-test-'));
  const secrets = createSecrets({ sources: {}, env: {}, ask: () => Promise.resolve(undefined) });
  let begun = (): void => undefined;
  const hasBegun = new Promise<void>((resolve) => (begun = resolve));
  const worker = await openWorker({
    ...{ options: optionsOf('berlin'), zone: 'berlin', who: { machine: 'here', version: '1' } },
    ...{ hosts: identities, fleet, secrets, folder, onAct: () => begun() },
  });
  ends.push(async () => {
    await worker.close();
    await machine.close();
    rmSync(folder, { recursive: true });
  });
  return { hasBegun, vanish: () => worker.close() };
}

/** A package whose script waits for the file `go`, and then ends with this status. */
function packageThatEndsWith(name: string, status: number): Action {
  const source = mkdtempSync(join(tmpdir(), 'runbook-deb-'));
  mkdirSync(join(source, 'DEBIAN'));
  writeFileSync(
    join(source, 'DEBIAN', 'control'),
    `Package: ${name}\nVersion: 1\nArchitecture: all\nMaintainer: test <test@example>\nDescription: test\n`,
  );
  const script = `#!/bin/sh\necho run >>/srv/${name}.runs\nuntil test -e /srv/${name}.go; do sleep 0.1; done\nexit ${status}\n`;
  writeFileSync(join(source, 'DEBIAN', 'postinst'), script);
  chmodSync(join(source, 'DEBIAN', 'postinst'), 0o755);
  execFileSync('dpkg-deb', ['--build', source, join(host.root, 'srv', `${name}.deb`)]);
  rmSync(source, { recursive: true });
  const command = { argv: ['dpkg', '-i', `/srv/${name}.deb`], timeoutMs: 60_000 } as const;
  return { do: 'job', command, expect: { exit: [0] } };
}

test.each([
  ['is installed', 'good', 0],
  ['whose script fails', 'bad', 1],
])(
  'a package %s while its worker is cut off: another worker finds the result, and it ran once',
  async (_what, name, exit) => {
    const first = await startWorker();
    const { connection, maxBytes } = await openConnection(optionsOf('member'));
    ends.push(() => connection.close());
    const { executor } = openZone(connection, {
      store: 'team',
      zone: 'berlin',
      version: '1',
      identities,
      maxBytes,
      awayMs: 600_000,
    });
    const install = packageThatEndsWith(name, exit);
    const runs = join(host.root, 'srv', `${name}.runs`);
    const performing = executor.perform(on, install, { id: name });
    await first.hasBegun;
    while (!existsSync(runs)) await new Promise(setImmediate);
    await first.vanish();
    await startWorker();
    expect(await performing).toMatchObject({ is: 'unknown', why: 'connection' });
    expect(await executor.job(on, name)).toMatchObject({ is: 'running' });
    // Who was given up waits for the end of the job as well, and has its result first.
    writeFileSync(join(host.root, 'srv', `${name}.go`), '');
    let state: JobState = await executor.job(on, name);
    while (state.is === 'running') state = await executor.job(on, name);
    expect(state).toMatchObject({ is: 'ended', exit });
    expect(readFileSync(runs, 'utf8')).toBe('run\n');
    await executor.forgetJob(on, name);
    expect(await executor.job(on, name)).toEqual({ is: 'absent' });
  },
);
