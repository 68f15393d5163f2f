import type { Recorded } from '../../terms/event.js';
import type { Inventory } from '../../terms/inventory.js';
import type { Json } from '../../terms/json.js';
import type { Secrets } from '../../terms/machine.js';
import { isSecretRef } from '../../terms/secret.js';

/**
 * Only a value that is known can be kept out of what is shown. A resume may never need again what an earlier part of the run put on
 * a host, and a diff may hold a value before its step is reached: so all that can be had without asking the operator is had first, and
 * of what the operator is asked for, that which an earlier part used. What cannot be had is reported where it is needed.
 */
export async function knowSecrets(
  { secrets: sources }: Inventory,
  secrets: Secrets,
  past: readonly Recorded[],
  /** Taken out of what the run recorded. */
  redacted: ReadonlySet<string> = new Set(),
): Promise<void> {
  const isKnownAlone = (name: string): boolean => !('prompt' in (sources[name] ?? {}));
  const used = new Set([...redacted, ...referencesIn(past)]);
  const names = Object.keys(sources).filter((name) => isKnownAlone(name) || used.has(name));
  await Promise.all(names.map((name) => secrets.value(name)));
}

/** Secrets that went into what was done: actions are recorded with references to them, which only an author can write. */
const referencesIn = (past: readonly Recorded[]): readonly string[] =>
  past.flatMap(({ event }) => (event.e === 'intent' ? referred(event.change.actions as unknown as Json) : []));

function referred(value: Json): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  return isSecretRef(value) ? [value.$secret] : Object.values(value).flatMap(referred);
}
