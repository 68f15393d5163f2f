import { answer } from '../facts/answer.js';
import type { BringsQuestion, PackageBrings } from '../facts/package-brings.js';
import type { LacksQuestion, PackageLacks } from '../facts/package-lacks.js';
import type { Brought, Default } from '../facts/package-brought.js';
import { scriptsOn } from '../facts/package-scripts.js';
import { bytesOf, entryAt, hashOf, type NewFile } from './files.js';
import type { PackageDefinition } from './packages/definition.js';
import { stagedAt, stagedFile } from './programs/staged.js';
import type { Simulation } from './rules.js';
import type { HostState, PackageEntry } from './state.js';
import type { Answer } from '../terms/fact.js';

/** What a package in the cache of a model host would bring, as reading its file would tell. */
export function modelBrings({ state, rules }: Simulation, host: HostState, key: string): Answer {
  const { name, file, paths } = JSON.parse(key) as BringsQuestion;
  const version = stagedAt(host, file)?.version ?? '';
  const next = rules.packageOf(state, name, version);
  const entry = host.packages[name];
  const was = entry === undefined ? undefined : rules.packageOf(state, name, entry.version);
  const scripts = [next?.scripts ?? '', was?.scripts ?? ''];
  const found = paths.flatMap((path): (readonly [string, Brought])[] => {
    const brought = next === undefined ? undefined : broughtTo(host, next, entry, path);
    return brought === undefined ? [] : [[path, { ...brought, scripts: scriptsOn(scripts, path) }]];
  });
  return answer<PackageBrings>({ manager: host.family === 'rpm' ? 'rpm' : 'dpkg', paths: Object.fromEntries(found) });
}

/** Files that neither the package in the cache of a model host nor the host has. */
export function modelLacks({ state, rules }: Simulation, host: HostState, key: string): Answer {
  const { name, version, paths } = JSON.parse(key) as LacksQuestion;
  const file = stagedFile(host, { name, version });
  const next = file === null ? undefined : rules.packageOf(state, name, stagedAt(host, file)?.version ?? '');
  const isThere = (path: string): boolean =>
    entryAt(host, path) !== undefined || { ...next?.files, ...next?.conffiles }[path] !== undefined;
  return answer<PackageLacks>(next === undefined ? null : paths.filter((path) => !isThere(path)));
}

function broughtTo(
  host: HostState,
  next: PackageDefinition,
  entry: PackageEntry | undefined,
  path: string,
): Omit<Brought, 'scripts'> | undefined {
  const now = entryAt(host, path);
  if (now !== undefined && now.type !== 'file') return undefined;
  const recorded = entry?.conffiles[path];
  const brought = defaultAt(host, next, path);
  return {
    next: brought,
    was: recorded !== undefined ? 'config' : entry?.files.includes(path) === true ? 'file' : 'nothing',
    untouched: recorded !== undefined && now?.text === recorded,
    sameDefault: recorded !== undefined && brought?.content?.text === recorded,
    found: now === undefined ? null : hashOf(now),
  };
}

function defaultAt({ family }: HostState, next: PackageDefinition, path: string): Default | null {
  const of = (files: Readonly<Record<string, NewFile>> | undefined, config: Default['config']): Default | undefined => {
    const file = files?.[path];
    if (file === undefined) return undefined;
    const { text = '', encoding = 'utf8', owner = 'root', group = 'root', mode = '0644' } = file;
    const sha256 = hashOf({ text, encoding });
    return {
      sha256,
      content: { text, encoding, sha256 },
      sizeBytes: bytesOf({ text, encoding }).length,
      config,
      ...(family === 'rpm' ? { as: { owner, group, mode } } : {}),
    };
  };
  return (
    of(next.conffiles, 'kept') ??
    of(next.replaced, family === 'rpm' ? 'replaced' : 'kept') ??
    of(next.files, 'no') ??
    null
  );
}
