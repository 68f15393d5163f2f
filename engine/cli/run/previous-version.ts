import { isEarlier } from '../../journal/earlier.js';
import { foldAll } from '../../journal/fold.js';
import { JournalDamaged } from '../../journal/journal-file.js';
import { inspectEvents, listRuns, openRunFolder, readCopy, type Runs } from '../../journal/run-folder.js';
import type { RunState } from '../../journal/state.js';
import { compareByPrefix, compareDeb } from '../../lib/version.js';
import type { JsonObject } from '../../terms/json.js';
import type { Rollback } from '../../terms/schemas/platform/versions.js';

/** What an upgrade recorded before its first change, as far as one word tells it. */
export interface PreviousVersions {
  readonly run: string;
  /** Without a package's revision: `4.13.1`. */
  readonly release: string;
  /** Of each component the package version that its hosts had; empty where they had several releases, or none. */
  readonly packages: Readonly<Record<string, string>>;
}

/** As the variables of the rollback that the platform names. */
export const varsBack = ({ release, packages }: PreviousVersions, names: Rollback): JsonObject => ({
  [names.release]: release,
  [names.packages]: packages,
});

/** Hosts of one upgrade that came from several releases. */
export interface Mixed {
  readonly run: string;
  readonly releases: Readonly<Record<string, readonly string[]>>;
}

/**
 * The newest run that found the platform's first component below its target: what is gone back to. A run that only finished what an earlier
 * one began found it at the target already. Undefined: there is no such run.
 */
export function previousVersions(runs: Runs, components: readonly string[]): PreviousVersions | Mixed | undefined {
  const [first = ''] = components;
  for (const id of listRuns(runs).toReversed()) {
    const folder = openRunFolder(runs, id);
    // A run of an earlier version says nothing that this one can read.
    if (isEarlier(folder.journalFile)) continue;
    if (readCopy(folder).backFrom !== undefined) continue;
    const { events: past, damage } = inspectEvents(folder);
    const events = past.map((r) => r.event);
    const target = events.find((e) => e.e === 'run-started')?.target ?? '';
    const found = versionsIn(foldAll(events), first).filter(([, v]) => (compareByPrefix(v, target) ?? 0) < 0);
    // What stands before the damage is what was written; behind it there may be versions.
    if (found.length === 0 && damage !== undefined) throw new JournalDamaged(damage);
    if (found.length === 0) continue;
    const releases: Record<string, string[]> = {};
    for (const [host, version] of found) (releases[releaseOf(version)] ??= []).push(host);
    const [release = '', ...others] = Object.keys(releases);
    if (others.length > 0) return { run: id, releases };
    const state = foldAll(events);
    return { run: id, release, packages: Object.fromEntries(components.map((c) => [c, oneOf(state, c, target)])) };
  }
  return undefined;
}

const versionsIn = (state: RunState, component: string): readonly (readonly [host: string, version: string])[] =>
  [...state.from].flatMap(([host, versions]) => {
    const version = versions[component];
    return version === undefined || version === null ? [] : [[host, version] as const];
  });

/** The oldest revision of the one release that its hosts had; hosts that were at the target already do not count. */
function oneOf(state: RunState, component: string, target: string): string {
  const versions = versionsIn(state, component)
    .map(([, version]) => version)
    .filter((version) => releaseOf(version) !== target);
  const releases = new Set(versions.map(releaseOf));
  return releases.size === 1 ? ([...versions].sort(compareDeb)[0] ?? '') : '';
}

/** `1:4.13.1-2` is of release 4.13.1. */
export const releaseOf = (version: string): string => version.replace(/^\d+:/, '').replace(/-[^-]*$/, '');
