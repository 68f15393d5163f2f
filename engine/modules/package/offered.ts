import type { PackageState } from '../../facts/package.js';
import type { PackageVersions } from '../../facts/package-versions.js';
import { packageIndexes } from '../../facts/package-family.js';
import { file, type FileState } from '../../facts/file.js';
import { blocked, ok, type Verdict } from '../../terms/change.js';
import { need, type Need } from '../../terms/fact.js';
import type { At, More } from '../../terms/module.js';
import { hostName } from '../../terms/subject.js';
import { disabledIn, offersIn, offersNeed, type Texts } from './disabled.js';
import { compareWanted, orderOf } from './version.js';
import type { PackageArgs } from './schema.js';

/** The package manager's index by its path: what a step that updates it says that it changes. */
export type Indexes = Readonly<Record<`index:${string}`, FileState>>;

/** All that any package manager would keep its index in: which one the host has is itself a fact. */
export const indexNeeds = ({ task }: At): Readonly<Record<`index:${string}`, Need<FileState>>> =>
  Object.fromEntries(
    Object.values(packageIndexes)
      .flat()
      .map((path) => [`index:${path}`, need(task.on, file, path)]),
  );

/** What a decision looks at, each only when it comes to it. */
export interface Offer {
  readonly now: PackageState;
  readonly indexes: Indexes;
  readonly texts: Texts;
  readonly isStaged: () => boolean;
  readonly offered: () => PackageVersions;
}

/**
 * A check: the wanted version is there, lies on the host to be installed, or an enabled repository offers it. Where a step before it will update the index,
 * that cannot be known in a plan: so the index is looked at before what it holds.
 */
export function decideOffered(args: PackageArgs, found: Offer, at: At, more?: More): Verdict {
  const { name, version } = args;
  const { now, indexes, isStaged, offered } = found;
  const { manager, installed } = now;
  if (installed !== null && compareWanted(version, installed, manager) === 0)
    return ok(`${name} ${installed} is installed`, installed);
  if (isStaged()) return ok(`${name} ${version} is on the host`, version);
  const indexed = isIndexed(now, indexes);
  const versions = [...offered()].sort((a, b) => orderOf(manager)(b, a));
  const met = versions.find((v) => compareWanted(version, v, manager) === 0);
  if (met !== undefined) return ok(`${name} ${met} is offered`, met);
  const disabled = disabledIn(args, found.texts);
  const disabledOffers = offersIn(more);
  if (disabled !== undefined && disabledOffers === undefined)
    return { is: 'more', needs: { disabled: offersNeed(args, disabled, at) } };
  const there = disabledOffers?.find((v) => compareWanted(version, v, manager) === 0);
  if (disabled !== undefined && there !== undefined)
    return ok(`${name} ${there} is offered by the repository that is disabled in ${disabled.path}`, there);
  const others =
    versions.length > 0
      ? `offered: ${versions.slice(0, SHOWN).join(', ')}${versions.length > SHOWN ? ` and ${versions.length - SHOWN} older` : ''}`
      : `no version of it is offered${indexed ? '' : ', and the index of its repositories was never fetched'}`;
  if (disabled !== undefined) {
    const offers = (disabledOffers ?? []).slice(0, SHOWN).join(', ');
    return blocked(
      `no enabled repository offers ${name} ${version}, and the one that is disabled in ${disabled.path} neither (it offers ${offers === '' ? 'no version of it' : offers})`,
      'correct the version that is wanted (platform.target), or the address of the repository',
    );
  }
  return blocked(
    `${hostName(at.task.on)}: no enabled repository offers ${name} ${version} (${others})`,
    'enable the repository and update its index, or check the version that is wanted (platform.target)',
  );
}

/** Was what the repositories offer ever fetched? A plan does not know it where a step before updates the index. */
export const isIndexed = ({ manager }: PackageState, indexes: Indexes): boolean =>
  packageIndexes[manager].map((path) => indexes[`index:${path}`]?.exists).includes(true);

const SHOWN = 8;
