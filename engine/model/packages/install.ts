import { putFile, removeEntry, textAt } from '../files.js';
import type { HostState, ServiceEntry } from '../state.js';
import type { PackageDefinition } from './contents.js';

/**
 * What is done with a configuration file that the operator changed; `ask` is no policy, and nobody is there to answer. `beside` is RPM's
 * `noreplace`.
 */
export type ConffilePolicy = 'keep' | 'new' | 'ask' | 'beside';

export interface Installing {
  readonly name: string;
  readonly version: string;
  readonly definition: PackageDefinition;
}

/** Puts a version's files in place but for its configuration files: `iU`, and dpkg already names the new version. */
export function unpack(host: HostState, { name, version, definition }: Installing, atMs: number): void {
  const before = host.packages[name];
  for (const path of before?.files ?? []) if (definition.files[path] === undefined) removeEntry(host, path);
  for (const [path, file] of Object.entries(definition.files)) putFile(host, path, file, atMs);
  const service = (host.services[definition.service] ??= newService());
  host.packages[name] = {
    version,
    status: 'iU',
    held: before?.held ?? false,
    changedAtMs: atMs,
    files: Object.keys(definition.files),
    conffiles: before?.conffiles ?? {},
    wasActive: service.active === 'active' || (before?.status === 'iU' && before.wasActive),
  };
}

/**
 * Configures an unpacked package: a configuration file that nobody changed is replaced, a changed one is kept with the new
 * default in `.dpkg-dist` (`.rpmnew`), or replaced with the old one in `.dpkg-old`. With `ask` it gives the path of the first that would be
 * asked about, and the package stays `iU`.
 */
export function configure(
  host: HostState,
  { name, definition }: Installing,
  policy: ConffilePolicy,
  atMs: number,
): string | undefined {
  const entry = host.packages[name];
  if (entry === undefined) return undefined;
  for (const [path, file] of Object.entries(definition.conffiles)) {
    const now = textAt(host, path);
    const brought = entry.conffiles[path];
    const next = file.text ?? '';
    const untouched = now === brought || (now === undefined && brought === undefined);
    // The same default as last time, what the operator already has, or a file that he removed: nothing to ask.
    if (next !== brought && next !== now && (now !== undefined || brought === undefined)) {
      if (untouched) putFile(host, path, file, atMs);
      else if (policy === 'ask') return path;
      else if (policy === 'keep') putFile(host, `${path}.dpkg-dist`, file, atMs);
      else if (policy === 'beside') putFile(host, `${path}.rpmnew`, file, atMs);
      else replaceKeepingOld(host, path, next, atMs);
    }
    entry.conffiles[path] = next;
  }
  definition.configure?.(host, atMs);
  entry.status = 'ii';
  return undefined;
}

function replaceKeepingOld(host: HostState, path: string, next: string, atMs: number): void {
  const old = host.files[path];
  if (old === undefined) return;
  putFile(host, `${path}.dpkg-old`, old, atMs);
  putFile(host, path, { ...old, text: next, encoding: 'utf8' }, atMs);
}

const newService = (): ServiceEntry => ({
  active: 'inactive',
  enabled: false,
  startedAtMs: null,
  needsReload: false,
  starts: 0,
  processes: 0,
  readyAtMs: 0,
  runs: '',
  journal: [],
});
