import { compareByPrefix, compareDeb } from '../lib/version.js';

/** dpkg's order of a wanted version and the installed one: -1, 0 or 1. A version without a revision is met by any revision of it. */
export const compareWanted = (version: string, installed: string): number =>
  version.includes('-') ? compareDeb(version, installed) : -(compareByPrefix(installed, version) ?? -1);

/** Where the revision is left to the repository, the best guess is that it keeps counting as it did. */
export const expectedVersion = (version: string, installed: string | null): string =>
  version.includes('-') ? version : `${version}-${/-([^-]+)$/.exec(installed ?? '')?.[1] ?? '1'}`;
