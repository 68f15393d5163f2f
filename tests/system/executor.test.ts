import { afterAll, beforeAll } from '@jest/globals';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openConnection } from '../../engine/store/nats/link.js';
import type { NatsOptions } from '../../engine/store/nats/options.js';
import { identityOf } from '../../engine/zones/messages.js';
import { openWorker } from '../../engine/zones/open-worker.js';
import { openZone } from '../../engine/zones/zone-client.js';
import { startCluster, type Cluster } from '../lab/nats.js';
import { contractOf } from '../machines/executor-contract.js';

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster();
});
afterAll(() => cluster.stop());

const ZONE = 'berlin';
const optionsOf = (user: 'member' | 'berlin'): NatsOptions => ({
  servers: cluster.servers,
  store: 'team',
  caFile: cluster.caFile,
  login: cluster[user],
});

contractOf('a worker', async ({ hosts }, fleet, secrets) => {
  const folder = mkdtempSync(join(tmpdir(), 'runbook-worker-test-'));
  const identities = new Map(hosts.map((host) => [host.name, identityOf(host)]));
  const who = { machine: 'here', version: '1' };
  const worker = await openWorker({
    ...{ options: optionsOf(ZONE), zone: ZONE, who, hosts: identities, fleet, secrets, folder },
    onAct: () => undefined,
  });
  const { connection, maxBytes } = await openConnection(optionsOf('member'));
  const { executor } = openZone(connection, {
    store: 'team',
    zone: ZONE,
    version: '1',
    identities,
    maxBytes,
    awayMs: 600_000,
  });
  return {
    executor,
    async end() {
      await connection.close();
      await worker.close();
      rmSync(folder, { recursive: true });
    },
  };
});
