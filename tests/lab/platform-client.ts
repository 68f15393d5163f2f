import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ask as askIndexer } from './indexer-client.js';
import { caFile } from './certificates.js';
import { rootOf } from './disk.js';
import { pause } from './hosts.js';
import { attempt, tail } from './shell.js';
import { secret } from './ssh.js';
import { firstOf, hostsOf } from './topology.js';

/** An agent as the management API tells of it. */
export interface AgentRecord {
  id: string;
  name: string;
  version: string;
  status: string;
}

/** All agents that the management API knows, the manager itself (`000`) left out; throws when it does not answer so. */
export async function agents(): Promise<AgentRecord[]> {
  const api = `https://${firstOf('master').address}:55000`;
  const token = await curl(
    `${api}/security/user/authenticate?raw=true`,
    `user = "ops:${await secret('api')}"\nrequest = POST\n`,
  );
  const answer = JSON.parse(
    await curl(`${api}/agents?limit=500`, `header = "Authorization: Bearer ${token.trim()}"\n`),
  ) as {
    data: { affected_items: AgentRecord[] };
  };
  return answer.data.affected_items.filter((agent) => agent.id !== '000');
}

/** Waits until each agent host is known as active to the management API. */
export async function agentsActive(limitMs = 90_000): Promise<void> {
  const wanted = hostsOf(['agent']).map((host) => host.name);
  await until('agents active', limitMs, async () => {
    const active = (await agents()).filter((agent) => agent.status === 'active').map((agent) => agent.name);
    return wanted.every((name) => active.includes(name));
  });
}

/** Waits until the dashboard says that it is ready. */
export async function dashboardReady(limitMs = 90_000): Promise<void> {
  const url = `https://${firstOf('dashboard').address}/api/status`;
  await until('dashboard ready', limitMs, async () => (await curl(url, '')).includes('"green"'));
}

/** Waits until an alert of each server is found in the indexer: events flow. */
export async function eventsFlow(limitMs = 120_000): Promise<void> {
  await until('events flow', limitMs, async () => {
    const found = hostsOf(['server']).map(async (host) => {
      const path = `/platform-alerts-4.x-*/_count?q=manager.name:${host.name}`;
      return ((await askIndexer('GET', path)) as { count: number }).count;
    });
    return (await Promise.all(found)).every((count) => count > 0);
  });
}

/** Repeats a question until it is answered with yes; throws with the last error when the limit passes. */
async function until(what: string, limitMs: number, holds: () => Promise<boolean>): Promise<void> {
  const limit = performance.now() + limitMs;
  let last = 'not yet';
  while (performance.now() < limit) {
    try {
      if (await holds()) return;
      last = 'not yet';
    } catch (error) {
      last = error instanceof Error ? error.message : String(error);
    }
    await pause(500);
  }
  throw new Error(`${what}: not within ${limitMs / 1000} s (${last})\n${await masterLog()}`);
}

/** The end of the master's log: the daemons write there why they ended. */
async function masterLog(): Promise<string> {
  const file = join(rootOf(firstOf('master')), 'var/platform/logs/platform.log');
  return tail(await readFile(file, 'utf8').catch(String));
}

/** One request; what is secret goes in the configuration on standard input, never in an argument. */
async function curl(url: string, config: string): Promise<string> {
  const { exit, stdout, stderr } = await attempt(
    'curl',
    ['-sS', '--fail', '--max-time', '10', '--cacert', caFile(), '-K', '-', url],
    {
      input: config,
    },
  );
  if (exit !== 0) throw new Error(`${url}: ${stderr.trim()}`);
  return stdout;
}
