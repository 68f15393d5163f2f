import type { NotRestored } from '../../terms/event.js';
import { nameFew, printableLine } from '../style.js';
import { hostName } from '../../terms/subject.js';

/** `Stop the database (db-1, db-2)`. */
export function notRestored(changes: readonly Pick<NotRestored, 'name' | 'task'>[]): readonly string[] {
  const hosts = new Map<string, string[]>();
  for (const { name, task } of changes) hosts.set(name, [...(hosts.get(name) ?? []), hostName(task.on)]);
  return [...hosts].map(([name, on]) => `${printableLine(name)} (${nameFew(on)})`);
}
