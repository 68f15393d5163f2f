import type { PackageManager } from '../../facts/package-family.js';
import { compareByPrefix, compareDeb } from '../../lib/version.js';
import { compareRpm } from '../../lib/version-rpm.js';

/**
 * The package manager's own order of a wanted version and another one: -1, 0 or 1. A version without a revision is met by any
 * revision of it.
 */
export const compareWanted = (version: string, other: string, manager: PackageManager): number =>
  version.includes('-') ? orderOf(manager)(version, other) : -(compareByPrefix(other, version) ?? -1);

/** In which order the package manager has versions. */
export const orderOf = (manager: PackageManager): ((a: string, b: string) => number) =>
  manager === 'apt' ? compareDeb : compareRpm;

/** Where the revision is left to the repository, the best guess is that it keeps counting as it did. */
export const expectedVersion = (version: string, installed: string | null): string =>
  version.includes('-') ? version : `${version}-${/-([^-]+)$/.exec(installed ?? '')?.[1] ?? '1'}`;
