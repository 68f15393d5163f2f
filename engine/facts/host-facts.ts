import { certificate, publicKey } from './certificate.js';
import { content, file, largeContent, tree } from './file.js';
import { archiveListing, disk, port, probe, system } from './host.js';
import type { HostFact } from './kind.js';
import { packageState } from './package.js';
import { packageTaste } from './offline-packages.js';
import { packageLock } from './package-lock.js';
import { packageManager } from './package-manager.js';
import { packageBrings } from './package-brings.js';
import { packageArchived, archivedPackageFile, packageSource } from './package-archived.js';
import { packageLacks } from './package-lacks.js';
import { packageFile, packageStaged, stagedVersions } from './package-staged.js';
import { packageOffers } from './package-offers.js';
import { packageVersions } from './package-versions.js';
import { readable } from './readable.js';
import { service, systemd } from './service.js';

const all: readonly HostFact[] = [
  file,
  content,
  largeContent,
  tree,
  packageState,
  packageManager,
  packageVersions,
  packageOffers,
  packageStaged,
  packageFile,
  packageArchived,
  archivedPackageFile,
  packageSource,
  packageLock,
  stagedVersions,
  packageBrings,
  packageLacks,
  packageTaste,
  service,
  systemd,
  disk,
  port,
  system,
  probe,
  archiveListing,
  certificate,
  publicKey,
  readable,
];

/** All that a host can be asked on any platform, by the fact's name. */
export const hostFacts: ReadonlyMap<string, HostFact> = new Map(all.map((f) => [f.name, f]));
