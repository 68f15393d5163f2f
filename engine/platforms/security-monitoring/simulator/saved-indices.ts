import { createIndex } from './documents.js';
import { dataHosts } from './cluster.js';
import { isAtLeast } from './packages/release.js';
import type { PlatformState } from './state.js';

/** The dashboard's alias; its tenants' begin with it. */
const ALIAS = '.kibana';

const formOf = (state: PlatformState, release: string): number =>
  state.newFormFrom !== null && isAtLeast(release, state.newFormFrom) ? 2 : 1;

const aliases = (state: PlatformState): readonly (readonly [alias: string, index: string])[] =>
  Object.entries(state.cluster.aliases).filter(([alias]) => alias.startsWith(ALIAS));

/** Why a dashboard of this package version does not start on the saved objects that there are; undefined when it does. */
export function savedObjectsRefuse(state: PlatformState, version: string): string | undefined {
  const newer = aliases(state).find(([, index]) => (state.cluster.forms[index] ?? 1) > formOf(state, version));
  return newer === undefined
    ? undefined
    : `FATAL  Error: Unable to migrate ${newer[1]}: Document "config" belongs to a more recent version of the dashboard`;
}

/** What a newer dashboard does at its start: objects of an older form are written into a new index, to which the alias is moved. */
export function migrateSavedObjects(state: PlatformState, version: string): void {
  const form = formOf(state, version);
  for (const [alias, index] of aliases(state)) {
    if ((state.cluster.forms[index] ?? 1) >= form) continue;
    const next = index.replace(/_(\d+)$/, (_, number: string) => `_${Number(number) + 1}`);
    const { documents } = createIndex(state, next, { shards: 1, replicas: Math.min(1, dataHosts(state).length - 1) });
    documents['migrated'] = '{}';
    state.cluster.forms[next] = form;
    if (alias === ALIAS) state.savedBefore[next] = structuredClone(state.savedObjects);
    pointAlias(state, alias, next);
  }
}

/** Points an alias to an index: what the dashboard shows from then on is what stands there. */
export function pointAlias(state: PlatformState, alias: string, index: string): void {
  const before = state.cluster.aliases[alias];
  state.cluster.aliases[alias] = index;
  if (alias !== ALIAS || before === undefined || before === index) return;
  state.savedBefore[before] = [...state.savedObjects];
  state.savedObjects.splice(0, state.savedObjects.length, ...(state.savedBefore[index] ?? []));
}
