import type { Wanted } from '../../terms/change.js';
import { isObject, type Json } from '../../terms/json.js';
import { nameHosts } from '../../lib/name-hosts.js';
import { printableLine } from '../style.js';

interface Restored {
  readonly name: string;
  readonly restoredBy: Wanted;
}

/**
 * The state after a temporary change is restored: `nginx started on server-1`, `SETTING: VALUE, on HOST`; by the step
 * that made it where there are no words for that.
 */
export function restoredText({ name, restoredBy }: Restored, hosts: readonly string[]): string {
  const text = textOf(restoredBy);
  return text === undefined
    ? `undone on ${nameHosts(hosts)}: ${printableLine(name)}`
    : `${printableLine(text)} on ${nameHosts(hosts)}`;
}

const PACKAGES: Readonly<Record<string, string>> = { free: 'packages unlocked', held: 'packages locked' };

function textOf({ module, args }: Wanted): string | undefined {
  const { unit, state, json } = isObject(args) ? args : {};
  if (module === 'http') return settingText(json);
  if (typeof state !== 'string') return undefined;
  if (typeof unit === 'string') return `${unit} ${state}`;
  if (module === 'package-hold') return PACKAGES[state];
  return module === 'package-repository' ? `package repository ${state}` : undefined;
}

/** The one setting that a request writes: `{ SECTION: { NAME: VALUE } }`. */
function settingText(json: Json | undefined): string | undefined {
  const sections = isObject(json) ? Object.values(json) : [];
  const [setting, ...others] = sections.flatMap((section) => (isObject(section) ? Object.entries(section) : []));
  if (setting === undefined || others.length > 0) return undefined;
  const [name, value] = setting;
  return typeof value === 'object' ? undefined : `${name}: ${String(value)},`;
}
