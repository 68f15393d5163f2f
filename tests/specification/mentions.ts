import type { Json, JsonObject } from '../../engine/terms/json.js';
import { mapOf, type Material, type Written } from './project.js';

const TEMPLATE = /\{\{\s*([a-z_]+\.[a-z0-9_]+)/g;

/** What a text of templates names: `indexer.package`, `fact.health`. */
const namedIn = (json: Json): readonly string[] =>
  [...JSON.stringify(json).matchAll(TEMPLATE)].map(([, name]) => name ?? '');

/** Names, facts and vars of the platform that stand behind a name, itself included: what a step names leads to all of these. */
function reach(name: string, platform: JsonObject, known: Map<string, ReadonlySet<string>>): ReadonlySet<string> {
  const before = known.get(name);
  if (before !== undefined) return before;
  const all = new Set([name]);
  known.set(name, all);
  const [group = '', key = ''] = name.split('.');
  const from = { fact: 'facts', vars: 'vars' }[group];
  const said = from === undefined ? mapOf(mapOf(platform['names'])[group])[key] : mapOf(platform[from])[key];
  if (said !== undefined)
    for (const next of namedIn(said)) for (const more of reach(next, platform, known)) all.add(more);
  return all;
}

/** For each name of the platform the steps and plays that name it, be it through other names and facts. */
export function mentionsOf({ written, platform }: Material): ReadonlyMap<string, readonly Written[]> {
  const found = new Map<string, Written[]>();
  const known = new Map<string, ReadonlySet<string>>();
  for (const one of written) {
    const names = new Set(
      [...namedIn(one.json), ...namedIn(one.around)].flatMap((n) => [...reach(n, platform, known)]),
    );
    const versions = [...names].filter((n) => /^(installed|from|fresh)\./.test(n));
    // A component's version is asked by its package, whether its start is newer by its service.
    for (const name of versions) {
      const component = name.split('.')[1] ?? '';
      names.add(`${component}.package`);
      if (name.startsWith('fresh.')) names.add(`${component}.service`);
    }
    for (const name of names) found.set(name, [...(found.get(name) ?? []), one]);
  }
  return found;
}
