import type { Recorded } from '../terms/event.js';
import type { Inventory } from '../terms/inventory.js';
import type { Secrets } from '../terms/machine.js';

/**
 * Only a value that is known can be kept out of what is shown. A resume may never need again what an earlier part of the run put on
 * a host, and a diff may hold a value before its step is reached: so all that can be had without asking a person is had first, and
 * of what a person is asked for, that which an earlier part used. What cannot be had is said where it is needed.
 */
export async function knowSecrets(
  { secrets: sources }: Inventory,
  secrets: Secrets,
  past: readonly Recorded[],
  /** Taken out of what the run recorded. */
  redacted: ReadonlySet<string> = new Set(),
): Promise<void> {
  const prompted = Object.keys(sources).filter((name) => 'prompt' in (sources[name] ?? {}));
  const used = prompted.length === 0 ? redacted : new Set([...redacted, ...namesUsed(past)]);
  const names = Object.keys(sources).filter((name) => !prompted.includes(name) || used.has(name));
  await Promise.all(names.map((name) => secrets.value(name)));
}

/** Secrets that went into what was done: actions are recorded with references to them. */
function namesUsed(past: readonly Recorded[]): ReadonlySet<string> {
  const reference = /"\$secret":"([^"]+)"|\{\{secret\.([A-Za-z0-9_-]+)\}\}/g;
  const used = new Set<string>();
  for (const { event } of past) {
    if (event.e !== 'intent') continue;
    for (const [, whole, inText] of JSON.stringify(event.change.actions).matchAll(reference))
      used.add(whole ?? inText ?? '');
  }
  return used;
}
