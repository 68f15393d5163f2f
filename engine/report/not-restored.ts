import type { StillOwed } from '../terms/event.js';
import { nameFew, printableLine } from './style.js';
import { hostName } from './tally.js';

/** `Stop the shipper (server-1, server-2)`. */
export function notRestored(owed: readonly Pick<StillOwed, 'name' | 'task'>[]): readonly string[] {
  const hosts = new Map<string, string[]>();
  for (const { name, task } of owed) hosts.set(name, [...(hosts.get(name) ?? []), hostName(task.on)]);
  return [...hosts].map(([name, on]) => `${printableLine(name)} (${nameFew(on)})`);
}
