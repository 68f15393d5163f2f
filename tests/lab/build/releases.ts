import { compareDeb } from '../../../engine/lib/version.js';

/**
 * Each release of the platform that the lab has, and the engine that its indexer carries. Only these engines can be had: the releases before
 * 4.13 are labels on the oldest of them.
 */
export const releases = [
  { version: '4.7.5', engine: '2.19.1' },
  { version: '4.11.2', engine: '2.19.1' },
  { version: '4.12.0', engine: '2.19.1' },
  { version: '4.13.1', engine: '2.19.3' },
  { version: '4.14.7', engine: '2.19.4' },
] as const;

export type Release = (typeof releases)[number];

/** The releases of those names; throws for one that the lab does not have. */
export function releasesOf(wanted: readonly string[]): readonly Release[] {
  const unknown = wanted.find((version) => !releases.some((release) => release.version === version));
  const names = releases.map(({ version }) => version).join(' ');
  if (unknown !== undefined) throw new Error(`no release ${unknown} in the lab; there are ${names}`);
  return releases.filter(({ version }) => wanted.includes(version));
}

/** Whether a release is of that line, or of a later one. */
export const isFrom = (release: string, line: string): boolean => compareDeb(release, line) >= 0;
