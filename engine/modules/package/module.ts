import type { OfflinePackages, PackageTaste } from '../../facts/offline-packages.js';
import { packageState, type PackageState } from '../../facts/package.js';
import { packageArchived, archivedPackageFile, type PackageArchived } from '../../facts/package-archived.js';
import { packageFile, packageStaged } from '../../facts/package-staged.js';
import { packageVersions, type PackageVersions } from '../../facts/package-versions.js';
import { service, type ServiceState } from '../../facts/service.js';
import { blocked, ok, type Verdict } from '../../terms/change.js';
import { done, need, type Done, type Need, type Values } from '../../terms/fact.js';
import { taskKey } from '../../terms/task.js';
import { defineModule, type At, type More } from '../../terms/module.js';
import { BEFORE, packageChange, packageTouches } from './change.js';
import { configNeeds, configTouches } from './config.js';
import { repositoryNeeds, type Texts } from './disabled.js';
import { earlierNeeds, settleConfig, withConfig } from './config-settle.js';
import { filesNeeds } from './files.js';
import { judged } from './judged.js';
import { decideArchived, archivedTouches, thenArchived } from './archived.js';
import { decideOffered, indexNeeds, isIndexed, type Indexes } from './offered.js';
import { decideOfflineOffered, decideUploaded, offlineNeeds } from './offline.js';
import { decideLacks } from './lacks.js';
import { decideStaged, stagedTouches } from './staged.js';
import { compareWanted } from './version.js';
import type { PackageArgs } from './schema.js';

/** Which of them are asked hangs on the state. */
interface Asked {
  readonly [name: string]: Need;
  readonly now: Need<PackageState>;
  readonly offered: Need<PackageVersions>;
  readonly staged: Need<boolean>;
  readonly file: Need<string | null>;
  readonly done: Need<Done>;
  readonly archived: Need<PackageArchived>;
  readonly archivedFile: Need<string | null>;
  readonly folder: Need<OfflinePackages>;
  readonly taste: Need<PackageTaste>;
}

type Units = Readonly<Record<`unit:${string}`, ServiceState>>;

export const packageModule = defineModule<PackageArgs>()({
  name: 'package',
  needs: (args, at) => {
    const { name, version, state, optional, from = '', archive_to, archive_from = archive_to, restarts = [] } = args;
    const { on } = at.task;
    const place = { name, version, directory: archive_from ?? '' };
    const now = { now: need(on, packageState, name) };
    const staged = { staged: need(on, packageStaged, { name, version }) };
    const asked =
      state === 'available' || state === 'staged'
        ? {
            ...staged,
            ...(archive_from === undefined ? {} : { archived: need(on, packageArchived, place) }),
            ...(from !== ''
              ? offlineNeeds(from, at)
              : state === 'available' || optional === true
                ? { offered: need(on, packageVersions, name), ...indexNeeds(at), ...repositoryNeeds(args, at) }
                : {}),
          }
        : {
            done: need(on, done, taskKey(at.task)),
            file: need(on, packageFile, { name, version }),
            ...(archive_from === undefined ? {} : { archivedFile: need(on, archivedPackageFile, place) }),
            ...configNeeds(args, at),
            ...Object.fromEntries(restarts.map((unit) => [`unit:${unit}`, need(on, service, unit)])),
          };
    return { ...now, ...asked } as unknown as Asked;
  },
  touches: (args, at) =>
    args.state === 'available'
      ? []
      : args.state === 'staged'
        ? [...stagedTouches(args, at), ...archivedTouches(args, at)]
        : [...packageTouches(withKept(args), at), ...configTouches(args, at)],
  decide(args, found, at, more) {
    if (args.state !== 'available' && args.state !== 'staged') return decideInstalled(args, found, at, more);
    return args.state === 'available' ? decideOffer(args, found, at, more) : decideFetched(args, found, at, more);
  },
  judge: (_args, outcome) => judged(outcome),
});

type Found = Values<Asked>;

/** Does it lie on the host, to be installed from there? */
const isAtHand = ({ archive_to, archive_from = archive_to }: PackageArgs, found: Found): boolean =>
  (archive_from !== undefined && found.archived === 'whole') || found.staged;

const offlineOf = (args: PackageArgs, found: Found) =>
  args.from === undefined || args.from === ''
    ? undefined
    : {
        now: found.now,
        isStaged: () => isAtHand(args, found),
        folder: () => found.folder,
        taste: () => found.taste,
      };

function decideOffer(args: PackageArgs, found: Found, at: At, more?: More): Verdict {
  const offline = offlineOf(args, found);
  if (offline !== undefined) return decideOfflineOffered(args, offline);
  const indexes = found as unknown as Indexes;
  const texts = found as unknown as Texts;
  const isStaged = (): boolean => isAtHand(args, found);
  return decideOffered(args, { now: found.now, isStaged, indexes, texts, offered: () => found.offered }, at, more);
}

