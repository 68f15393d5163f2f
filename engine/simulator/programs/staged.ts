import { dirname } from 'node:path/posix';
import { hashOf, putFile } from '../files.js';
import type { HostState, SimulatedState } from '../state.js';

interface Wanted {
  readonly name: string;
  readonly version: string;
}

const APT = '/var/cache/apt/archives';
const DNF = '/var/cache/dnf/platform-0123456789abcdef/packages';

/** Puts a package's file into the package manager's cache, as a download without an installation does. */
export function stage(state: SimulatedState, host: HostState, { name, version }: Wanted, family: 'deb' | 'rpm'): void {
  const path = family === 'deb' ? `${APT}/${name}_${version}_amd64.deb` : `${DNF}/${name}-${version}.x86_64.rpm`;
  putFile(host, path, { text: `${name} ${version}\n` }, state.nowMs);
}

/** The file of a staged package by its path; undefined when it is none that is there. */
export function stagedAt(host: HostState, path: string): Wanted | undefined {
  if (host.files[path] === undefined) return undefined;
  const [, name = '', version = ''] =
    /\/([^/_]+)_([^_/]+)_amd64\.deb$/.exec(path) ?? /\/([^/]+?)-(\d[^/-]*-[^/-]+)\.x86_64\.rpm$/.exec(path) ?? [];
  return name === '' ? undefined : { name, version };
}

/** All versions of a package that are staged. */
export const stagedOf = (host: HostState, name: string): readonly string[] =>
  Object.keys(host.files).flatMap((path) => {
    const staged = path.startsWith('/var/cache/') ? stagedAt(host, path) : undefined;
    return staged?.name === name ? [staged.version] : [];
  });

/** Where a package of a version (of any revision, where it names none) is staged; null when it is not. */
export const stagedFile = (host: HostState, wanted: Wanted): string | null =>
  Object.keys(host.files).find((path) => path.startsWith('/var/cache/') && isOf(host, path, wanted)) ?? null;

/** The same for a package that is archived in a directory with its hash beside it; `isWhole`: its content matches that hash. */
export function archivedFile(
  host: HostState,
  { directory, ...wanted }: Wanted & { readonly directory: string },
): { readonly path: string; readonly isWhole: boolean } | undefined {
  const path = Object.keys(host.files).find((each) => dirname(each) === directory && isOf(host, each, wanted));
  const entry = path === undefined ? undefined : host.files[path];
  if (path === undefined || entry === undefined) return undefined;
  return { path, isWhole: host.files[`${path}.sha256`]?.text.startsWith(hashOf(entry)) === true };
}

function isOf(host: HostState, path: string, { name, version }: Wanted): boolean {
  const staged = stagedAt(host, path);
  return staged?.name === name && (staged.version === version || staged.version.startsWith(`${version}-`));
}
