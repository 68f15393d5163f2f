import type { Inventory } from '../terms/inventory.js';
import { install, newHost, newState, sinceMs } from './create.js';
import type { Data } from '../terms/schemas/model/schema.js';
import { means } from './data.js';
import { rulesOf } from './data-rules.js';
import { putFile } from './files.js';
import { serveModel } from './process.js';
import type { Simulation } from './rules.js';
import { createModelPlatform } from './simulation.js';
import type { Fault, HostState } from './state.js';

export interface ServeDataRequest {
  readonly data: Data;
  readonly inventory: Inventory;
  readonly faults: readonly Fault[];
  readonly socket: string;
  /** What the endpoints take, by their names; one that is not named takes any. */
  readonly passwords?: Readonly<Record<string, string>>;
}

/** Serves hosts that a data file describes, until it is closed. Rejects when it cannot listen on the socket. */
export function serveData(request: ServeDataRequest): Promise<{ close(): Promise<void> }> {
  const simulation = simulationOf(request);
  return serveModel(simulation.state, request.socket, createModelPlatform(simulation));
}

/** The described hosts at their beginning. */
export function simulationOf({ data, inventory, faults, passwords = {} }: ServeDataRequest): Simulation {
  const repository = Object.fromEntries(
    Object.entries(data.packages ?? {}).map(([name, { versions }]) => [name, [...versions]]),
  );
  const hosts: Record<string, HostState> = {};
  const state = { ...newState(), faults, repository, hosts };
  const simulation = { state, rules: rulesOf(data, inventory, passwords) };
  for (const { name, address, roles } of inventory.hosts) {
    const described = Object.entries(data.hosts ?? {}).flatMap(([key, one]) =>
      means(key, { name, roles }) ? [one] : [],
    );
    const family = described.findLast((one) => one.family !== undefined)?.family ?? 'deb';
    const host = newHost(state, { name, address, roles }, { family });
    hosts[name] = host;
    for (const { packages = {}, files = {} } of described) {
      for (const [path, text] of Object.entries(files)) putFile(host, path, { text }, sinceMs(state));
      for (const [each, version] of Object.entries(packages)) install(simulation, host, each, version);
    }
  }
  return simulation;
}