/** Downloaded, and archived where the step asks for it. */
function decideFetched(args: PackageArgs, found: Found, at: At, more?: More): Verdict {
  const { now } = found;
  const { name, version, archive_to, archive_from } = args;
  if (archive_to !== undefined) {
    if (found.archived === 'whole') return ok(`${name} ${version} is archived in ${archive_to}`);
    if (found.staged) return decideArchived({ ...args, archive_to }, at, more);
  } else if (archive_from !== undefined && found.archived === 'damaged' && !found.staged)
    return blocked(
      `${name} ${version} in ${archive_from} is not the package that was archived there: its hash differs`,
      'delete that file and its .sha256; the repository is asked for it then',
    );
  const offline = offlineOf(args, found);
  const isStaged = (): boolean => isAtHand(args, found);
  const offered = (): PackageVersions => (isIndexed(now, found as unknown as Indexes) ? found.offered : []);
  const verdict =
    offline === undefined ? decideStaged(args, { now, isStaged, offered }, at) : decideUploaded(args, offline, at);
  if (verdict.is === 'ok' && args.must_have !== undefined && found.staged) return decideLacks(args, verdict, at, more);
  return verdict.is === 'change' && archive_to !== undefined
    ? thenArchived(verdict.change, { ...args, archive_to }, at)
    : verdict;
}

function decideInstalled(asked: PackageArgs, found: Found, at: At, more?: More): Verdict {
  const args = withKept(asked);
  const { now } = found;
  const held = now.held || wasHeld(found.done);
  const { name, version, hold = held, upgrade_from } = args;
  const order = now.installed === null ? 1 : compareWanted(version, now.installed, now.manager);
  const [due, down] = [order !== 0, order < 0];
  const refusal = refused(args, now, down);
  if (refusal !== undefined) return refusal;
  const broken = now.installed !== null && now.status[1] !== 'i';
  const isFrom = (other: string | null): boolean =>
    upgrade_from !== undefined && other !== null && compareWanted(upgrade_from, other, now.manager) === 0;
  const begins = due && isFrom(now.installed);
  const settled = !due && !broken && hold === now.held;
  const keeps = args.keep_config !== undefined && (begins || (settled && !isFrom(now.installed)));
  // An interrupted configuration is completed first: what that writes cannot be predicted.
  const file = (): string | null => (args.archive_from === undefined ? null : found.archivedFile) ?? found.file;
  if (more === undefined) {
    const path = due && !broken && args.changes !== undefined ? file() : null;
    const needs = {
      ...(path === null ? {} : filesNeeds(args, path, at)),
      // A plan that does not know the new defaults needs no earlier ones.
      ...(keeps && (settled || path !== null) ? earlierNeeds(args, found, at) : {}),
    };
    if (Object.keys(needs).length > 0) return { is: 'more', needs };
  }
  if (settled) {
    const config = keeps ? settleConfig(args, found, more, at) : undefined;
    if (config !== undefined && config.is !== 'ok') return config;
    return ok(`${name} ${now.installed ?? ''} is installed`, now.installed, config?.warnings);
  }
  const units = found as unknown as Units;
  const brings = more?.['brings'] === undefined ? {} : { brings: more };
  const change = packageChange(args, { now, units, due, down, broken, held, hold, file, ...brings }, at);
  return keeps ? withConfig(change, args, { found, more, done: found.done }, at) : { is: 'change', change };
}

/** What it keeps, it may change. */
const withKept = (args: PackageArgs): PackageArgs =>
  args.keep_config === undefined ? args : { ...args, changes: [...(args.changes ?? []), ...args.keep_config] };

function refused({ name, version, allow_downgrade, conffiles }: PackageArgs, now: PackageState, down: boolean) {
  if (down && allow_downgrade !== true)
    return blocked(
      `${name} ${now.installed ?? ''} is installed, newer than ${version}`,
      'a downgrade must be asked for: allow_downgrade: true',
    );
  if (conffiles === 'new' && now.manager !== 'apt')
    return blocked(
      'RPM has no option to take the new configuration files: the package decides which of the two stays',
      'leave `conffiles` out; the other file of the two is beside it as `.rpmnew` or `.rpmsave`',
    );
  return undefined;
}

/** dpkg loses the hold of a package that it unpacks, and a host that lost its power then could not make it again. */
const wasHeld = (before: Done): boolean =>
  before.is === 'unknown' && (before.marks[BEFORE] as unknown as PackageState | undefined)?.held === true;
