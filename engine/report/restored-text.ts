import type { Wanted } from '../terms/change.js';
import { isObject } from '../terms/json.js';
import { nameHosts, printableLine } from './style.js';

interface Restored {
  readonly name: string;
  readonly restoredBy: Wanted;
}

/** What happens when a temporary change is restored: `filebeat started on server-1`; by the step that made it where there are no words for that. */
export function restoredText({ name, restoredBy }: Restored, hosts: readonly string[]): string {
  const text = textOf(restoredBy);
  return text === undefined
    ? `undone on ${nameHosts(hosts)}: ${printableLine(name)}`
    : `${printableLine(text)} on ${nameHosts(hosts)}`;
}

const PACKAGES: Readonly<Record<string, string>> = { free: 'packages unlocked', held: 'packages locked' };

function textOf({ module, args }: Wanted): string | undefined {
  const { unit, state } = isObject(args) ? args : {};
  if (typeof state !== 'string') return undefined;
  if (typeof unit === 'string') return `${unit} ${state}`;
  if (module === 'package-hold') return PACKAGES[state];
  return module === 'package-repository' ? `package repository ${state}` : undefined;
}
