import type { JsonObject } from '../terms/json.js';

/** What to write instead of a map of hosts, which there was before words; undefined where that is not plain. */
export function hintForOldHosts(old: JsonObject): string | undefined {
  const { role, group, name, pattern, take, last, ...others } = old;
  const words = [role, group, name, pattern].filter((word) => typeof word === 'string');
  if (words.length !== 1 || Object.keys(others).length > 0) return undefined;
  const keys = [
    ...(take === undefined ? [] : ['`run_once: true`']),
    ...(last === undefined ? [] : ['`last: fact.NAME`']),
  ];
  return [`write \`hosts: ${words[0] ?? ''}\``, ...keys].join(' and ');
}
