import type { Json, JsonObject } from '../../engine/terms/json.js';
import { mapOf, type Material, type Written } from './project.js';

/** A name in a template or in an expression. */
const NAME = /(?<![\w.])(?:h\.)?([a-z_]+)(\.[a-z0-9_]+)?/g;
const STATES: readonly string[] = ['fact', 'vars', 'installed', 'previous', 'needs_restart', 'staged'];

/** What a text of templates and expressions names: `indexer.package`, `fact.health`, and the named check `check.indexer_current`. */
function namedIn(json: Json, platform: JsonObject): readonly string[] {
  const [groups, checks] = [mapOf(platform['names']), mapOf(platform['checks'])];
  return [...JSON.stringify(json).matchAll(NAME)].flatMap(([, first = '', rest]) => {
    if (rest !== undefined && (STATES.includes(first) || first in groups)) return [`${first}${rest}`];
    return first in checks ? [`check.${first}`] : [];
  });
}

/** Names, facts and vars of the platform that stand behind a name, itself included: what a step names leads to all of these. */
function reach(name: string, platform: JsonObject, known: Map<string, ReadonlySet<string>>): ReadonlySet<string> {
  const before = known.get(name);
  if (before !== undefined) return before;
  const all = new Set([name]);
  known.set(name, all);
  const [group = '', key = ''] = name.split('.');
  const from = { fact: 'facts', vars: 'vars', check: 'checks' }[group];
  const said = from === undefined ? mapOf(mapOf(platform['names'])[group])[key] : mapOf(platform[from])[key];
  if (said !== undefined)
    for (const next of namedIn(said, platform)) for (const more of reach(next, platform, known)) all.add(more);
  return all;
}

/** For each name of the platform the steps and plays that name it, be it through other names and facts. */
export function mentionsOf({ written, platform }: Material): ReadonlyMap<string, readonly Written[]> {
  const found = new Map<string, Written[]>();
  const known = new Map<string, ReadonlySet<string>>();
  for (const one of written) {
    const names = new Set(
      [...namedIn(one.json, platform), ...namedIn(one.around, platform)].flatMap((n) => [...reach(n, platform, known)]),
    );
    const versions = [...names].filter((n) => /^(installed|previous|needs_restart)\./.test(n));
    // A component's version is asked by its package, whether it needs a restart by its service.
    for (const name of versions) {
      const component = name.split('.')[1] ?? '';
      names.add(`${component}.package`);
      if (name.startsWith('needs_restart.')) names.add(`${component}.service`);
    }
    for (const name of names) found.set(name, [...(found.get(name) ?? []), one]);
  }
  return found;
}
