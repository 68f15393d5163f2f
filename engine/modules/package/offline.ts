import {
  offlineDirectory,
  offlinePackages,
  packageTaste,
  type OfflinePackage,
  type OfflinePackages,
  type PackageTaste,
} from '../../facts/offline-packages.js';
import type { PackageState } from '../../facts/package.js';
import { packageStaged } from '../../facts/package-staged.js';
import type { Action } from '../../terms/action.js';
import { blocked, ok, type Change, type Verdict } from '../../terms/change.js';
import { need, type Need } from '../../terms/fact.js';
import type { At } from '../../terms/module.js';
import { packageCommands } from './commands.js';
import { stagedTouches } from './staged.js';
import { compareWanted, orderOf } from './version.js';
import type { PackageArgs } from './schema.js';

/** What is asked where packages come from a folder of the controller's. */
export const offlineNeeds = (
  folder: string,
  { task }: At,
): { readonly folder: Need<OfflinePackages>; readonly taste: Need<PackageTaste> } => ({
  folder: need({ controller: true }, offlinePackages, folder),
  taste: need(task.on, packageTaste, undefined),
});

/** What a decision looks at, each only when it comes to it. */
interface Offline {
  readonly now: PackageState;
  readonly folder: () => OfflinePackages;
  readonly taste: () => PackageTaste;
  readonly isStaged: () => boolean;
}

const CHECK_TIMEOUT_MS = 600_000;
const ANY = new Set(['all', 'noarch']);

/** A check: the folder has the one file of this version that the host can take, and it is what its hash says. */
export function decideOfflineOffered(args: PackageArgs, found: Offline): Verdict {
  const { now } = found;
  if (now.installed !== null && compareWanted(args.version, now.installed, now.manager) === 0)
    return ok(`${args.name} ${now.installed} is installed`, now.installed);
  if (found.isStaged()) return ok(`${args.name} ${args.version} is on the host`);
  const picked = pick(args, found);
  return 'file' in picked
    ? ok(`${picked.file} is ${args.name} ${picked.version}`, picked.version)
    : blocked(picked.reason, picked.hint);
}

/**
 * Brings the package's file from the controller to where the package manager's own fetching would put it, so that it is installed from there
 * and no repository is asked. It is checked on arrival by its hash, and where dnf or yum checks signatures, by that of the package.
 */
export function decideUploaded(args: PackageArgs, found: Offline, at: At): Verdict {
  const { name, version, optional = false } = args;
  const { now } = found;
  const isThere = now.installed !== null && compareWanted(version, now.installed, now.manager) === 0;
  if (!optional && isThere) return ok(`${name} ${version} is installed`);
  if (found.isStaged()) return ok(`${name} ${version} is on the host`);
  const picked = pick(args, found);
  if (!('file' in picked)) {
    if (!optional || picked.failFast) return blocked(picked.reason, picked.hint);
    return ok(`${name} ${version} is not available`, null, [`${picked.reason}: a rollback to it is impossible`]);
  }
  const signed = now.manager !== 'apt' && found.taste().checksSignatures;
  const ref = need(at.task.on, packageStaged, { name, version });
  return {
    is: 'change',
    change: {
      summary: `${name} ${picked.version} uploaded, ${signed ? 'its hash and signature checked' : 'SHA256SUMS vouches for it'}`,
      sign: '+',
      actions: uploading(picked, args.from ?? '', now, signed),
      touches: stagedTouches(args, at),
      predicts: [{ ref, value: true }],
    },
  };
}

/** Under its final name it is to be installed: so it gets that when everything is checked. */
function uploading(
  { file, sha256, name, version, architecture }: OfflinePackage,
  folder: string,
  { manager }: PackageState,
  signed: boolean,
): Change['actions'] {
  const directory = offlineDirectory(manager);
  const path =
    manager === 'apt'
      ? `${directory}/${name}_${version.replace(':', '%3a')}_${architecture}.deb`
      : `${directory}/${name}-${version.replace(/^\d+:/, '')}.${architecture}.rpm`;
  const to = signed ? `${path}.unchecked` : path;
  const checked: readonly Action[] = [
    {
      do: 'run',
      command: {
        argv: ['rpm', '--checksig', to],
        env: packageCommands[manager].env,
        timeoutMs: CHECK_TIMEOUT_MS,
      },
      // `digests signatures OK`; the older rpm names what it checked: `rsa sha1 (md5) pgp md5 OK`. Without a signature it is `digests OK`.
      expect: { exit: [0], stdout: '(?:signatures|pgp|gpg).* OK$' },
    },
    { do: 'move', from: to, to: path },
  ];
  return [
    { do: 'directory', path: directory },
    { do: 'upload', source: `${folder.replace(/\/+$/, '')}/${file}`, path: to, sha256, mode: '0644' },
    ...(signed ? checked : []),
  ];
}

/** Nothing to be taken; `failFast` where the folder itself is not to be trusted. */
interface None {
  readonly reason: string;
  readonly hint?: string;
  readonly failFast: boolean;
}

function pick({ name, version, from = '' }: PackageArgs, { now, folder, taste }: Offline): OfflinePackage | None {
  const read = folder();
  if (read.is === 'failed') return { ...read, failFast: true };
  const { architecture } = taste();
  const { manager } = now;
  const family = manager === 'apt' ? 'deb' : 'rpm';
  const named = read.packages.filter((p) => p.name === name);
  const fit = named
    .filter((p) => p.family === family && (p.architecture === architecture || ANY.has(p.architecture)))
    .filter((p) => compareWanted(version, p.version, manager) === 0)
    .sort((a, b) => orderOf(manager)(b.version, a.version));
  const [first, second] = fit;
  if (first === undefined)
    return {
      reason: `${from} has no ${name} ${version} for ${architecture} (${family === 'deb' ? 'DEB' : 'RPM'})${
        named.length === 0 ? '' : `, but ${named.map(described).join(', ')}`
      }`,
      hint: `put it there, and its line into SHA256SUMS`,
      failFast: false,
    };
  if (second !== undefined && orderOf(manager)(first.version, second.version) === 0)
    return {
      reason: `${first.file} and ${second.file} are both ${name} ${first.version} for ${architecture}`,
      hint: `keep one of them in ${from}`,
      failFast: true,
    };
  return first;
}

const described = ({ file, version, architecture }: OfflinePackage): string => `${file} (${version}, ${architecture})`;
