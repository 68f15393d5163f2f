import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rmdir } from 'node:fs/promises';
import { join } from 'node:path';

const root = '/sys/fs/cgroup';
const family = 'runbook-lab';

/**
 * The control groups that a host is to be started in, one in each hierarchy that systemd uses on this machine. Without
 * a group of its own for each, the systemds of all hosts would share one tree, and "no process left in the unit" would
 * speak of another host's processes.
 */
export async function makeGroups(host: string): Promise<string[]> {
  const groups = hierarchies().map((each) => join(each, family, host));
  for (const group of groups) await mkdir(group, { recursive: true });
  return groups;
}

/** The processes that are left in a host's control groups: all of them this lab's. */
export async function processesOf(host: string): Promise<number[]> {
  const found = new Set<number>();
  for (const hierarchy of hierarchies()) {
    for (const group of await below(join(hierarchy, family, host))) {
      const listed = await readFile(join(group, 'cgroup.procs'), 'utf8').catch(() => '');
      for (const pid of listed.split('\n').filter((line) => line !== '' && line !== '0')) found.add(Number(pid));
    }
  }
  return [...found];
}

/** Removes a host's control groups, as far as no process is left in them. */
export async function dropGroups(host: string): Promise<void> {
  for (const hierarchy of hierarchies()) {
    for (const group of (await below(join(hierarchy, family, host))).reverse())
      await rmdir(group).catch(() => undefined);
    await rmdir(join(hierarchy, family)).catch(() => undefined);
  }
}

/**
 * Whether hosts can have the unified hierarchy, as a Debian 12 machine has it: mounted alone, or beside the old ones. In
 * the old ones a container is not told when a group became empty, and its user sessions take 90 s to end.
 */
export const isUnified = (): boolean => hierarchies().some((each) => existsSync(join(each, 'cgroup.controllers')));

function hierarchies(): string[] {
  const alone = existsSync(join(root, 'cgroup.controllers'));
  return alone ? [root] : ['systemd', 'unified'].map((each) => join(root, each)).filter(existsSync);
}

/** The group and all below it, parents first. */
async function below(group: string): Promise<string[]> {
  if (!existsSync(group)) return [];
  const entries = await readdir(group, { withFileTypes: true }).catch(() => []);
  const children = entries.filter((entry) => entry.isDirectory()).map((entry) => below(join(group, entry.name)));
  return [group, ...(await Promise.all(children)).flat()];
}
