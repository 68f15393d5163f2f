import { putFile, removeEntry, textAt, type NewFile } from '../files.js';
import type { HostState, ServiceEntry } from '../state.js';
import type { PackageDefinition } from './definition.js';

/**
 * What is done with a configuration file that the operator changed. `ask`: no policy was given, and there is no operator to answer.
 * `beside` is RPM's `noreplace`.
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
  const service = definition.service === '' ? undefined : (host.services[definition.service] ??= newService());
  host.packages[name] = {
    version,
    status: 'iU',
    held: host.family === 'rpm' && before?.held === true, // dpkg forgets it; a version lock is none of rpm's
    changedAtMs: atMs,
    files: Object.keys(definition.files),
    conffiles: before?.conffiles ?? {},
    wasActive: service?.active === 'active' || (before?.status === 'iU' && before.wasActive),
  };
}

/**
 * Configures an unpacked package: its configuration files by the rules of the host's package manager, then its own script. With `ask` it
 * gives the path of the first that dpkg would ask about, and the package stays `iU`.
 */
export function configure(
  host: HostState,
  { name, definition }: Installing,
  policy: ConffilePolicy,
  atMs: number,
): string | undefined {
  const entry = host.packages[name];
  if (entry === undefined) return undefined;
  const files = { ...definition.conffiles, ...definition.replaced };
  for (const [path, file] of Object.entries(files)) {
    const case_ = { path, file, brought: entry.conffiles[path], atMs };
    if (policy !== 'beside') {
      if (byDpkg(host, case_, policy) === 'asked') return path;
    } else byRpm(host, { ...case_, isReplaced: definition.replaced?.[path] !== undefined });
    entry.conffiles[path] = file.text ?? '';
  }
  definition.configure?.(host, atMs);
  entry.status = 'ii';
  return undefined;
}

/** A configuration file of the version that is being configured, and the text that the version before it brought. */
interface Configured {
  readonly path: string;
  readonly file: NewFile;
  readonly brought: string | undefined;
  readonly atMs: number;
}

/** As dpkg 1.21 does: an unmodified file is replaced and keeps its owner and mode; a removed file stays removed. */
function byDpkg(
  host: HostState,
  { path, file, brought, atMs }: Configured,
  policy: Exclude<ConffilePolicy, 'beside'>,
): 'asked' | undefined {
  const [now, next] = [textAt(host, path), file.text ?? ''];
  const old = host.files[path];
  const owned = old === undefined ? file : { ...file, owner: old.owner, group: old.group, mode: old.mode };
  if (now === undefined && brought === undefined) putFile(host, path, file, atMs);
  else if (next === brought || next === now) return undefined;
  else if (now === brought) putFile(host, path, owned, atMs);
  else if (policy === 'ask') return 'asked';
  else if (policy === 'keep') putFile(host, `${path}.dpkg-dist`, owned, atMs);
  else {
    if (old !== undefined) putFile(host, `${path}.dpkg-old`, old, atMs);
    putFile(host, path, owned, atMs);
  }
  return undefined;
}

/** As rpm 4.18 does: a file that it writes has the package's owner and mode, and a removed file is created again. */
function byRpm(
  host: HostState,
  { path, file, brought, atMs, isReplaced }: Configured & { readonly isReplaced: boolean },
): void {
  const [old, now, next] = [host.files[path], textAt(host, path), file.text ?? ''];
  if (old === undefined || now === next || now === brought) putFile(host, path, { ...ROOT, ...file }, atMs);
  else if (next === brought) return;
  else if (!isReplaced) putFile(host, `${path}.rpmnew`, { ...ROOT, ...file }, atMs);
  else {
    putFile(host, `${path}${brought === undefined ? '.rpmorig' : '.rpmsave'}`, old, atMs);
    putFile(host, path, { ...ROOT, ...file }, atMs);
  }
}

const ROOT = { owner: 'root', group: 'root', mode: '0644' } as const;

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
