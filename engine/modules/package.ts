import type { OfflinePackages, PackageTaste } from '../facts/offline-packages.js';
import { packageState, type PackageState } from '../facts/package.js';
import { packageKept, packageKeptFile, type PackageKept } from '../facts/package-kept.js';
import { packageFile, packageStaged } from '../facts/package-staged.js';
import { packageVersions, type PackageVersions } from '../facts/package-versions.js';
import { service, type ServiceState } from '../facts/service.js';
import { blocked, ok, type Verdict } from '../terms/change.js';
import { done, need, type Done, type Need, type Values } from '../terms/fact.js';
import { taskKey } from '../terms/task.js';
import { defineModule, type At, type More } from '../terms/module.js';
import { BEFORE, packageChange, packageTouches, type PackageArgs } from './package-change.js';
import { filesNeeds } from './package-files.js';
import { judged } from './package-judged.js';
import { decideKept, keptTouches, thenKept } from './package-kept.js';
import { decideOffered, indexNeeds, isIndexed, type Indexes } from './package-offered.js';
import { decideOfflineOffered, decideUploaded, offlineNeeds } from './package-offline.js';
import { decideStaged, stagedTouches } from './package-staged.js';
import { compareWanted } from './package-version.js';

/** Which of them are asked hangs on the state. */
interface Asked {
  readonly [name: string]: Need;
  readonly now: Need<PackageState>;
  readonly offered: Need<PackageVersions>;
  readonly staged: Need<boolean>;
  readonly file: Need<string | null>;
  readonly done: Need<Done>;
  readonly kept: Need<PackageKept>;
  readonly keptFile: Need<string | null>;
  readonly folder: Need<OfflinePackages>;
  readonly taste: Need<PackageTaste>;
}

type Units = Readonly<Record<`unit:${string}`, ServiceState>>;

export const packageModule = defineModule<PackageArgs>()({
  name: 'package',
  summary:
    'Install exactly this version of a package, verify it, and hold it or not; or download it; or check that it is available.',
  needs: ({ name, version, state, optional, from = '', keep, kept = keep, restarts = [] }, at) => {
    const { on } = at.task;
    const place = { name, version, directory: kept ?? '' };
    const now = { now: need(on, packageState, name) };
    const staged = { staged: need(on, packageStaged, { name, version }) };
    const asked =
      state === 'offered' || state === 'staged'
        ? {
            ...staged,
            ...(kept === undefined ? {} : { kept: need(on, packageKept, place) }),
            ...(from !== ''
              ? offlineNeeds(from, at)
              : state === 'offered' || optional === true
                ? { offered: need(on, packageVersions, name), ...indexNeeds(at) }
                : {}),
          }
        : {
            done: need(on, done, taskKey(at.task)),
            file: need(on, packageFile, { name, version }),
            ...(kept === undefined ? {} : { keptFile: need(on, packageKeptFile, place) }),
            ...Object.fromEntries(restarts.map((unit) => [`unit:${unit}`, need(on, service, unit)])),
          };
    return { ...now, ...asked } as unknown as Asked;
  },
  touches: (args, at) =>
    args.state === 'offered'
      ? []
      : args.state === 'staged'
        ? [...stagedTouches(args, at), ...keptTouches(args, at)]
        : packageTouches(args, at),
  decide(args, found, at, more) {
    if (args.state !== 'offered' && args.state !== 'staged') return decideInstalled(args, found, at, more);
    return args.state === 'offered' ? decideOffer(args, found, at) : decideFetched(args, found, at, more);
  },
  judge: (_args, outcome) => judged(outcome),
});

type Found = Values<Asked>;

/** Does it lie on the host, to be installed from there? */
const isAtHand = ({ keep, kept = keep }: PackageArgs, found: Found): boolean =>
  (kept !== undefined && found.kept === 'kept') || found.staged;

const offlineOf = (args: PackageArgs, found: Found) =>
  args.from === undefined || args.from === ''
    ? undefined
    : {
        now: found.now,
        isStaged: () => isAtHand(args, found),
        folder: () => found.folder,
        taste: () => found.taste,
      };

function decideOffer(args: PackageArgs, found: Found, at: At): Verdict {
  const offline = offlineOf(args, found);
  if (offline !== undefined) return decideOfflineOffered(args, offline);
  const indexes = found as unknown as Indexes;
  const isStaged = (): boolean => isAtHand(args, found);
  return decideOffered(args, { now: found.now, isStaged, indexes, offered: () => found.offered }, at);
}

/** Fetched, and where that is wanted put by. */
function decideFetched(args: PackageArgs, found: Found, at: At, more?: More): Verdict {
  const { now } = found;
  const { name, version, keep, kept } = args;
  if (keep !== undefined) {
    if (found.kept === 'kept') return ok(`${name} ${version} is put by in ${keep}`);
    if (found.staged) return decideKept({ ...args, keep }, at, more);
  } else if (kept !== undefined && found.kept === 'damaged' && !found.staged)
    return blocked(
      `${name} ${version} in ${kept} is not what was put by there: its hash is another`,
      'delete that file and its .sha256; the repository is asked for it then',
    );
  const offline = offlineOf(args, found);
  const isStaged = (): boolean => isAtHand(args, found);
  const offered = (): PackageVersions => (isIndexed(now, found as unknown as Indexes) ? found.offered : []);
  const verdict =
    offline === undefined ? decideStaged(args, { now, isStaged, offered }, at) : decideUploaded(args, offline, at);
  return verdict.is === 'change' && keep !== undefined ? thenKept(verdict.change, { ...args, keep }, at) : verdict;
}

function decideInstalled(args: PackageArgs, found: Found, at: At, brings?: More): Verdict {
  const { now } = found;
  const units = found as unknown as Units;
  const held = now.held || wasHeld(found.done);
  const { name, version, hold = held, allow_downgrade = false } = args;
  const order = now.installed === null ? 1 : compareWanted(version, now.installed, now.manager);
  const [due, down] = [order !== 0, order < 0];
  if (down && !allow_downgrade)
    return blocked(
      `${name} ${now.installed ?? ''} is installed, newer than ${version}`,
      'a downgrade must be asked for: allow_downgrade: true',
    );
  if (args.conffiles === 'new' && now.manager !== 'apt')
    return blocked(
      'RPM cannot be told to take the new configuration files: which of the two stays is said by the package',
      'leave `conffiles` out; the other file of the two is beside it as `.rpmnew` or `.rpmsave`',
    );
  const broken = now.installed !== null && now.status[1] !== 'i';
  if (!due && !broken && hold === now.held) return ok(`${name} ${now.installed ?? ''} is installed`, now.installed);
  // A half-done configuration is ended first: what that writes, nobody knows.
  const file = (): string | null => (args.kept === undefined ? null : found.keptFile) ?? found.file;
  if (due && !broken && args.changes !== undefined && brings === undefined) {
    const path = file();
    if (path !== null) return { is: 'more', needs: filesNeeds(args, path, at) };
  }
  const asked = { now, units, due, down, broken, held, hold, file };
  return { is: 'change', change: packageChange(args, { ...asked, ...(brings === undefined ? {} : { brings }) }, at) };
}

/** dpkg loses the hold of a package that it unpacks, and a host that lost its power then could not make it again. */
const wasHeld = (before: Done): boolean =>
  before.is === 'unknown' && (before.marks[BEFORE] as unknown as PackageState | undefined)?.held === true;
