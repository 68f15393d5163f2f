import { newerThan } from '../../../../simulator/versions.js';

/** `4.14.7-1` → `4.14.7`. */
export const releaseOf = (packageVersion: string): string => packageVersion.replace(/^\d+:/, '').replace(/-[^-]*$/, '');

const ENGINES: Readonly<Record<string, string>> = { '4.12': '2.19.1', '4.13': '2.19.2', '4.14': '2.19.4' };

/** The number of the engine inside an indexer release; it has an order of its own, which follows the release's. */
export function engineOf(packageVersion: string): string {
  const [major = '0', minor = '0'] = releaseOf(packageVersion).split('.');
  return ENGINES[`${major}.${minor}`] ?? (newerThan(`${major}.${minor}`, '4.14') ? `3.${minor}.0` : `2.${minor}.0`);
}

/** The engine's own way to write a version as one number: 2.19.4 is 136408227. */
export function versionNumber(engine: string): string {
  const [major = 0, minor = 0, patch = 0] = engine.split('.').map(Number);
  // OpenSearch sets a bit so that its numbers are above its predecessor's.
  return String((major * 1_000_000 + minor * 10_000 + patch * 100 + 99) ^ 0x08000000);
}

export const isAtLeast = (packageVersion: string, release: string): boolean =>
  !newerThan(release, releaseOf(packageVersion));

/** The version of the shipper's module that a release uses; before 4.8 it is inferred. */
export const moduleOf = (packageVersion: string): string =>
  isAtLeast(packageVersion, '4.14.2') ? '0.5' : isAtLeast(packageVersion, '4.8') ? '0.4' : '0.3';

export const unitFile = (description: string, type: string, exec: string): string =>
  `[Unit]\nDescription=${description}\nAfter=network-online.target\n\n[Service]\nType=${type}\nExecStart=${exec}\n\n[Install]\nWantedBy=multi-user.target\n`;
