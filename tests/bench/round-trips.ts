import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { knownLines, type BenchHosts } from './hosts.js';
import { writeInventory } from './inventory.js';
import { cost, type Cost } from './measure.js';
import { startProxy } from './proxy.js';
import { runbook, STEPS, workFile } from './work.js';

export interface RoundTrips {
  /** For each host: round trips of the ten steps, connecting aside, for each step. */
  readonly perStep: readonly number[];
  /** The same told by the clock: what ten steps took beyond connecting, in round trips for each step. Computing is in it. */
  readonly byWall: number;
  /** The run with the ten steps. */
  readonly cost: Cost;
}

/**
 * Counts round trips of steps that need no change, through one delaying proxy a host. Connecting is what a run of one look at the host
 * takes; the same run with the ten steps after it takes more by exactly theirs. The work must have been done before.
 */
export async function roundTrips(hosts: BenchHosts, delayMs: number): Promise<RoundTrips> {
  const connecting = await countTrips(hosts, delayMs, 'connect.yaml');
  const all = await countTrips(hosts, delayMs, 'connect-and-ten-steps.yaml');
  return {
    perStep: all.trips.map((trips, i) => (trips - (connecting.trips[i] ?? 0)) / STEPS),
    byWall: (all.cost.wallMs - connecting.cost.wallMs) / (2 * delayMs) / STEPS,
    cost: all.cost,
  };
}

async function countTrips(
  hosts: BenchHosts,
  delayMs: number,
  playbook: string,
): Promise<{ readonly trips: readonly number[]; readonly cost: Cost }> {
  const port = hosts.port === 65_535 ? 1024 : hosts.port + 1;
  const proxies = await Promise.all(
    hosts.addresses.map((address) => startProxy({ to: { address, port: hosts.port }, delayMs, address, port })),
  );
  try {
    const knownHosts = join(hosts.folder, 'known_hosts.proxy');
    writeFileSync(knownHosts, knownLines(hosts.addresses, port, readFileSync(hosts.knownHosts, 'utf8')));
    const inventory = writeInventory({ ...hosts, port, knownHosts }, 'through-proxy');
    const run = await cost({ argv: runbook('apply', '-y', '-i', inventory, workFile(playbook)) });
    return { trips: proxies.map((p) => p.trips), cost: run };
  } finally {
    await Promise.all(proxies.map((p) => p.close()));
  }
}
